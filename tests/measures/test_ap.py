"""Average precision is the mean of precisions at relevant documents."""

from functools import partial

import pytest

from leadline.measures.ap import AP
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "AP": lambda top: plain.ap,
    "AP@3": lambda top: partial(plain.ap, k=3),
    "AP(rel=2)": lambda top: partial(plain.ap, rel=2),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name], unseen=True)


def test_by_hand() -> None:
    # (1/1 + 2/3) / 3: the third relevant document is not returned.
    assert (
        AP().sketch("1 0 1", elsewhere="1")
        == f"{(1 + 2 / 3) / 3:.4f} [0.0000, {(1 + 2 / 3) / 3:.4f}]"
    )
