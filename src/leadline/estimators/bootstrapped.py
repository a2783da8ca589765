"""Bootstrapped scores: grades of unjudged documents drawn from those of the run and the pool."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.estimators.drawn_scores import DrawnScores, GradeDraws, ListPart
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.tables.arrays import Floats, Int16s, Int64s
from leadline.tables.draw import scattered

if TYPE_CHECKING:
    from leadline.estimators.evidence import Evidence


@estimators.register
@dataclass(frozen=True)
class Bootstrapped(Estimator):
    """Unjudged documents have grades drawn from the shares of grades in the run and in the pool.

    Formula: P(grade = g) = (share of g among the list's judged documents + among the topic's) / 2

    The documents of the list's first k ranks, all without @k; where the list has no judged one, the
    topic's alone. Every list is drawn by itself, and what is drawn relevant counts in its ideal,
    or among its relevant documents, too. The score is the mean of the draws. For every measure that
    has an interval; of weighted ones the gain of each unjudged document is its mean. The tail is
    worth nothing, and so are topics without judged documents.

    Fröbe, Gienapp, Potthast and Hagen, Bootstrapped nDCG estimation in the presence of unjudged
    documents, ECIR 2023.
    """

    draws: int = 200
    seed: int = 0

    any_measure = True

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ValueError(f"draws must be at least 1, not {self.draws}")

    def gains(self, evidence: "Evidence") -> EstimatedGains:
        """The mean gain of a document drawn for the list."""
        share = grade_shares(evidence)
        expected = share @ evidence.gain_table[: share.shape[1]]
        return evidence.filled(expected[evidence.runs.entries.list])

    def drawn(self, evidence: "Evidence") -> DrawnScores:
        """Scores of the draws; they tell nothing of how far the shares are off."""
        draws = _ListDraws(evidence, self.draws, self.seed).draws()
        return DrawnScores(evidence, draws, error_factor=None)


def grade_shares(evidence: "Evidence") -> Floats:
    """[lists, grades]: the mean of the list's and its topic's shares of judged documents."""
    runs, judgments = evidence.runs, evidence.judgments
    n_grades = judgments.max_grade + 1
    top = runs.cut(evidence.measure.depth)
    judged = judgments.judged[top.pair]
    cell = top.entries.list[judged].astype(np.int64) * n_grades
    cell += judgments.grade[top.pair[judged]]
    of_list = np.bincount(cell, minlength=runs.start.size * n_grades).reshape(-1, n_grades)
    of_topic = np.tile(judgments.counts, (len(runs.names), 1))
    shares = [n / np.maximum(n.sum(axis=1, keepdims=True), 1) for n in (of_list, of_topic)]
    none = ~of_list.any(axis=1)
    shares[0][none] = shares[1][none]
    mean: Floats = (shares[0] + shares[1]) / 2
    return mean


class _ListDraws(GradeDraws):
    """Each list drawn by itself."""

    def __init__(self, evidence: "Evidence", n: int, seed: int) -> None:
        super().__init__(evidence, n)
        self.seed = seed
        self.reached = grade_shares(evidence)[:, :0:-1].cumsum(axis=1)[:, ::-1]

    def prepare(self, topics: slice) -> None:
        """Nothing is shared by lists."""

    def grades(self, part: ListPart) -> tuple[Int16s, Int64s]:
        """A grade g or better where a uniform number is below the share of these."""
        judgments = self.evidence.judgments
        listed = part.pair >= 0
        judged = listed & judgments.judged[part.pair]
        grade = np.where(judged, judgments.grade[part.pair], np.int16(0))
        open_ = listed & ~judged
        row, rank = np.nonzero(open_)
        cell = self._place(part)[row] * np.int64(1 << 20) + rank
        chance = scattered(self.seed, cell[:, None] * np.int64(self.n) + np.arange(self.n))
        drawn = np.zeros((len(row), self.n), np.int16)
        for reached in self.reached[part.list][row].T:
            drawn += chance < reached[:, None]
        every = np.repeat(grade[None], self.n, axis=0)
        every[:, open_] = drawn.T
        counts = np.repeat(judgments.counts[part.topic][None], self.n, axis=0)
        for level in range(1, self.n_grades):
            counts[:, :, level] += ((every == level) & open_).sum(axis=2)
        return every, counts

    def _place(self, part: ListPart) -> Int64s:
        """Numbers of lists that do not depend on the order in which runs are given."""
        runs = self.evidence.runs
        n_topics = len(runs.pairs.topics)
        place: Int64s = runs.place_by_name[part.list // n_topics] * n_topics + part.topic
        return place
