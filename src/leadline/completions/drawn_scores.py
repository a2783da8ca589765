"""Scores as they might be: one for every draw of the grades of unjudged documents."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from leadline.data.arrays import Floats, Int16s, Int64s, freeze
from leadline.data.lists import CompleteBlock, Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.scores import Scores, mean_over_topics
from leadline.measures.measure import Measure

if TYPE_CHECKING:
    from leadline.completions.estimator import TrainingData


CELLS = 1 << 22
"""Grades in a block: those of all draws of some lists."""


def drawable(measure: Measure) -> bool:
    """Whether a measure can be scored by drawn grades: it has an interval, by judgments alone."""
    plain = measure.needs == "judgments" and measure.over_topics == "mean"
    return plain and measure.bounded and not measure.judged_only


@dataclass(frozen=True, eq=False)
class DrawnScores:
    """draws [draws, runs, topics]: the measure of every list in every draw, NaN if undefined.

    Draws of all lists go together: in one draw a document has one grade, whoever returns it, where
    the method says so. `doubts` are the reasons not to rely on any of it; with one, or without
    `intervals`, no error is offered.
    """

    remarks: ClassVar[tuple[str, ...]] = ()

    evidence: "TrainingData"
    draws: Floats
    doubts: tuple[str, ...] = ()
    intervals: bool = True

    def __post_init__(self) -> None:
        shape = (len(self.draws), *self.evidence.runs.start.shape)
        freeze(self, np.float64, shape, "draws")

    def means(self) -> Floats:
        """[draws, runs]: the mean over the topics on which the measure is defined in a draw."""
        n_draws, n_runs, n_topics = self.draws.shape
        return mean_over_topics(self.draws.reshape(-1, n_topics)).reshape(n_draws, n_runs)

    def scores(self, name: str) -> Scores:
        """Return the mean of the draws inside the bounds, with their spread as the error.

        `name` tells how the scores were obtained.
        """
        evidence, shape = self.evidence, self.draws.shape[1:]
        certain = evidence.measure.score(Lists.of(evidence.runs, evidence.judgments))
        by_list = self.draws.reshape(len(self.draws), -1).T
        value = mean_over_topics(by_list)
        if len(self.draws) < 2:
            return certain.estimated(value.reshape(shape), name, None, None)
        means = np.nan_to_num(self.means())
        of_mean = MeanEstimate.of_draws(means.mean(axis=0), means)
        if self.doubts or not self.intervals:
            of_mean = of_mean.withhold(self.doubts[0] if self.doubts else "")
            return certain.estimated(value.reshape(shape), name, None, of_mean)
        spread = np.sqrt(mean_over_topics((by_list - value[:, None]) ** 2))
        # Equal draws have no error, not even that of the last digit.
        spread[(by_list == by_list[:, :1]).all(axis=1)] = 0.0
        return certain.estimated(value.reshape(shape), name, spread.reshape(shape), of_mean)


@dataclass(frozen=True, eq=False)
class ListPart:
    """Some lists of topics that follow each other: the pair at every rank, -1 beyond the end.

    `list` are their places in the flattened grid of runs and topics, `pair` [lists, ranks].
    """

    list: Int64s
    topic: Int64s
    pair: Int64s
    length: Int64s


class GradeDraws(ABC):
    """Grades of documents as they might be, drawn topic by topic, and the scores that follow.

    A subclass draws; in memory are never more than the draws of some lists.
    """

    def __init__(self, evidence: "TrainingData", n: int) -> None:
        self.evidence, self.n = evidence, n
        self.n_grades = evidence.judgments.max_grade + 1

    @abstractmethod
    def prepare(self, topics: slice) -> None:
        """The topics whose lists come next; all parts of them follow before the next call."""

    @abstractmethod
    def grades(self, part: ListPart) -> tuple[Int16s, Int64s]:
        """[draws, lists, ranks]: a grade for every document, 0 beyond a list's end; and
        [draws, lists, grades]: how many documents of the list's topic have each, from 1 on."""

    def draws(self) -> Floats:
        """[draws, runs, topics]: the evidence's measure in every draw."""
        measure, runs = self.evidence.measure, self.evidence.runs
        drawn = np.full((self.n, runs.start.size), np.nan)
        for topics, parts in list_parts(self.evidence, self.n):
            self.prepare(topics)
            for part in parts:
                grade, counts = self.grades(part)
                rows = self.n * len(part.list)
                block = CompleteBlock.of(
                    grade.reshape(rows, -1),
                    np.tile(part.length, self.n),
                    counts.reshape(rows, -1),
                )
                value = measure.interval(block, self.evidence.judgments.max_grade)[0]
                drawn[:, part.list] = value.reshape(self.n, -1)
        return drawn.reshape(self.n, *runs.start.shape)


def list_parts(evidence: "TrainingData", n: int) -> Iterator[tuple[slice, list[ListPart]]]:
    """All lists, cut to what the measure looks at, by topics that follow each other.

    As many topics at a time, and of their lists as many, as have few enough cells in n draws.
    """
    runs, depth = evidence.runs, evidence.measure.depth
    n_runs, n_topics = runs.start.shape
    length = runs.length if depth is None else np.minimum(runs.length, depth)
    pairs = np.searchsorted(runs.pairs.topic, np.arange(n_topics + 1))
    begin = 0
    while begin < n_topics:
        # The grades of all pairs of these topics are held in every draw.
        room = pairs[begin] + CELLS // max(1, n)
        end = max(begin + 1, int(np.searchsorted(pairs, room, side="right")) - 1)
        end = min(end, n_topics)
        width = max(1, int(length[:, begin:end].max(initial=1)))
        topic = np.tile(np.arange(begin, end), n_runs)
        place = np.repeat(np.arange(n_runs), end - begin) * n_topics + topic
        size = max(1, CELLS // (max(1, n) * width))
        yield (
            slice(begin, end),
            [
                _part(evidence, place[at : at + size], topic[at : at + size], length, width)
                for at in range(0, len(place), size)
            ],
        )
        begin = end


def _part(
    evidence: "TrainingData", place: Int64s, topic: Int64s, length: Int64s, width: int
) -> ListPart:
    runs = evidence.runs
    own = length.ravel()[place]
    inside = np.arange(width) < own[:, None]
    entry = np.where(inside, runs.start.ravel()[place][:, None] + np.arange(width), 0)
    none = np.int64(-1)
    pair = np.where(inside, runs.pair[entry], none) if len(runs.pair) else np.full_like(entry, none)
    return ListPart(place, topic, pair, own)
