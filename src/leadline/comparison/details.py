"""Effect sizes, intervals over topics, and what it would take to be sure of a difference."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from leadline.comparison.power import JudgmentsNeeded, effect_size, topic_interval, topics_needed
from leadline.files.problems import Progress
from leadline.intervals.entry_weights import weighty_heads
from leadline.intervals.joint import max_gain, open_entries
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats

if TYPE_CHECKING:
    from leadline.comparison.pairwise import Pairwise


def details_of(pairs: "Pairwise", progress: Progress | None = None) -> dict[str, Any]:
    """Columns n_topics, effect, ci_lower, ci_upper, topics_needed, judgments_needed.

    All about what was tested, as first minus second. Judgments are counted for weighted measures
    only: for others no judgment closes the interval for certain.
    """
    sign = np.where(pairs.difference < 0, -1.0, 1.0)
    rows = pairs.outcome.rows * sign[:, None]
    effect = effect_size(rows)
    low, high = topic_interval(rows, pairs.level)
    whole = {
        "topics_needed": topics_needed(effect, pairs.level, pairs.tails),
        "judgments_needed": judgments_needed(pairs, progress),
    }
    return {
        "n_topics": pairs.n_topics,
        "effect": effect,
        "ci_lower": low,
        "ci_upper": high,
        **{name: pl.Series(each).fill_nan(None).cast(pl.Int64) for name, each in whole.items()},
    }


def judgments_needed(pairs: "Pairwise", progress: Progress | None = None) -> Floats:
    """Judgments after which the sign of each difference of scores would be certain."""
    measure = pairs.measure
    needed = np.full(len(pairs.first), np.nan)
    if not isinstance(measure, Weighted) or measure.judged_only:
        return needed
    most = max_gain(measure, pairs.judgments)
    entries = open_entries(pairs.runs, pairs.judgments, measure)
    until = JudgmentsNeeded(entries, most, len(pairs.scores.topics), len(pairs.scores.runs))
    mean, closed = pairs.scores.mean(), _judged_weight(pairs, measure) * most
    for at, (a, b) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        judged = closed[a] + closed[b]
        rate = (mean[a] + mean[b]) / judged if judged > 0 else np.nan
        needed[at] = until.certain(a, b, mean[a] - mean[b], rate)
        if progress is not None:
            progress(at + 1, len(needed))
    return needed


def _judged_weight(pairs: "Pairwise", measure: Weighted) -> Floats:
    """Weight of each run's judged documents, mean over topics."""
    heads = weighty_heads(pairs.runs, measure)
    n_runs, n_topics = heads.length.shape
    weight = measure.weights(int(heads.length.max(initial=0)))[heads.entries.rank - 1]
    weight[~pairs.judgments.judged[heads.pair]] = 0.0
    total = np.bincount(heads.entries.run, weights=weight, minlength=n_runs).astype(np.float64)
    mean: Floats = total / max(n_topics, 1)
    return mean
