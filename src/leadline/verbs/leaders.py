"""Whether estimates agree about the best runs, and which documents decide it."""

import numpy as np
import polars as pl

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.tables.arrays import Floats
from leadline.tables.scores import Scores

N_LEADERS = 3
EQUAL = 1e-12
MOVED = 3
"""Runs that are named for each document."""


def leaders_line(scores: list[Scores]) -> str:
    """A warning where the estimates, or judged documents alone, order the leaders differently.

    The leaders are the first three of any of them. Empty where all agree.
    """
    first = scores[0]
    means = {"judged documents alone": np.nan_to_num(_mean_lower(first))}
    for each in scores:
        if each.obtained != "LB":
            means[each.obtained] = np.nan_to_num(each.mean())
    names = np.array(first.runs)
    orders = {name: np.argsort(-mean, kind="stable")[:N_LEADERS] for name, mean in means.items()}
    leaders = np.unique(np.concatenate(list(orders.values())))
    swapped = False
    reference = next(iter(means.values()))[leaders]
    for mean in means.values():
        gap, other = np.subtract.outer(reference, reference), mean[leaders]
        swapped |= bool(((gap > EQUAL) & (np.subtract.outer(other, other) < -EQUAL)).any())
    if not swapped:
        return ""
    told = "; ".join(f"{name}: {', '.join(names[order])}" for name, order in orders.items())
    return f"the order of the leaders depends on the estimator, do not rely on it. {told}"


def _mean_lower(scores: Scores) -> Floats:
    mean: Floats = np.nanmean(scores.lower, axis=1) if scores.lower.size else np.zeros(0)
    return mean


def explain(topic: str, estimated: EstimatedGains) -> pl.DataFrame:
    """Columns topic, doc, gain, runs, effect, moved: unjudged documents, those first that matter.

    `gain` is the estimate, a mean over lists by weight where they differ; `runs` how many return
    the document; `effect` what it adds to the scores of all runs on this topic together; `moved`
    names the runs that it moves most, with how much.
    """
    runs = estimated.evidence.runs
    if topic not in runs.pairs.topics:
        some = ", ".join(runs.pairs.topics[:5])
        raise ValueError(f"there is no topic {topic} here; the first are {some}")
    number = runs.pairs.topics.index(topic)
    mine = (runs.entries.topic == number) & ~estimated.evidence.judged
    pair = runs.pair[mine].astype(np.int64)
    run = runs.entries.run[mine]
    weight = estimated.evidence.weight[mine]
    frame = pl.DataFrame(
        {
            "pair": pair,
            "run": pl.Series(runs.names, dtype=pl.String).gather(run),
            "weight": weight,
            "effect": weight * estimated.gain[mine],
            "gain": estimated.gain[mine],
        }
    )
    shown = pl.col("run") + " +" + pl.col("effect").round(4).cast(pl.String)
    rows = (
        frame.sort("effect", "run", descending=[True, False])
        .group_by("pair", maintain_order=True)
        .agg(
            gain=pl.when(pl.col("weight").sum() > 0)
            .then(pl.col("effect").sum() / pl.col("weight").sum())
            .otherwise(pl.col("gain").mean()),
            runs=pl.len(),
            effect=pl.col("effect").sum(),
            moved=shown.head(MOVED).str.join(", "),
        )
        .sort("effect", "pair", descending=[True, False])
    )
    doc = runs.pairs.docs_of(rows["pair"].to_numpy()).series
    return rows.select(
        pl.lit(topic).alias("topic"), doc.alias("doc"), "gain", "runs", "effect", "moved"
    )
