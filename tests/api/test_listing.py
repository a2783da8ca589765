"""list: everything that is registered, by kind."""

import pytest

import leadline
from leadline.lab.papers.runner import papers
from leadline.listing import KINDS, listing
from leadline.registry import NamingError
from tests.views.terminal.printed import text_of


def test_every_name_of_every_kind_is_listed_once() -> None:
    frame = listing().frame
    told = set(frame.select("kind", "name").rows())
    registered = {(kind, name) for kind, of in KINDS.items() for name in of.classes()}
    assert told == registered | {("experiments", name) for name in papers()}
    assert len(frame) == len(told)
    assert not frame["description"].is_in([""]).any()


@pytest.mark.parametrize("kind", [*KINDS, "experiments"])
def test_one_kind_is_that_kind(kind: str) -> None:
    frame = leadline.list(kind).frame
    assert set(frame["kind"]) == {kind}
    assert frame.equals(listing().frame.filter(kind=kind))


def test_a_kind_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(NamingError, match="no kind named measure: choose one of measures, pools"):
        listing("measure")


def test_the_table_shows_parameters_where_there_are_some() -> None:
    text = text_of(listing("stops").table())
    assert "Budget(n)" in text
    assert "()" not in text
