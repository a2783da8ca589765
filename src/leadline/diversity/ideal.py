"""The best list that the judged documents of a topic allow, made greedily, and shares of it."""

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np

from leadline.diversity.blocks import SubtopicBlock, subtopics_of
from leadline.diversity.intent_aware import Ends, IntentAware
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores
from leadline.tables.subtopic_grades import SubtopicGrades

CLOSE = 1e-12
"""Gains that differ by less are equal: sums in another order may differ in the last digits."""


class Normalised(IntentAware):
    """A measure as a share of what it gives to the ideal list; a subclass says which measure."""

    bounded: ClassVar[bool] = False
    alpha: float = 0.5

    def __post_init__(self) -> None:
        """A ValueError if a parameter makes no sense to the measure."""
        self.plain()

    @abstractmethod
    def plain(self) -> IntentAware:
        """The measure without the division."""

    @property
    def last_rank(self) -> int | None:
        """That of the measure without the division."""
        return self.plain().last_rank

    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """That of the measure without the division."""
        return self.plain().of_subtopics(block, max_grade, upper)

    def score(self, lists: Lists, interval: bool = True) -> Scores:
        """The ratio of the list's and the ideal list's score; there is no interval."""
        plain = self.plain()
        best = self._best(plain, lists)
        scores = plain.score(lists, interval=False)
        value = np.divide(
            scores.value, best, out=np.full(scores.value.shape, np.nan), where=best > 0
        )
        nothing = np.full(value.shape, np.nan)
        return replace(scores, measure=str(self), value=value, lower=nothing, upper=nothing)

    def _best(self, plain: IntentAware, lists: Lists) -> Floats:
        """The ideal list's score on each topic."""
        grades = subtopics_of(lists)
        key = ("best", str(self))
        if key not in grades.kept:
            of_ideal = replace(plain, judged_only=False)  # type: ignore[type-var]
            listed = ideal_lists(grades, self.alpha, self.rel, self.last_rank)
            grades.kept[key] = of_ideal.score(listed, interval=False).value[0]
        best: Floats = grades.kept[key]
        # Topics without judgments come after those of the grades, and have no ideal.
        return np.append(best, np.full(len(lists.topics) - len(best), np.nan))


def ideal_lists(grades: SubtopicGrades, alpha: float, rel: int, depth: int | None) -> Lists:
    """One list a topic, of the documents that bring something, best first."""
    order = greedy(grades, alpha, rel, depth)
    topic = grades.topic[order]
    place = np.argsort(topic, kind="stable")
    n_topics = len(grades.topics)
    bounds = np.searchsorted(topic[place], np.arange(n_topics + 1))
    n = len(order)
    return Lists(
        ("ideal",),
        grades.topics,
        bounds[None, :-1],
        bounds[None, 1:],
        np.ones(n, np.bool_),
        np.zeros(n, np.int16),
        np.zeros((n_topics, 2), np.int64),
        1,
        subtopics=grades,
        in_subtopics=order[place].astype(np.int32),
    )


def greedy(grades: SubtopicGrades, alpha: float, rel: int, depth: int | None) -> Int64s:
    """Documents, rank by rank and all topics side by side, that add most to alpha_DCG.

    Finding the best list is NP-hard; like ndeval, take at each rank the document that adds most,
    and of equals the one whose docno is last.
    """
    label = np.flatnonzero(grades.grade >= rel)
    if not len(label):
        return np.zeros(0, np.int64)
    doc, inverse = np.unique(grades.of_label[label], return_inverse=True)
    subtopic = grades.subtopic[label]
    starts = np.flatnonzero(np.diff(grades.topic[doc], prepend=-1))
    length = np.diff(np.append(starts, len(doc)))
    first_label = np.searchsorted(inverse, np.arange(len(doc) + 1))
    worth = grades.weight.copy()
    free = np.ones(len(doc), np.bool_)
    number = np.arange(len(doc))
    chosen: list[Int64s] = []
    while depth is None or len(chosen) < depth:
        adds = np.bincount(inverse, weights=worth[subtopic], minlength=len(doc)) * free
        most = np.maximum.reduceat(adds, starts)
        equal = adds >= np.repeat(most * (1 - CLOSE), length)
        best = np.maximum.reduceat(np.where(equal & free, number, -1), starts)[most > 0]
        if not len(best):
            break
        chosen.append(doc[best])
        free[best] = False
        spent = np.zeros(len(label), np.bool_)
        for at in best:
            spent[first_label[at] : first_label[at + 1]] = True
        worth[subtopic[spent]] *= 1 - alpha
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)
