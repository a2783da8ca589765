"""How good an answer is: every figure of the league, from an answer and the truth."""

import numpy as np

from leadline.comparison.hypothesis_test import DEFAULT_TEST, tests
from leadline.comparison.rank_correlation import kendall, tau_ap
from leadline.leagues.question import Reply, Truth
from leadline.tables.arrays import Floats, Int64s

N_BEST = 20
"""Differences are those among so many of the truly best runs."""

FEWEST_RUNS = 5
"""Fewer runs have no order to speak of."""

LEVEL = 0.05
TOP = 5

FIGURES = (
    "rmse",
    "bias",
    "tau",
    "coverage",
    "width",
    "regret",
    "tau_ap",
    "regret_five",
    "gap_rmse",
    "gap_coverage",
    "list_rmse",
    "list_bias",
    "significance_kept",
)
"""rmse, bias: of the mean scores. tau, tau_ap: of the order of the runs. coverage, width: of 95%
intervals of means. regret: how much worse the run named best is than the best; regret_five: the
mean of the five named against that of the best five. gap_*: of differences among the best runs.
list_*: of single lists. significance_kept: the share of pairs of which a t-test says the same."""


def figures(answer: Reply, truth: Truth) -> dict[str, float | None]:
    """Every figure by name; None where the answer does not tell.

    >>> answer = Reply(np.array([0.5, 0.2]), np.array([0.4, 0.1]), np.array([0.6, 0.3]))
    >>> found = figures(answer, Truth(np.array([0.3, 0.2]), np.array([[0.3], [0.2]])))
    >>> [round(found[name], 3) for name in ("rmse", "bias", "coverage", "width", "regret")]
    [0.141, 0.1, 0.5, 0.2, 0.0]
    """
    off = answer.value - truth.value
    found: dict[str, float] = {}
    if not answer.own_scale:
        found |= {"rmse": _root(off), "bias": float(off.mean())}
    if len(off) >= FEWEST_RUNS:
        found["tau"] = kendall(answer.value, truth.value)
        found["tau_ap"] = tau_ap(truth.value, answer.value)
        found["regret_five"] = _regret(answer, truth, TOP)
    if len(off) > 1:
        found["regret"] = _regret(answer, truth, 1)
        best = np.argsort(-truth.value, kind="stable")[:N_BEST]
        first, second = (best[side] for side in np.triu_indices(len(best), 1))
        gap = off[first] - off[second]
        if not answer.own_scale:
            found["gap_rmse"] = _root(gap)
        if answer.gap_margin is not None:
            found["gap_coverage"] = _held(gap, answer.gap_margin[first, second])
        if answer.by_topic is not None and truth.by_topic.shape[1] > 1:
            found["significance_kept"] = _kept(answer.by_topic, truth.by_topic, first, second)
    if answer.lower is not None and answer.upper is not None:
        slack = 1e-12
        held = (answer.lower <= truth.value + slack) & (truth.value <= answer.upper + slack)
        found["coverage"] = float(held.mean())
        found["width"] = float((answer.upper - answer.lower).mean())
    if answer.by_topic is not None and not answer.own_scale:
        of_lists = (answer.by_topic - truth.by_topic)[~np.isnan(truth.by_topic)]
        found["list_rmse"], found["list_bias"] = _root(of_lists), float(np.nanmean(of_lists))
    # JSON has no NaN.
    return {name: found[name] if np.isfinite(found.get(name, np.nan)) else None for name in FIGURES}


def _root(off: Floats) -> float:
    return float(np.sqrt(np.nanmean(off**2)))


def _held(off: Floats, margin: Floats) -> float:
    return float((np.abs(off) <= margin + 1e-12).mean())


def _regret(answer: Reply, truth: Truth, k: int) -> float:
    """What the k runs that are named fall short of the k best, on average.

    Runs that the answer has equal are named with equal chances: the mean over all ways is told.
    """
    value = np.round(answer.value, 12)
    last = np.sort(value)[-k]
    sure, tied = value > last, value == last
    share = (k - sure.sum()) / tied.sum()
    named = truth.value[sure].sum() + share * truth.value[tied].sum()
    # Sums in another order differ in the last digits.
    return max(0.0, round(float((np.sort(truth.value)[-k:].sum() - named) / k), 12))


def _kept(told: Floats, true: Floats, first: Int64s, second: Int64s) -> float:
    """The share of pairs on which a t-test over topics says the same: better, worse or neither."""
    said, right = (_verdicts(scores, first, second) for scores in (told, true))
    return float((said == right).mean())


def _verdicts(scores: Floats, first: Int64s, second: Int64s) -> Floats:
    difference = scores[first] - scores[second]
    p = tests.parse(DEFAULT_TEST).p(difference, 2, np.random.default_rng(0))
    verdict: Floats = np.where(p <= LEVEL, np.sign(np.nanmean(difference, axis=1)), 0.0)
    return verdict
