"""Recall is the share of the relevant documents that a list holds."""

from functools import partial

import pytest

from leadline.measures.precision import Recall
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "Recall": lambda top: plain.recall,
    "Recall@3": lambda top: partial(plain.recall, k=3),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name], unseen=True)


def test_it_is_undefined_without_relevant_documents_but_has_ends() -> None:
    assert Recall().sketch("0 ?") == "nan [0.0000, 1.0000]"
