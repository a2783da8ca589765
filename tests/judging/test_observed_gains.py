"""Gains of grades as they are told, and the ideals by them."""

import math

import numpy as np
import pytest

from leadline.data.pairs import Pairs
from leadline.judging.by_weight import ObservedGains
from leadline.measures.measure import parse_measure

PAIRS = Pairs.of(["1", "1", "1", "2"], ["a", "b", "c", "a"])


def told(name: str) -> ObservedGains:
    return ObservedGains(parse_measure(name), PAIRS)


def test_gains_are_shares_of_the_best_grade_so_far() -> None:
    gains = told("nDCG@10")
    assert not gains.tell(0, 1)
    assert gains.of(1) == 1
    assert gains.tell(1, 3), "better than all before it"
    assert gains.of_pairs() == pytest.approx([1 / 3, 1, 0, 0])
    assert gains.forget(1), "the best goes"
    assert gains.of_pairs() == pytest.approx([1, 0, 0, 0])


def test_a_scale_that_is_named_does_not_grow() -> None:
    by_name = told("nDCG(max_grade=2)@10")
    assert not by_name.tell(0, 1)
    assert not by_name.tell(1, 3), "counts as the best of the measure's scale"
    assert by_name.of_pairs() == pytest.approx([0.5, 1, 0, 0])


def test_binary_gains_never_change() -> None:
    gains = told("RBP(p=0.8)")
    assert not any(gains.tell(pair, grade) for pair, grade in enumerate([1, 3, 2]))
    assert not gains.forget(1)
    assert gains.of_pairs().tolist() == [1, 0, 1, 0]
    assert gains.factor(0) == 1


def test_the_ideal_is_one_document_of_the_best_grade_at_least() -> None:
    gains = told("nDCG(max_grade=2)@2")
    assert gains.factor(0) == 1, "nothing was found"
    gains.tell(0, 1)
    assert gains.factor(0) == 1, "half of one is less than one"
    gains.tell(1, 2)
    ideal = 1 + 0.5 / math.log2(3)
    assert gains.factor(0) == pytest.approx(1 / ideal)
    gains.tell(2, 1)
    assert gains.factor(0) == 1, "no more than two ranks count"
    assert gains.ideal == pytest.approx(np.array([ideal, 1]))


def test_a_measure_without_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="no sum of weights"):
        told("AP")
