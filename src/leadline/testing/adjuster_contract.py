"""What an adjuster promises: an amount for each new run that its company does not change."""

import numpy as np

from leadline.adjusters.adjuster import Adjuster, adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.measures.measure import Measure
from leadline.measures.precision import P
from leadline.tables.arrays import Floats
from leadline.testing.naming_contract import check_name
from leadline.testing.small_collection import SmallCollection, small_collections
from leadline.testing.small_evidence import bias_of
from leadline.testing.violation import Violation, demand, no_errors

CLOSE = 1e-6
N_NEW = 2
MEASURE = P(k=4)


def check_adjuster(
    adjuster: Adjuster | str,
    measure: Measure = MEASURE,
    n: int = 20,
    seed: int = 0,
) -> None:
    """A Violation if the adjuster breaks a promise on one of n small collections.

    Every new run gets a finite amount, none if all its documents are judged; neither the order of
    the runs nor the other new runs change it; the adjuster says what it assumes. It may refuse a
    measure or thin evidence with a ValueError, but not on more than half of the collections.
    """
    adjuster = check_name(adjusters, adjuster)
    refused = 0
    for small in small_collections(n, seed, n_docs=12, n_topics=4, n_runs=8):
        if len(small.runs) <= N_NEW + 1:
            refused += 1
            continue
        new = list(small.runs)[-N_NEW:]
        evidence = bias_of(measure, small, new)
        amounts = _amounts(adjuster, evidence, small)
        if amounts is None:
            refused += 1
            continue
        _check_adjusted(adjuster, evidence, amounts, small)
        backwards = small.with_runs(list(small.runs)[::-1])
        other = _amounts(adjuster, bias_of(measure, backwards, new), backwards)
        _demand_same(amounts, None if other is None else other[::-1], adjuster, small, "backwards")
        alone = small.with_runs([run for run in small.runs if run != new[1]])
        fewer = _amounts(adjuster, bias_of(measure, alone, new[:1]), alone)
        _demand_same(amounts[:1], fewer, adjuster, small, f"without {new[1]}")
    demand(refused <= n / 2, f"{adjuster} refuses {refused} of {n} small collections")


def _amounts(adjuster: Adjuster, evidence: PoolBias, small: SmallCollection) -> Floats | None:
    """What is added to each new run; None if the evidence is refused."""
    try:
        with no_errors(adjuster, small):
            adjuster.check(evidence)
            amounts = adjuster.amounts(evidence)
    except Violation as violation:
        if isinstance(violation.__cause__, ValueError):
            return None
        raise
    demand(
        amounts.shape == (len(evidence.new_names),) and np.isfinite(amounts).all(),
        f"{adjuster} must give each of {evidence.new_names} a number, not {amounts}, given {small}",
    )
    return amounts


def _check_adjusted(
    adjuster: Adjuster, evidence: PoolBias, amounts: Floats, small: SmallCollection
) -> None:
    explained = adjuster.explain(evidence)
    demand(explained and all(explained), f"{adjuster} must say what it assumes, given {small}")
    with no_errors(adjuster, small):
        adjusted = adjuster.adjust(evidence, random=np.random.default_rng(0))
    demand(adjusted.adjuster == str(adjuster), f"{adjuster} must be named by what it adjusts")
    with np.errstate(invalid="ignore"):
        upside_down = adjusted.pred_lower > adjusted.pred_upper + CLOSE
    demand(
        not upside_down.any(), f"{adjuster} gives an interval that ends below its start: {small}"
    )
    withheld = np.isnan(adjusted.pred_lower) | np.isnan(adjusted.pred_upper)
    demand(
        np.isnan(adjusted.standard_error[withheld]).all(),
        f"{adjuster} gives a standard error where it withholds the interval: {small}",
    )
    complete = (adjusted.unjudged == 0) & (evidence.trusted is None or not adjuster.takes_trusted)
    what = f"{adjuster} changes a run of which all is judged"
    demand(not adjusted.adjustment[complete].any(), f"{what}, given {small}")


def _demand_same(
    amounts: Floats, other: Floats | None, adjuster: Adjuster, small: SmallCollection, how: str
) -> None:
    same = other is not None and np.allclose(amounts, other, rtol=0, atol=CLOSE)
    what = f"{adjuster} adds {other} instead of {amounts} to the new runs when runs are given {how}"
    demand(same, f"{what}, given {small}")
