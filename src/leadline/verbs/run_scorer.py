"""Runs read one after the other and scored as they come, for evaluate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from leadline.collection.inputs import NamedRun
from leadline.collection.join import empty_lists, join
from leadline.collection.run_stream import Part, RunStream
from leadline.collection.topics_seen import Missing, RunTopics, Unjudged
from leadline.files.problems import Notices
from leadline.formats.ranking import Ranking, Ranks, rank, say_float32_ties
from leadline.formats.read_options import Reading
from leadline.formats.rows import Rows
from leadline.measures.measure import Measure
from leadline.tables.arrays import Int64s
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.tables.topic_order import topic_order
from leadline.verbs.measure_groups import MeasureGroup

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ScoredRuns:
    """What some runs give, or one run on some topics; `float32_ties` counts those of each run."""

    runs: list[str]
    scores: list[Scores]
    unread: list[tuple[Lists, pl.Series]]
    topics: list[RunTopics]
    float32_ties: Int64s
    notices: Notices

    def said(self) -> ScoredRuns:
        """These, with what there is to say about ties."""
        for run, n_ties in zip(self.runs, self.float32_ties.tolist(), strict=True):
            say_float32_ties(run, n_ties, self.notices)
        return self


@dataclass(frozen=True)
class RunScorer:
    """Reads and scores runs."""

    groups: list[MeasureGroup]
    ranks: Ranks
    missing_topics: Missing
    unjudged_topics: Unjudged
    reading: Reading

    def all(self, stream: RunStream) -> Iterator[ScoredRuns]:
        """The runs in their order."""
        for batch, parts in stream:
            scored = self.together([run.name for run in batch], parts)
            yield from map(self.one, batch) if scored is None else [scored.said()]

    def one(self, run: NamedRun) -> ScoredRuns:
        """A run that needs a closer look, or is alone."""
        reading = replace(self.reading, notices=Notices())
        rows = run.rows(reading)
        return self.score([run.name], rows, rank(rows, self.ranks), reading.notices).said()

    def together(self, names: list[str], parts: Iterator[Part]) -> ScoredRuns | None:
        """Runs as they were read ahead; None if they need a closer look."""
        scored, cut = [], False
        for part in parts:
            # Only now, because whoever reads has more to do than whoever scores.
            if part.rows is None or part.ranking is None or not part.rows.are_sound():
                return None
            cut = part.cut
            scored.append(self.score(names, part.rows, part.ranking, Notices(), cut))
        return self.merged(names, scored) if cut else scored[0]

    def merged(self, names: list[str], parts: list[ScoredRuns]) -> ScoredRuns | None:
        """The parts of a run; None if a topic comes in two of them."""
        topics = RunTopics.union([part.topics[0] for part in parts])
        if topics is None:
            return None
        group = self.groups[0]
        index = group.index.including(topics.unjudged if self.including else [])
        left = np.ones(len(group.index.topics), np.bool_)
        left[list(topics.judged)] = False
        nothing = empty_lists(names, group.index).on(left)
        scores = []
        for number, measure in enumerate(group.measures):
            beside = [part.scores[number] for part in parts]
            if left.any():
                beside.append(score_lists(measure, nothing, self.missing_topics))
            scores.append(Scores.beside(beside).over(index.topics))
        ties = np.sum([part.float32_ties for part in parts], axis=0)
        return ScoredRuns(names, scores, [], [topics], ties, Notices())

    def aligned(self, measure: Measure, parts: list[Scores]) -> list[Scores]:
        """All parts over the same topics, whichever of them were read together.

        They differ only in topics without judgments. A run that does not return one scores on it as
        on any topic that it does not return.
        """
        if not self.including:
            return parts
        topics = tuple(topic_order({topic for part in parts for topic in part.topics}))
        index = self.groups[0].index
        index = index.including([topic for topic in topics if topic not in set(index.topics)])
        over = []
        for part in parts:
            left = ~np.isin(np.array(index.topics), np.array(part.topics))
            both = [part]
            if left.any() and measure.needs == "judgments":
                nothing = empty_lists(part.runs, index).on(left)
                both.append(score_lists(measure, nothing, self.missing_topics))
            over.append(Scores.beside(both).over(topics))
        return over

    @property
    def including(self) -> bool:
        """Whether topics without judgments are scored."""
        return self.unjudged_topics == "include"

    def score(
        self,
        names: list[str],
        rows: Rows,
        ranking: Ranking,
        notices: Notices,
        part: bool = False,
    ) -> ScoredRuns:
        """The scores of all runs in the rows, of a `part` on the topics that it has."""
        topics = RunTopics.of(rows, ranking, self.groups[0].index)
        ties = np.bincount(rows.run_of(ranking.made), minlength=len(names))
        scores: list[Scores] = []
        unread: list[tuple[Lists, pl.Series]] = []
        unknown = []
        if self.including:
            unknown = list({topic: None for each in topics for topic in each.unjudged})
        for group in self.groups:
            if group.reader is not None:
                unread.append(_top(group, names, rows, ranking))
                continue
            index = group.index.including(unknown)
            lists = join(names, rows, ranking, index, group.subtopics)
            lists = lists.on(lists.length.max(axis=0) > 0) if part else lists
            scores += [score_lists(each, lists, self.missing_topics) for each in group.measures]
        return ScoredRuns(names, scores, unread, topics, ties, notices)


def _top(
    group: MeasureGroup, names: list[str], rows: Rows, ranking: Ranking
) -> tuple[Lists, pl.Series]:
    """The ranks that will be read, and the names of their documents."""
    lists = join(names, rows, ranking, group.index, group.subtopics)
    top = lists.top(group.depth)
    row = ranking.arrange(np.arange(len(rows)))[top]
    return lists.only(top), rows.doc.gather(row).series


def score_lists(measure: Measure, lists: Lists, missing_topics: Missing) -> Scores:
    """The scores of lists; undefined on topics that a run lacks if those are skipped."""
    scores = measure.score(lists)
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)
