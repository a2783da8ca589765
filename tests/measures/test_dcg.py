"""Discounted cumulative gain, plain and scaled."""

import math
from functools import partial

import pytest

from leadline.measures.dcg import DCG, SDCG, discounts
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "DCG": lambda top: partial(plain.dcg, max_grade=top),
    "DCG(gains=exp2)@3": lambda top: partial(plain.dcg, k=3, gains="exp2", max_grade=top),
    "SDCG@4": lambda top: partial(plain.sdcg, k=4, max_grade=top),
    "SDCG(gains=linear)@4": lambda top: partial(plain.sdcg, k=4, gains="linear", max_grade=top),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name])


def test_discounts_are_logarithms_to_the_base_two() -> None:
    assert discounts(3).tolist() == pytest.approx([1, 1 / math.log2(3), 1 / 2])


def test_scaled_weights_add_up_to_one() -> None:
    assert SDCG(k=7).weights(20).sum() == pytest.approx(1)
    assert SDCG(k=7).weights(3).tolist() == SDCG(k=7).weights(20)[:3].tolist()
    assert DCG().weights(2).sum() == pytest.approx(1 + 1 / math.log2(3))
