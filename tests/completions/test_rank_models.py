"""Curves of gain by rank fit no worse than the twins'."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.completions.two_stage import KEPT_CELLS, Linear, RankModel, Weibull, Zipf, fitted
from leadline.io.read import read
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.reference import rank_models as plain
from tests.shared_data.where import collection
from tests.tries import tries

LIMIT = 2e-4
"""Weibull's a ends at 10^6, where the twin goes on: the fits of [1, 0, 0, 1] are 1.2e-4 apart."""

TWINS = ((Linear(), plain.linear), (Zipf(), plain.zipf), (Weibull(), plain.weibull))


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(2, 4))
@tries(5)
def test_no_curve_is_further_off_than_the_twins(small: Small, d: int) -> None:
    runs, everything = small.tables()
    evidence = TrainingData(RBP(p=0.8), runs, Depth(d).pool(runs).restrict(everything))
    mean = evidence.pooled_runs.mean_gain(evidence.known_gain, d)
    deepest = max(evidence.pooled_runs.deepest, d)
    for topic, judged in enumerate(gains_by_topic(evidence)):
        observed = plain.mean_gains(rankings(evidence, topic), judged, d)
        assert mean[topic].tolist() == pytest.approx(observed)
        for model, twin in TWINS:
            curve = model.curves(mean, deepest)[topic]
            squares = float(((curve[:d] - mean[topic]) ** 2).sum())
            assert (
                squares <= twin(observed, deepest).squares + LIMIT * max(observed) ** 2 + 1e-12
            ), model


@pytest.mark.parametrize("model", [Linear(), Zipf(), Weibull()])
@given(
    st.lists(st.floats(0, 1, width=16), min_size=2, max_size=12),
)
@tries(10)
def test_no_curve_exceeds_beyond_the_pool_what_was_observed(
    model: RankModel, observed: list[float]
) -> None:
    curve = model.curves(np.array([observed, sorted(observed)]), len(observed) + 200)
    beyond = curve[:, len(observed) :]
    assert (beyond <= max(observed) + 1e-6).all()


@pytest.mark.parametrize(("topic", "depth"), [("666", 20), ("684", 5)])
def test_a_curve_that_rises_at_the_end_of_the_pool_does_not_explode(topic: str, depth: int) -> None:
    """Topic 666 has 3 relevant documents in the pool of depth 20: not 80 below it."""
    robust = read(collection("robust2004_pooled42"))
    judgments = Depth(depth).pool(robust.runs).restrict(robust.judgments)
    evidence = TrainingData(RBP(p=0.8), robust.runs, judgments)
    at = robust.runs.pairs.topics.index(topic)
    known = evidence.known_gain / evidence.max_gain
    mean = evidence.pooled_runs.mean_gain(known, depth)[at]
    entries = evidence.runs.entries
    mine = (entries.topic == at) & ~judgments.judged[evidence.runs.pair]
    gain = Weibull().gains(evidence).gain[mine & (entries.rank > depth)]
    assert gain.max() <= evidence.max_gain * mean.max() + 1e-9


@pytest.mark.parametrize("model", [Linear, Zipf, Weibull])
def test_a_threshold_that_makes_no_sense_is_refused(model: type[RankModel]) -> None:
    with pytest.raises(ValueError, match="theta must be 0 or more"):
        model(theta=-1.0)  # type: ignore[call-arg]


@pytest.mark.parametrize("model", [Linear(), Zipf(), Weibull()])
def test_curves_that_were_asked_for_before_are_the_same(model: RankModel) -> None:
    mean = np.random.default_rng(0).random((3, 5))
    curve = fitted(model, mean, 9)
    assert np.array_equal(curve, model.curves(mean, 9))
    assert fitted(model, mean.copy(), 9) is curve
    assert not curve.flags.writeable
    assert fitted(model, mean[:2], 9).shape == (2, 9)
    assert fitted(model, mean, 8).shape == (3, 8)


def test_curves_of_many_topics_are_not_kept() -> None:
    mean = np.ones((2, 3))
    deepest = KEPT_CELLS // 2 + 1
    assert fitted(Linear(), mean, deepest) is not fitted(Linear(), mean, deepest)
