"""Which words make the gain: what each adds at each rank, for the subtopic that counts there."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.diversity.blocks import subtopics_of
from leadline.diversity.divergence import Divergence, top_documents
from leadline.diversity.language_model import ResultModels, subtopic_models
from leadline.tables.lists import Lists

SCHEMA = {
    "rank": pl.Int64,
    "doc": pl.String,
    "subtopic": pl.String,
    "gain": pl.Float64,
    "weight": pl.Float64,
    "word": pl.String,
    "part": pl.Float64,
}
LENGTH = "(length)"
"""Stands for a word where the part is what the growing length of the results takes away."""

BEFORE = "(before)"
"""Stands for a word where the part is what the rank before lacked to a gain of 0."""


@dataclass(frozen=True, eq=False)
class ListExplanation:
    """What a list scores on a topic, and why.

    `frame` has the columns rank, doc, subtopic, gain, weight, word, part: the gain at a rank is
    that of one subtopic, and the sum of its words' parts where that is above 0. A part is
    P(v|q) log(P(v|R_j) / P(v|D)) / KLD(q||D), for DELTA less that of the rank before. Two are no
    words: (length), what the growing length takes away from all words, and (before), what the rank
    before lacked to a gain of 0, which does not count as a rise.
    """

    score: float
    frame: pl.DataFrame

    def words(self) -> pl.DataFrame:
        """Columns subtopic, word, part: what each word brings to the score, most first."""
        weighed = pl.col("part") * pl.col("weight") * (pl.col("gain") > 0)
        table = self.frame.group_by("subtopic", "word").agg(part=weighed.sum())
        return table.sort("part", "word", descending=[True, False])


def explain_list(measure: Divergence, lists: Lists, run: int, topic: int) -> ListExplanation:
    """Why a run scores what it does on a topic; both by their number."""
    score = float(measure.score(lists).value[run, topic])
    empty = pl.DataFrame(schema=SCHEMA)
    if np.isnan(score):
        return ListExplanation(score, empty)
    assert lists.documents is not None
    grades, words = subtopics_of(lists), lists.documents.words(measure.how)
    models = subtopic_models(grades, words, lists.documents.learned, measure.mu, measure.rel)
    subtopic = np.arange(grades.first[topic], grades.first[topic + 1])
    subtopic = subtopic[models.known[subtopic]]
    docs, listed = top_documents(lists, topic, measure.k)
    depth = int(listed[run].sum())
    if depth == 0 or not len(subtopic):
        return ListExplanation(score, empty)
    doc = docs[run : run + 1, :depth]
    seen = ResultModels.of(doc, words, measure.mu)
    exact = seen.gains(models, subtopic, measure.mu)[0]
    gains = np.maximum(0.0, exact) if measure.clip else exact
    before = np.concatenate([np.zeros_like(gains[:1]), gains[:-1]]) if measure.rises else 0.0
    step = gains - before
    best = step.argmax(axis=1)
    weights = measure.weights(depth)
    names = lists.documents.names
    rows = []
    for rank in range(depth):
        which = subtopic[best[rank]]
        table = seen.counts(models, subtopic[best[rank] : best[rank] + 1])[:, 0]
        model = (table + measure.mu * words.background[seen.words]) / (
            models.length[which] + measure.mu
        )
        parts = {
            upto: np.bincount(
                seen.word[seen.cell <= upto],
                weights=seen.rise[seen.cell <= upto],
                minlength=len(seen.words),
            )
            for upto in {rank, rank - 1 if measure.rises else -1}
        }
        risen = (parts[rank] - parts[rank - 1 if measure.rises else -1]) * model
        shrunk = seen.dilution[0, rank]
        if measure.rises and rank:
            shrunk -= seen.dilution[0, rank - 1]
        told = {
            "rank": rank + 1,
            "doc": None if doc[0, rank] < 0 else names[int(doc[0, rank])],
            "subtopic": grades.names[which],
            "gain": max(0.0 if measure.rises else -np.inf, float(step[rank, best[rank]])),
            "weight": float(weights[rank]),
        }
        at = np.flatnonzero(risen)
        table_words = words.words.gather(seen.words[at])
        lacked = 0.0
        if measure.clip and measure.rises and rank:
            lacked = min(0.0, float(exact[rank - 1, best[rank]]))
        part = np.append(risen[at], -shrunk) / models.divergence[which]
        named = [*table_words, LENGTH, BEFORE]
        frame = pl.DataFrame({"word": named, "part": np.append(part, lacked)})
        frame = frame.filter((pl.col("word") != BEFORE) | (pl.col("part") < 0))
        frame = frame.sort("part", descending=True)
        rows.append(
            frame.select(
                *(pl.lit(value, SCHEMA[name]).alias(name) for name, value in told.items()),
                "word",
                "part",
            )
        )
    return ListExplanation(score, pl.concat(rows))
