"""InfRBP by hand, and on random collections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.baselines import InfRBP
from leadline.completions.estimator import TrainingData
from leadline.data.judgments import Judgments
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import TwoStrata
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.reference import estimators as plain
from tests.tries import tries


def test_inferred_rbp_by_hand() -> None:
    """d is sampled and relevant, c and e were not drawn: their gain is that of the sample."""
    lists = {"a": {"1": ["p", "c", "d", "e"]}}
    runs, everything = Small(lists, {"1": {"p": 0, "c": 1, "d": 1, "e": 0}}, 1).tables()
    inclusion = np.array([0.5, 0.5, 0.5, 1.0])
    names = [runs.pairs.name(at)[1] for at in range(4)]
    assert names == ["c", "d", "e", "p"]
    judged = np.array([False, True, False, True])
    judgments = Judgments(
        runs.pairs, judged, np.where(judged, everything.grade, 0), np.ones(4, bool), inclusion
    )
    found = InfRBP().gains(TrainingData(RBP(p=0.5), runs, judgments))
    assert found.gain == pytest.approx([0.0, 1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="sampled"):
        InfRBP().gains(TrainingData(RBP(p=0.5), runs, everything))


@given(small_collections(n_docs=9, n_runs=4), st.integers(0, 5))
def test_inferred_rbp_of_everything_sampled_is_rbp(small: Small, seed: int) -> None:
    runs, everything = small.tables()
    pool = TwoStrata(d=1, deep=9, rate=0.6).pool(runs, seed)
    judgments = pool.restrict(everything)
    if not ((pool.inclusion < 1) & (pool.inclusion > 0) & ~judgments.judged).any():
        return
    by = RBP(p=0.8, k=9)
    found = InfRBP().gains(TrainingData(by, runs, judgments, pool))
    assert found.standard_error is None
    closed = ~(judgments.judged[runs.pair] | ~pool.member[runs.pair])
    assert (found.gain[closed] >= 0).all()


@given(small=small_collections(n_docs=9, n_runs=4), seed=st.integers(0, 20))
@tries(12)
def test_inferred_rbp_equals_its_twin(small: Small, seed: int) -> None:
    runs, everything = small.tables()
    pool = TwoStrata(d=1, deep=9, rate=0.5).pool(runs, seed)
    chance = (pool.inclusion > 0) & (pool.inclusion < 1)
    if not (chance & ~(pool.member & everything.judged)).any():
        return
    evidence = TrainingData(RBP(p=0.8, k=9), runs, pool.restrict(everything), pool)
    scores = InfRBP().gains(evidence).scores("InfRBP").value
    for topic, known in enumerate(gains_by_topic(evidence)):
        inside = {
            runs.pairs.name(int(at))[1]
            for at in np.flatnonzero((pool.inclusion == 1) & (runs.pairs.topic == topic))
        }
        # What the shallow stratum holds but nobody judged counts as judged worthless.
        pooled = {doc: known.get(doc, 0.0) for doc in inside}
        sampled = {doc: gain for doc, gain in known.items() if doc not in inside}
        for run, ranking in enumerate(rankings(evidence, topic)):
            twin = plain.inf_rbp(ranking, pooled, sampled, plain.rbp(0.8), 9)
            assert scores[run, topic] == pytest.approx(twin, abs=1e-9)
