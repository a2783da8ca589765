"""Weights of runs and models lose no more than the twins', and gains are their means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import TrainingData
from leadline.completions.two_stage import TwoStage, Uniform, WeightedModels, judged_of, rank_curves
from leadline.data.arrays import Floats
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.reference import estimators as plain
from tests.reference import two_stage as stages
from tests.tries import tries


def shallow(small: Small, d: int) -> TrainingData:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    return TrainingData(RBP(p=0.8), runs, pool.restrict(everything), pool)


def check_stage(
    guess: Floats, gain: Floats, weight: Floats, which: WeightedModels, loss: str
) -> None:
    problem = stages.Problem(guess, gain, weight.T, loss)
    mine = which.weigh(guess, gain, weight)
    theirs = stages.least_loss(problem, 3)
    assert problem.value(mine) <= problem.value(theirs) + 2e-7


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 3))
@tries(5)
def test_weights_lose_no_more_than_the_twins(small: Small, d: int) -> None:
    evidence = shallow(small, d)
    weights = evidence.weighted.weights(evidence.pooled_runs.deepest)
    for topic in range(len(evidence.runs.pairs.topics)):
        pairs = judged_of(evidence, topic)
        if not len(pairs):
            continue
        rank = evidence.pooled_runs.ranks_of(pairs)
        weight = weights[rank - 1] * (rank > 0)
        gain = evidence.known_gain[pairs]
        for curve in rank_curves(evidence):
            for which, loss in (
                (TwoStage(fit="scores"), "la"),
                (TwoStage(), "lb documents"),
                (TwoStage(group_by="runs"), "lb runs"),
            ):
                check_stage(curve[topic][rank - 1], gain, weight, which, loss)


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 3))
@tries(10)
def test_uniform_is_the_twins_mean_of_means(small: Small, d: int) -> None:
    evidence = shallow(small, d)
    runs, deepest = evidence.runs, evidence.pooled_runs.deepest
    curves = rank_curves(evidence)
    found = Uniform().gains(evidence)
    for topic, judged in enumerate(gains_by_topic(evidence)):
        lists = rankings(evidence, topic)
        of_topic = [curve[topic].tolist() for curve in curves]
        made = stages.two_stage(lists, judged, of_topic, plain.rbp(0.8), deepest, None)
        for run in range(len(lists)):
            for at in range(runs.start[run, topic], runs.stop[run, topic]):
                doc = runs.pairs.name(int(runs.pair[at]))[1]
                wanted = judged.get(doc, made.gains[doc])
                assert found.gain[at] == pytest.approx(wanted, abs=1e-12)


def test_an_unknown_grouping_is_refused() -> None:
    with pytest.raises(ValueError, match="documents or runs"):
        TwoStage(group_by="topics")  # type: ignore[arg-type]
