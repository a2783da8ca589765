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
    with pytest.raises(ValueError, match="outside must be rate or zero, not none"):
        InfRBP(outside="none")  # type: ignore[arg-type]
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


def test_a_run_outside_the_pool_by_hand() -> None:
    """Eq. 5: lambda covers all ranks outside the shallow pool, those outside the sample too.

    RBP(p=.5) weighs the ranks .5, .25, .125, .0625. Run b returns p, s, x, n: p is in the shallow
    pool and relevant, s sampled and relevant, n pooled but not drawn, x returned by b alone.
    lambda = (.25 + .125 + .0625) / .25 = 1.75, so the score is .5 + 1.75 * .25 = .9375.
    """
    lists = {"a": {"1": ["p", "s", "n"]}, "b": {"1": ["p", "s", "x", "n"]}}
    runs, everything = Small(lists, {"1": {"p": 1, "s": 1, "n": 0, "x": 0}}, 1).tables()
    names = [runs.pairs.name(at)[1] for at in range(4)]
    inclusion = np.array([{"p": 1.0, "s": 0.5, "n": 0.5, "x": 0.0}[name] for name in names])
    judged = np.array([name in ("p", "s") for name in names])
    grade = np.where(judged, everything.grade, 0)
    judgments = Judgments(runs.pairs, judged, grade, inclusion > 0, inclusion)
    evidence = TrainingData(RBP(p=0.5), runs, judgments, None, np.array([True, False]))
    assert InfRBP().gains(evidence).scores("Eq. 5").value[1, 0] == pytest.approx(0.9375)
    variant = InfRBP(outside="zero").gains(evidence).scores("variant").value
    assert variant[1, 0] == pytest.approx(0.9375 - 0.125)
    # Run a has nothing outside the pool: both readings agree.
    assert variant[0, 0] == InfRBP().gains(evidence).scores("Eq. 5").value[0, 0]


@given(small=small_collections(n_docs=9, n_runs=4), seed=st.integers(0, 20))
@tries(12)
def test_runs_outside_the_pool_equal_the_twin_of_eq_5(small: Small, seed: int) -> None:
    runs, everything = small.tables()
    if len(runs.names) < 2:
        return
    contributing = np.arange(len(runs.names)) > 0
    pool = TwoStrata(d=1, deep=9, rate=0.5).pool(runs.only(contributing), seed)
    judgments = pool.restrict(everything)
    if not ((pool.inclusion > 0) & (pool.inclusion < 1) & ~judgments.judged).any():
        return
    evidence = TrainingData(RBP(p=0.8, k=9), runs, judgments, pool, contributing)
    scores = InfRBP().gains(evidence).scores("InfRBP").value
    for topic, known in enumerate(gains_by_topic(evidence)):
        whole = np.flatnonzero((pool.inclusion == 1) & (runs.pairs.topic == topic))
        inside = {runs.pairs.name(int(at))[1] for at in whole}
        pooled = {doc: known.get(doc, 0.0) for doc in inside}
        sampled = {doc: gain for doc, gain in known.items() if doc not in inside}
        for run, ranking in enumerate(rankings(evidence, topic)):
            twin = plain.inf_rbp(ranking, pooled, sampled, plain.rbp(0.8), 9)
            assert scores[run, topic] == pytest.approx(twin, abs=1e-9)
