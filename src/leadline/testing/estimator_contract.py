"""What an estimator promises: gains that are possible, learnt from contributing runs alone."""

from dataclasses import replace

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.measures.rbp import RBP
from leadline.pools.strategy import PoolStrategy
from leadline.tables.lists import Lists
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.small_evidence import POOL, SAMPLED_POOL, evidence_of
from leadline.testing.violation import Violation, demand, no_errors

CLOSE = 1e-6
"""Fits that are found step by step differ by less when rows come in another order."""

MEASURE = RBP(p=0.8)


def check_estimator(estimator: Estimator | str, n: int = 20, seed: int = 0) -> None:
    """A Violation if the estimator breaks a promise on one of n small collections.

    Every entry has a gain between 0 and the largest; what is judged keeps its own; scores lie in
    the interval that is certain; neither the order of the runs nor a run that does not contribute
    changes anything. Half of the pools are to a depth, half are sampled below it. It may refuse
    evidence with a ValueError, but not that of three quarters of the collections.
    """
    estimator = check_name(estimators, estimator)
    refused = 0
    for at, small in enumerate(small_collections(n, seed, n_docs=12, n_runs=5)):
        strategy = POOL if at % 2 else SAMPLED_POOL
        small = replace(small, labelled=estimator.needs_labels)
        evidence = evidence_of(MEASURE, small, strategy)
        estimated = _gains(estimator, evidence, small)
        if estimated is None:
            refused += 1
            continue
        _check_gains(estimator, evidence, estimated, small)
        _check_run_order(estimator, estimated, small, strategy)
        _check_bystander(estimator, small, strategy)
    demand(refused <= 3 * n / 4, f"{estimator} refuses {refused} of {n} small collections")


def _gains(
    estimator: Estimator, evidence: Evidence, small: SmallCollection
) -> EstimatedGains | None:
    """The gains; None if the evidence is refused."""
    try:
        with no_errors(estimator, small):
            return estimator.gains(evidence)
    except Violation as violation:
        if isinstance(violation.__cause__, ValueError):
            return None
        raise


def _check_gains(
    estimator: Estimator, evidence: Evidence, estimated: EstimatedGains, small: SmallCollection
) -> None:
    most = evidence.max_gain
    for name, array in (("gains", estimated.gain), ("gains beyond a list's end", estimated.tail)):
        inside = (array >= 0) & (array <= most)
        demand(inside.all(), f"{name} of {estimator} must lie in [0, {most:g}], given {small}")
    own = evidence.known_gain[evidence.runs.pair][evidence.judged]
    kept = estimated.gain[evidence.judged] == own
    demand(kept.all(), f"{estimator} changes the gain of a judged document, given {small}")
    error = estimated.standard_error
    with np.errstate(invalid="ignore"):
        negative = error is not None and bool((error < 0).any())
    demand(not negative, f"{estimator} gives a negative standard error, given {small}")
    certain = MEASURE.score(Lists.of(evidence.runs, evidence.judgments))
    scores = estimated.scores(str(estimator))
    demand(scores.obtained == str(estimator), f"{estimator} must be named by its scores")
    outside = (scores.value < certain.lower - CLOSE) | (scores.value > certain.upper + CLOSE)
    demand(not outside.any(), f"{estimator} leaves the interval that is certain, given {small}")


def _check_run_order(
    estimator: Estimator, estimated: EstimatedGains, small: SmallCollection, strategy: PoolStrategy
) -> None:
    backwards = small.with_runs(list(small.runs)[::-1])
    other = _gains(estimator, evidence_of(MEASURE, backwards, strategy), backwards)
    what = f"{estimator} estimates otherwise when the runs are given backwards"
    demand(other is not None and _same(estimated, other), f"{what}, given {small}")


def _check_bystander(estimator: Estimator, small: SmallCollection, strategy: PoolStrategy) -> None:
    """A run that does not contribute teaches nothing about the others."""
    if len(small.runs) < 2:
        return
    *pooled, _ = small.runs
    mask = np.arange(len(small.runs)) < len(pooled)
    whole = evidence_of(MEASURE, small, strategy, mask)
    alone = whole.but(runs=whole.runs.only(mask), contributing=None)
    first, second = (_gains(estimator, evidence, small) for evidence in (whole, alone))
    if first is None or second is None:
        return
    n = len(alone.runs.pair)
    same = np.allclose(first.gain[:n], second.gain, rtol=0, atol=CLOSE)
    what = f"{estimator} learns from a run that does not contribute"
    demand(same, f"{what}, the last of {small}")


def _same(first: EstimatedGains, second: EstimatedGains) -> bool:
    one, other = (each.scores("") for each in (first, second))
    order = [other.runs.index(run) for run in one.runs]
    return np.allclose(one.value, other.value[order], rtol=0, atol=CLOSE, equal_nan=True)
