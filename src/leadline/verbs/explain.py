"""explain: which words make the score of a measure that reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from leadline.collection.inputs import TopicNames, collection_inputs, is_collection, runs_from
from leadline.diversity.divergence import Divergence
from leadline.diversity.explain import ListExplanation, explain_list
from leadline.files.problems import InputError, Notices, Progress
from leadline.formats.document_files import documents_in
from leadline.formats.ranking import Ranks
from leadline.formats.read_options import MissingDocs
from leadline.measures.measure import parse_measure
from leadline.verbs.evaluate import evaluate
from leadline.verbs.result import Result

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType


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
        from leadline.presentation.charts.word_bars import MOST_WORDS, word_bars

        title = f"Words behind a score of {self.score:.4f}"
        return word_bars(self.of_list.frame, title, self.words or MOST_WORDS)

    def table(self) -> RenderableType:
        """One row a rank."""
        from leadline.presentation.terminal.words_table import words_table

        return words_table(self.of_list.frame, self.words or len(self.of_list.frame))


def explain(
    qrels: Any,
    runs: Any = None,
    *,
    run: str,
    topic: str,
    measure: str | Divergence = "DELTArb@20",
    words: int | None = None,
    ranks: Ranks = "score",
    lenient: bool = False,
    map_grades: Mapping[int, int] | None = None,
    topics: TopicNames = None,
    pool: Any = None,
    intents: Any = None,
    docs: Any = None,
    subtopic_docs: Any = None,
    statistics: str | os.PathLike[str] | None = None,
    missing_docs: MissingDocs = "skip",
    progress: Progress | None = None,
) -> Explanation:
    """Columns rank, doc, subtopic, gain, weight, word, part of a run on a topic.

    run, topic: their names.
    measure: one that reads documents.
    words: only so many of each rank.

    The inputs and other options are those of `evaluate`.
    """
    made = parse_measure(measure)
    if not isinstance(made, Divergence):
        raise ValueError(f"only measures that read documents can be explained, {made} does not")
    if is_collection(qrels):
        number = _number(run, list(qrels.runs.names))
        given: Any = qrels
        one = None
    else:
        if runs is None:
            folder = Path(qrels)
            qrels, runs = collection_inputs(folder, need_qrels=False, subtopics=True)
            docs = docs or documents_in(folder)
        named = {each.name: each for each in runs_from(runs)}
        _number(run, list(named))
        given, one, number = qrels, {run: named[run].what}, 0
    result = evaluate(
        given,
        one,
        made,
        ranks=ranks,
        lenient=lenient,
        map_grades=map_grades,
        topics=topics,
        pool=pool,
        intents=intents,
        docs=docs,
        subtopic_docs=subtopic_docs,
        statistics=statistics,
        missing_docs=missing_docs,
        progress=progress,
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
