"""Binary preference passes over unjudged documents."""

import pytest

from leadline.measures.ap import bpref
from tests.measures.agreement import TwinFor, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "bpref": lambda top: plain.bpref,
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=False)


def test_it_has_no_interval() -> None:
    assert bpref().sketch("1 ? 0") == "1.0000"
    assert bpref().sketch("0 ? 1") == "0.0000"
