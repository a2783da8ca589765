"""Runs read one after the other and scored as they come, for evaluate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.collection.checked_runs import CheckedRows, CheckedRuns
from leadline.collection.join import empty_lists, join
from leadline.collection.topics_seen import MissingTopics, UnjudgedTopics
from leadline.formats.ranking import Ranking
from leadline.formats.rows import Rows
from leadline.measures.measure import Measure
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.tables.topic_order import topic_order
from leadline.verbs.measure_groups import MeasureGroup

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class PartScores:
    """The scores of some runs, or of one run on some topics, and lists whose texts are to read."""

    scores: list[Scores]
    unread: list[tuple[Lists, pl.Series]]


@dataclass(frozen=True)
class RunScorer:
    """Scores runs as they are read."""

    groups: list[MeasureGroup]
    missing_topics: MissingTopics
    unjudged_topics: UnjudgedTopics

    def merged(self, checked: CheckedRuns[PartScores]) -> PartScores:
        """The scores of whole runs, which may have come in parts."""
        if not checked.cut:
            return checked.results[0]
        topics, group = checked.topics[0], self.groups[0]
        index = group.index.including(topics.unjudged if self.including else [])
        left = np.ones(len(group.index.topics), np.bool_)
        left[list(topics.judged)] = False
        nothing = empty_lists(checked.names, group.index).on(left)
        scores = []
        for number, measure in enumerate(group.measures):
            beside = [part.scores[number] for part in checked.results]
            if left.any():
                beside.append(score_lists(measure, nothing, self.missing_topics))
            scores.append(Scores.beside(beside).over(index.topics))
        return PartScores(scores, [])

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

    def score(self, part: CheckedRows) -> PartScores:
        """The scores of all runs in some rows, of a run that is cut on the topics it has here."""
        names, rows, ranking = part.names, part.rows, part.ranking
        scores: list[Scores] = []
        unread: list[tuple[Lists, pl.Series]] = []
        unknown = []
        if self.including:
            unknown = list({topic: None for run in part.topics for topic in run.unjudged})
        for group in self.groups:
            if group.reader is not None:
                unread.append(_top(group, names, rows, ranking))
                continue
            index = group.index.including(unknown)
            lists = join(names, rows, ranking, index, group.subtopics)
            lists = lists.on(lists.length.max(axis=0) > 0) if part.cut else lists
            scores += [score_lists(each, lists, self.missing_topics) for each in group.measures]
        return PartScores(scores, unread)


def _top(
    group: MeasureGroup, names: list[str], rows: Rows, ranking: Ranking
) -> tuple[Lists, pl.Series]:
    """The ranks that will be read, and the names of their documents."""
    lists = join(names, rows, ranking, group.index, group.subtopics)
    top = lists.top(group.depth)
    row = ranking.arrange(np.arange(len(rows)))[top]
    return lists.only(top), rows.doc.gather(row).series


def score_lists(measure: Measure, lists: Lists, missing_topics: MissingTopics) -> Scores:
    """The scores of lists; undefined on topics that a run lacks if those are skipped."""
    scores = measure.score(lists)
    if missing_topics == "lowest" or (lists.length > 0).all():
        return scores
    return scores.without(lists.length == 0)
