"""Counts of documents returned, relevant and judged."""

from functools import partial

import pytest

from leadline.measures.sets import Judged, NumRel, NumRelRet
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "NumRet": lambda top: plain.num_ret,
    "NumRel": lambda top: plain.num_rel,
    "NumRelRet": lambda top: plain.num_rel_ret,
    "Judged@3": lambda top: partial(plain.judged, k=3),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name])


@pytest.mark.parametrize("name", ["NumRet", "NumRelRet"])
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name])


def test_depths_and_empty_lists() -> None:
    assert NumRelRet(k=1).sketch("0 1 ?") == "0.0000 [0.0000, 0.0000]"
    assert NumRel().sketch("", elsewhere="1 0 2") == "2.0000"
    assert Judged().sketch("") == "nan"
