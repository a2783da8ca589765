"""Expected reciprocal rank of a reader who stops when satisfied."""

from functools import partial

import pytest

from leadline.measures.err import ERR
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "ERR": lambda top: partial(plain.err, max_grade=top),
    "ERR@3": lambda top: partial(plain.err, k=3, max_grade=top),
    "ERR(gains=binary)@3": lambda top: partial(plain.err, k=3, gains="binary", max_grade=top),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name])


def test_gains_are_probabilities() -> None:
    # Grades 1 and 0 of at most 1: satisfied with 1/2 at rank 1, and with 1/2 of the rest at rank 2.
    assert ERR().sketch("1 1") == "0.6250 [0.6250, 0.6250]"
    with pytest.raises(ValueError, match="probabilities"):
        ERR(gains="grade").sketch("2")
