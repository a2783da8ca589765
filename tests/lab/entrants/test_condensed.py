"""Condensed lists."""

import pytest

from leadline.data.lists import Lists
from leadline.lab.benchmark.entrants.pools import Condensed
from leadline.measures.measure import parse_measure
from tests.lab.asked import question


def test_it_is_the_measure_that_leaves_unjudged_documents_out() -> None:
    asked = question("shallow", 5, "P@10")
    measure = parse_measure("P(judged_only=true)@10")
    expected = measure.score(Lists.of(asked.runs, asked.known)).mean()
    assert Condensed().answer(asked).value.tolist() == expected.tolist()


def test_a_measure_without_that_form_is_left_out() -> None:
    asked = question("shallow", 5)
    asked.measure = parse_measure("bpref")
    with pytest.raises(ValueError, match="no form that leaves unjudged documents out"):
        Condensed().answer(asked)
