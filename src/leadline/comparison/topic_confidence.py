"""Confidence intervals of means over topics: what other topics of the kind might have said."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.comparison.power import topic_interval
from leadline.tables.arrays import Floats
from leadline.tables.scores import Scores

N_DRAWS = 2000
SEED = 0
COLUMNS = ("ci_lower", "ci_upper", "ci_bootstrap_lower", "ci_bootstrap_upper")


@dataclass(frozen=True, eq=False)
class TopicConfidence:
    """For each run the ends by Student's t and by the bootstrap; NaN for fewer than two topics.

    t: mean -+ t(n - 1) sd / sqrt(n). Bootstrap: percentiles of the means of topics redrawn with
    replacement, 2,000 times, the same draws for all runs with as many topics. Both take unjudged
    documents as worthless: what these leave open is the certain interval, another doubt.
    """

    ci_lower: Floats
    ci_upper: Floats
    ci_bootstrap_lower: Floats
    ci_bootstrap_upper: Floats

    @classmethod
    def of(cls, scores: Scores, confidence: float) -> "TopicConfidence":
        """Of the means of scores; NaN throughout where they are added up in another way."""
        if scores.over_topics != "mean":
            nothing = np.full(len(scores.runs), np.nan)
            return cls(nothing, nothing, nothing, nothing)
        t = topic_interval(scores.value, 1 - confidence)
        return cls(*t, *_bootstrap(scores.value, confidence))

    def frame(self, scores: Scores) -> pl.DataFrame:
        """Columns run, topic, measure and the four ends, for the rows of means."""
        n = len(scores.runs)
        keys = {"run": list(scores.runs), "topic": ["all"] * n, "measure": [scores.measure] * n}
        text = dict.fromkeys(keys, pl.String)
        ends = {name: getattr(self, name) for name in COLUMNS}
        table = pl.DataFrame({**keys, **ends}, schema_overrides=text)
        return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def with_confidence(frame: pl.DataFrame, scores: list[Scores], confidence: float) -> pl.DataFrame:
    """The frame of these scores, with the four ends as its last columns."""
    parts = [TopicConfidence.of(each, confidence).frame(each) for each in scores]
    on = ["run", "topic", "measure"]
    return frame.join(pl.concat(parts), on=on, how="left", maintain_order="left")


def _bootstrap(value: Floats, confidence: float) -> tuple[Floats, Floats]:
    ends = np.full((2, len(value)), np.nan)
    shares = [(1 - confidence) / 2, (1 + confidence) / 2]
    draws: dict[int, Floats] = {}
    for run, row in enumerate(value):
        known = row[~np.isnan(row)]
        n = len(known)
        if n < 2:
            continue
        if n not in draws:
            random = np.random.default_rng([SEED, n])
            draws[n] = random.multinomial(n, np.full(n, 1 / n), N_DRAWS) / n
        ends[:, run] = np.quantile(draws[n] @ known, shares)
    return ends[0], ends[1]
