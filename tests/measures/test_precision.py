"""Precision counts relevant documents over a depth or the whole list."""

from functools import partial

import pytest

from leadline.measures.precision import P, SetP
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "P@3": lambda top: partial(plain.precision, k=3),
    "P(rel=2)@5": lambda top: partial(plain.precision, k=5, rel=2),
    "SetP": lambda top: plain.precision,
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name])


def test_ranks_beyond_a_short_list_are_closed() -> None:
    assert P(k=4).sketch("1 ?") == "0.2500 [0.2500, 0.5000]"
    assert SetP().sketch("1 ?") == "0.5000 [0.5000, 1.0000]"
    assert SetP().sketch("", elsewhere="1") == "0.0000 [0.0000, 0.0000]"


def test_weights_are_the_same_for_all_ranks_that_count() -> None:
    assert P(k=4).weights(6).tolist() == [0.25] * 4 + [0.0] * 2
