"""Certain, likely or open: the words, and where there is a model behind them."""

import numpy as np
import pytest

import leadline
from leadline.completions.winner import ScorePosterior
from leadline.data.runs import Runs
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from leadline.stats.certainty import (
    CERTAINTY,
    MEANING,
    certainty_of,
    chance_ahead,
    score_posterior,
)
from tests.collections import Small


def two_runs() -> Runs:
    return Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1).tables()[0]


def test_every_word_has_a_meaning() -> None:
    assert tuple(MEANING) == CERTAINTY == ("certain", "likely", "open")


def test_what_is_certain_needs_no_probability_and_an_unknown_one_is_open() -> None:
    certain = np.array([True, False, False, False, False])
    ahead = np.array([0.5, 0.95, 0.949, 0.03, np.nan])
    words = ("certain", "likely", "open", "likely", "open")
    assert certainty_of(certain, ahead, 0.95) == words


def test_the_chance_to_be_ahead_is_that_of_the_first_run() -> None:
    posterior = ScorePosterior(
        two_runs(), np.array([0.6, 0.5]), 0.005 * np.eye(2), np.zeros(2), np.zeros((2, 1))
    )
    first, second = np.array([0, 1]), np.array([1, 0])
    # The difference is .1 with a deviation of .1: the first is better with probability .841.
    chance = chance_ahead(posterior, first, second)
    assert chance == pytest.approx([0.8413, 0.1587], abs=1e-4)


def test_measures_that_are_no_sums_have_no_model_nor_do_no_judgments() -> None:
    runs, judgments = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1).tables()
    assert score_posterior(runs, judgments, parse_measure("P@1")) is not None
    for name in ("AP", "nDCG@1", "P(judged_only=true)@1"):
        assert score_posterior(runs, judgments, parse_measure(name)) is None
    nothing = judgments.only(np.zeros(len(runs.pairs), np.bool_))
    assert score_posterior(runs, nothing, parse_measure("P@1")) is None


@pytest.mark.parametrize("depth", [2, 5])
def test_on_the_demo_likely_signs_are_those_of_all_judgments(depth: int) -> None:
    sea = leadline.read(COLLECTION)
    few = Depth(depth).pool(sea.runs).restrict(sea.judgments)
    measure = parse_measure("RBP(p=0.8)")
    posterior = score_posterior(sea.runs, few, measure)
    full = score_posterior(sea.runs, sea.judgments, measure)
    assert posterior is not None
    assert full is not None
    first, second = np.triu_indices(len(sea.runs.names), 1)
    difference = posterior.mean[first] - posterior.mean[second]
    ahead = chance_ahead(posterior, first, second)
    likely = np.maximum(ahead, 1 - ahead) >= 0.95
    assert likely.mean() > 0.2
    gap = full.mean[first] - full.mean[second]
    wrong = likely & (np.sign(gap) != np.sign(difference)) & (np.abs(gap) > 0.01)
    assert wrong.sum() <= 0.05 * likely.sum()
