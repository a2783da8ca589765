"""explain: which words make the score of a measure that reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import numpy as np
import polars as pl

from leadline.api.evaluate import evaluate
from leadline.api.result import Result
from leadline.api.shared_options import InputFile, ReadOptions, Texts, TextsRule, complete
from leadline.data.lists import Lists
from leadline.io.documents import documents_in
from leadline.io.inputs import (
    collection_inputs,
    is_collection,
    names_after_folder,
    picked_names,
    runs_from,
)
from leadline.io.problems import InputError, Notices, Progress
from leadline.measures.measure import parse_measure
from leadline.measures.subtopic_lists import subtopics_of
from leadline.measures.text_diversity import (
    Divergence,
    ResultModels,
    subtopic_models,
    top_documents,
)
from leadline.options import Option

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


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


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """The words that make a score, the `words` first of each rank, and the score itself."""

    of_list: ListExplanation
    words: int | None = None
    notices: Notices = field(default_factory=Notices)

    @property
    def score(self) -> float:
        """What the run scores on the topic."""
        return self.of_list.score

    @cached_property
    def frame(self) -> pl.DataFrame:
        """Columns rank, doc, subtopic, gain, weight, word, part."""
        frame = self.of_list.frame
        if self.words is None:
            return frame
        return frame.group_by("rank", maintain_order=True).head(self.words)

    def chart(self) -> alt.TopLevelMixin:
        """A panel for each rank that has a gain, a bar for what each word adds to it."""
        from leadline.views.charts import MOST_WORDS, word_bars

        title = f"Words behind a score of {self.score:.4f}"
        return word_bars(self.of_list.frame, title, self.words or MOST_WORDS)

    def table(self) -> RenderableType:
        """One row a rank."""
        from leadline.views.tables import words_table

        return words_table(self.of_list.frame, self.words or len(self.of_list.frame))


def explain(
    qrels: Any,
    runs: Any = None,
    *,
    run: str,
    topic: str,
    measure: Annotated[str | Divergence, Option("-m --measure")] = "DELTArb@20",
    words: Annotated[int | None, Option(least=1, default="5, in Python all")] = None,
    pool: InputFile = None,
    intents: InputFile = None,
    docs: Texts = None,
    subtopic_docs: Texts = None,
    statistics: Texts = None,
    missing_docs: TextsRule = "skip",
    progress: Progress | None = None,
    **read_options: Unpack[ReadOptions],
) -> Explanation:
    """Columns rank, doc, subtopic, gain, weight, word, part of a run on a topic.

    qrels, runs: as for `evaluate`.
    run: the run's name.
    topic: the topic.
    measure: a measure that reads documents.
    words: words to show for each rank.
    pool, intents, docs, subtopic_docs, statistics, missing_docs: as for `evaluate`.
    progress: as for `evaluate`.
    read_options: how to read, for instance topics or run_names: see `ReadOptions`.
    """
    made = parse_measure(measure)
    if not isinstance(made, Divergence):
        raise ValueError(f"only measures that read documents can be explained, {made} does not")
    read_options = complete(read_options)
    run_names = read_options.pop("run_names")
    if is_collection(qrels):
        _number(run, picked_names(run_names, qrels.runs.names))
        number = _number(run, list(qrels.runs.names))
        given: Any = qrels
        one = None
    else:
        runs, run_names = names_after_folder(qrels, runs, run_names)
        if runs is None:
            folder = Path(qrels)
            qrels, runs = collection_inputs(folder, need_qrels=False, subtopics=True)
            docs = docs or documents_in(folder)
        named = {each.name: each for each in runs_from(runs)}
        _number(run, picked_names(run_names, list(named)))
        given, one, number = qrels, {run: named[run].what}, 0
    result = evaluate(
        given,
        one,
        made,
        pool=pool,
        intents=intents,
        docs=docs,
        subtopic_docs=subtopic_docs,
        statistics=statistics,
        missing_docs=missing_docs,
        progress=progress,
        **read_options,
    )
    assert result.lists is not None
    if topic not in result.lists.topics:
        raise InputError.of("", "no-topic", f"topic {topic} has no judgments per subtopic")
    found = explain_list(made, result.lists, number, result.lists.topics.index(topic))
    return Explanation(found, words, result.notices)


def _number(run: str, names: list[str]) -> int:
    if run not in names:
        some = ", ".join(names[:10])
        raise InputError.of("", "no-run", f"there is no run named {run}: choose one of {some}")
    return names.index(run)
