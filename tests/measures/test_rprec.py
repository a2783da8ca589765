"""R-precision looks as deep as there are relevant documents."""

from functools import partial

import pytest

from leadline.measures.precision import Rprec
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "Rprec": lambda top: plain.rprec,
    "Rprec(rel=2)": lambda top: partial(plain.rprec, rel=2),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name], unseen=True, deeper=5)


def test_unseen_relevant_documents_deepen_the_rank() -> None:
    # R = 1 and the first is not relevant; with both unjudged ones relevant it is 2 of 3.
    assert Rprec().sketch("0 ? ?", elsewhere="1") == "0.0000 [0.0000, 0.6667]"
