"""Reciprocal rank and success look for the first relevant document."""

from functools import partial

import pytest

from leadline.measures.err import RR, Success
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "RR": lambda top: plain.rr,
    "RR@2": lambda top: partial(plain.rr, k=2),
    "Success@2": lambda top: partial(plain.success, k=2),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name])


def test_an_unjudged_document_may_be_the_first() -> None:
    assert RR().sketch("0 ? ? 1") == "0.2500 [0.2500, 0.5000]"
    assert RR(k=2).sketch("0 0 1") == "0.0000 [0.0000, 0.0000]"
    assert Success(k=1).sketch("? 1") == "0.0000 [0.0000, 1.0000]"
