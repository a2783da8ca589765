"""Every estimator equals its plain twin, one topic at a time, on random small collections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.estimators.contributed_entries import ContributedEntries
from leadline.estimators.coverage import gamma
from leadline.estimators.estimator import estimated_scores, estimators, known_gains
from leadline.estimators.two_stage import MODELS, La, Lb, TwoStage, judged_of
from leadline.measures.dcg import SDCG
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.pools.stratified import TwoStrata
from leadline.tables.arrays import Floats
from leadline.tables.runs import Runs
from tests.collections import Small, small_collections

plain = pytest.importorskip("tests.reference.estimators")
models = pytest.importorskip("tests.reference.rank_models")
stages = pytest.importorskip("tests.reference.two_stage")

MEASURES = {
    "rbp": (RBP(p=0.8), lambda: plain.rbp(0.8)),
    "sdcg": (SDCG(k=6), lambda: plain.sdcg(6)),
}
DEEP = 1000


def rankings(runs: Runs, topic: int) -> list[list[str]]:
    return [
        [
            runs.pairs.name(int(at))[1]
            for at in runs.pair[runs.start[run, topic] : runs.stop[run, topic]]
        ]
        for run in range(len(runs.names))
    ]


def judged_gains(small_judgments: object, runs: Runs, gain: Floats, topic: int) -> dict[str, float]:
    judged = small_judgments.judged  # type: ignore[attr-defined]
    return {
        runs.pairs.name(int(at))[1]: float(gain[at])
        for at in np.flatnonzero(judged & (runs.pairs.topic == topic))
    }


def value(name: str, measure: Weighted, runs: Runs, judgments: object, pool: object) -> Floats:
    found = estimators.parse(name).gains(measure, runs, judgments, pool)  # type: ignore[arg-type]
    scores = estimated_scores(measure, runs, judgments, found, name)  # type: ignore[arg-type]
    return scores.value


@given(
    small=small_collections(n_docs=9, n_runs=4),
    d=st.integers(1, 4),
    which=st.sampled_from(list(MEASURES)),
)
@settings(max_examples=40)
def test_bounds_interpolation_and_gamma(small: Small, d: int, which: str) -> None:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    judgments = pool.restrict(everything)
    measure, twin = MEASURES[which][0], MEASURES[which][1]()
    gain, _ = known_gains(measure, judgments)
    topics = range(len(runs.pairs.topics))
    known = {str(t): judged_gains(judgments, runs, gain, t) for t in topics}
    rate = plain.background(known)
    uneven = gamma(runs, judgments, d)
    lower, upper, rm = (value(name, measure, runs, judgments, pool) for name in ("LB", "UB", "RM"))
    for topic in topics:
        judged = known[str(topic)]
        lists = rankings(runs, topic)
        assert uneven[topic] == pytest.approx(plain.gamma(lists, judged, d), abs=1e-12)
        for run, ranking in enumerate(lists):
            base = plain.base(ranking, judged, twin, DEEP)
            assert lower[run, topic] == pytest.approx(base, abs=1e-12)
            residual = plain.residual(ranking, judged, twin, DEEP)
            assert upper[run, topic] == pytest.approx(base + residual, abs=1e-12)
            if which == "rbp":
                wanted = plain.rm(ranking, judged, twin, DEEP, rate)
                assert rm[run, topic] == pytest.approx(wanted, abs=1e-9)


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(2, 4))
@settings(max_examples=6)
def test_rank_models(small: Small, d: int) -> None:
    runs, everything = small.tables()
    judgments = Depth(d).pool(runs).restrict(everything)
    gain, _ = known_gains(RBP(p=0.8), judgments)
    returned = ContributedEntries.of(runs)
    mean = returned.mean_gain(gain, d)
    for topic in range(len(runs.pairs.topics)):
        judged = judged_gains(judgments, runs, gain, topic)
        observed = models.mean_gains(rankings(runs, topic), judged, d)
        assert mean[topic].tolist() == pytest.approx(observed)
        for model, twin in zip(MODELS, (models.linear, models.zipf, models.weibull), strict=True):
            curve = model.curves(mean, max(returned.deepest, d))[topic]
            fit = twin(observed, max(returned.deepest, d))
            squares = float(((curve[:d] - mean[topic]) ** 2).sum())
            assert squares <= fit.squares + 1e-6, model


def check_stage(guess: Floats, gain: Floats, weight: Floats, which: TwoStage, loss: str) -> None:
    problem = stages.Problem(guess, gain, weight.T, loss)
    mine = which.weigh(guess, gain, weight)
    theirs = stages.least_loss(problem, 3)
    assert problem.value(mine) <= problem.value(theirs) + 2e-7


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 3))
@settings(max_examples=6)
def test_weights_lose_no_more_than_the_twins(small: Small, d: int) -> None:
    runs, everything = small.tables()
    judgments = Depth(d).pool(runs).restrict(everything)
    measure = RBP(p=0.8)
    gain, _ = known_gains(measure, judgments)
    returned = ContributedEntries.of(runs)
    mean = returned.mean_gain(gain, d)
    curves = np.stack([model.curves(mean, returned.deepest) for model in MODELS])
    by_rank = np.append(measure.weights(returned.deepest), 0.0)
    for topic in range(len(runs.pairs.topics)):
        pairs = judged_of(returned, judgments, topic)
        if not len(pairs):
            continue
        rank = returned.ranks_of(pairs)
        weight = by_rank[rank - 1]
        for curve in curves:
            for which, loss in (
                (La(), "la"),
                (Lb(), "lb documents"),
                (Lb(grouping="runs"), "lb runs"),
            ):
                check_stage(curve[topic][rank - 1], gain[pairs], weight, which, loss)


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 3))
@settings(max_examples=25)
def test_uniform_is_the_twins_mean_of_means(small: Small, d: int) -> None:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    judgments = pool.restrict(everything)
    measure, twin = RBP(p=0.8), plain.rbp(0.8)
    gain, _ = known_gains(measure, judgments)
    returned = ContributedEntries.of(runs)
    curves = [model.curves(returned.mean_gain(gain, d), returned.deepest) for model in MODELS]
    found = estimators.parse("Uniform").gains(measure, runs, judgments, pool)
    for topic in range(len(runs.pairs.topics)):
        judged = judged_gains(judgments, runs, gain, topic)
        lists = rankings(runs, topic)
        of_topic = [curve[topic].tolist() for curve in curves]
        made = stages.two_stage(lists, judged, of_topic, twin, returned.deepest, None)
        for run in range(len(lists)):
            for at in range(runs.start[run, topic], runs.stop[run, topic]):
                doc = runs.pairs.name(int(runs.pair[at]))[1]
                wanted = judged.get(doc, made.gains[doc])
                assert found.gain[at] == pytest.approx(wanted, abs=1e-12)


@given(small=small_collections(n_docs=9, n_runs=4), seed=st.integers(0, 20))
@settings(max_examples=30)
def test_inferred_rbp(small: Small, seed: int) -> None:
    runs, everything = small.tables()
    pool = TwoStrata(d=1, deep=9, rate=0.5).pool(runs, seed)
    judged = pool.member & everything.judged
    judgments = pool.restrict(everything)
    chance = (pool.inclusion > 0) & (pool.inclusion < 1)
    if not (chance & ~judged).any():
        return
    measure, twin = RBP(p=0.8, k=9), plain.rbp(0.8)
    gain, _ = known_gains(measure, judgments)
    scores = value("InfRBP", measure, runs, judgments, pool)
    for topic in range(len(runs.pairs.topics)):
        known = judged_gains(judgments, runs, gain, topic)
        inside = {
            runs.pairs.name(int(at))[1]
            for at in np.flatnonzero((pool.inclusion == 1) & (runs.pairs.topic == topic))
        }
        # What the shallow stratum holds but nobody judged counts as judged worthless.
        pooled = {doc: known.get(doc, 0.0) for doc in inside}
        sampled = {doc: each for doc, each in known.items() if doc not in inside}
        for run, ranking in enumerate(rankings(runs, topic)):
            wanted = plain.inf_rbp(ranking, pooled, sampled, twin, 9)
            assert scores[run, topic] == pytest.approx(wanted, abs=1e-9)
