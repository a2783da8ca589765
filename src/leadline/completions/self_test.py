"""Self-test of estimators: the deeper half of a pool is hidden, and its scores are estimated."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from leadline.completions.coverage import gamma
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.data.arrays import Bools, Floats
from leadline.data.lists import Lists
from leadline.data.scores import SCORE_NOISE, Scores
from leadline.io.problems import Progress

CANDIDATES = (
    "LowerBound",
    "ListMean",
    "Linear",
    "Zipf",
    "Weibull",
    "Uniform",
    "TwoStage(fit=scores)",
    "TwoStage",
    "TwoStage(group_by=runs)",
    "Regression",
)
THRESHOLDS = tuple(round(0.002 * step, 3) for step in range(26))
"""Values of theta that are tried, those of Lu, Moffat and Culpepper's Figure 3."""

COLUMNS = ("estimator", "rmse", "ci_lower", "ci_upper", "inside", "depth", "shallow")


def self_test(
    evidence: TrainingData,
    names: Sequence[str | Estimator] = CANDIDATES,
    progress: Progress | None = None,
    *,
    shallow: int | None = None,
    thetas: Sequence[float] = THRESHOLDS,
) -> pl.DataFrame:
    """Return how far each estimator errs on what the deeper half of the pool says, best first.

    The pool's depth, or the measure's where that is less, is halved, unless `shallow` says where it
    is cut. Estimators see the shallow part and are compared with the scores, to the whole depth, by
    all of the pool. `rmse` is that of Lu, Moffat and Culpepper's Table 2:
    the mean over topics of the root mean square over runs of the distance from the interval of the
    reference (their Eq. 3), with Student's 95% interval over topics; `inside` is the share of
    scores within that interval. An estimator without a theta of its own has that of `thetas` with
    the least error.
    """
    measure = evidence.weighted
    depth = min(evidence.depth, measure.depth or evidence.depth)
    shallow = depth // 2 if shallow is None else shallow
    if not 0 < shallow < depth:
        raise ValueError(
            f"the pool, as deep as {measure} looks, is judged to rank {depth} only: a self-test "
            "needs a depth of 2 or more, to hide the deeper half"
        )
    runs = evidence.runs.only(evidence.pooled_runs.mask)
    best, judgments = runs.best_rank, evidence.judgments
    cut = runs.cut(depth)
    truth = measure.score(Lists.of(cut, judgments.only(best <= depth)))
    known = TrainingData(measure, runs, judgments.only(best <= shallow), words=evidence.words)
    uneven = gamma(known)
    lowest = _by_topic(_scores(estimators.parse("LowerBound"), known, depth), truth)
    rows: list[tuple[str, Floats, Floats]] = []
    # The same estimator with several thetas is fitted once.
    fitted = {"LowerBound": lowest}
    for done, name in enumerate(names):
        estimator = estimators.parse(name) if isinstance(name, str) else name
        whole = _unlimited(estimator)
        if str(whole) not in fitted:
            fitted[str(whole)] = _by_topic(_scores(whole, known, depth), truth)
        error, inside = fitted[str(whole)]
        tried = (estimator.theta,) if estimator.theta else thetas
        rows.append(_best(estimator, (error, inside), lowest, uneven, tried))
        if progress is not None:
            progress(done + 1, len(names))
    told = [
        (name, *_interval(error), float(inside.mean()), depth, shallow)
        for name, error, inside in rows
    ]
    return pl.DataFrame(told, schema=list(COLUMNS), orient="row").sort("rmse", maintain_order=True)


def _unlimited(estimator: Estimator) -> Estimator:
    """The estimator that adjusts all topics: which ones it should is looked at afterwards."""
    return estimator if not estimator.theta else replace(estimator, theta=0.0)  # type: ignore[type-var]


def _scores(estimator: Estimator, known: TrainingData, depth: int) -> Floats:
    """[runs, topics]: estimates to a depth; gains are learnt from whole lists.

    Bounds and ListMean speak of a residual that includes the tail beyond the depth.
    """
    if estimator.by_residual:
        return estimator.gains(known.but(runs=known.runs.cut(depth))).scores("").value
    gains = estimator.gains(known)
    inside: Bools = known.runs.entries.rank <= depth
    cut = known.but(runs=known.runs.cut(depth))
    nothing = np.zeros(cut.runs.start.shape)
    return EstimatedGains(cut, gains.gain[inside], nothing).scores("").value


def _by_topic(estimates: Floats, truth: Scores) -> tuple[Floats, Floats]:
    """Root mean square error over the runs, and the share inside the interval, of every topic."""
    error = np.maximum(np.maximum(truth.lower - estimates, estimates - truth.upper), 0.0)
    inside = error <= SCORE_NOISE
    return np.sqrt((np.where(inside, 0.0, error) ** 2).mean(axis=0)), inside.mean(axis=0)


def _best(
    estimator: Estimator,
    adjusted: tuple[Floats, Floats],
    lowest: tuple[Floats, Floats],
    uneven: Floats,
    thetas: Sequence[float],
) -> tuple[str, Floats, Floats]:
    """The estimator with the theta that errs least, if it has one: the first of equals."""
    if estimator.theta is None:
        return str(estimator), *adjusted
    found: list[tuple[float, Any]] = []
    for theta in thetas:
        chosen = (uneven > theta) | (theta == 0)
        parts = [np.where(chosen, mine, low) for mine, low in zip(adjusted, lowest, strict=True)]
        found.append((theta, parts))
    theta, (error, inside) = min(found, key=lambda each: float(each[1][0].mean()))
    return str(replace(estimator, theta=theta)), error, inside  # type: ignore[type-var]


def _interval(error: Floats) -> tuple[float, float, float]:
    """The mean over topics, and Student's 95% interval."""
    from scipy import stats

    n, mean = len(error), float(error.mean())
    if n < 2:
        return mean, float("nan"), float("nan")
    reach = float(stats.t.ppf(0.975, n - 1) * error.std(ddof=1) / n**0.5)
    return mean, max(0.0, mean - reach), mean + reach
