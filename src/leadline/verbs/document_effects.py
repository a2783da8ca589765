"""Which unjudged documents decide what estimates say, and for whom."""

import numpy as np
import polars as pl

from leadline.estimators.estimated_gains import EstimatedGains

RUNS_NAMED = 3
"""Runs that are named for each document."""


def document_effects(topic: str, estimated: EstimatedGains) -> pl.DataFrame:
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
    unjudged = (runs.entries.topic == number) & ~estimated.evidence.judged
    pair = runs.pair[unjudged].astype(np.int64)
    run = runs.entries.run[unjudged]
    weight = estimated.evidence.weight[unjudged]
    frame = pl.DataFrame(
        {
            "pair": pair,
            "run": pl.Series(runs.names, dtype=pl.String).gather(run),
            "weight": weight,
            "effect": weight * estimated.gain[unjudged],
            "gain": estimated.gain[unjudged],
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
            moved=shown.head(RUNS_NAMED).str.join(", "),
        )
        .sort("effect", "pair", descending=[True, False])
    )
    doc = runs.pairs.docs_of(rows["pair"].to_numpy()).series
    return rows.select(
        pl.lit(topic).alias("topic"), doc.alias("doc"), "gain", "runs", "effect", "moved"
    )
