"""Worlds: draws in which every document has one grade, whoever returns it."""

from abc import abstractmethod

import numpy as np

from leadline.completions.drawn_scores import GradeDraws, ListPart
from leadline.data.arrays import Int16s, Int64s


class Worlds(GradeDraws):
    """Judged documents have their grade in every world; a subclass draws those of the others."""

    @abstractmethod
    def open_grades(self, topics: slice, pairs: slice) -> Int16s:
        """[draws, pairs]: grades of these pairs, the topics'; of judged ones any number."""

    def prepare(self, topics: slice) -> None:
        """Draw the grades of all documents of these topics, and count them."""
        judgments, topic_of = self.evidence.judgments, self.evidence.runs.pairs.topic
        first, last = np.searchsorted(topic_of, [topics.start, topics.stop])
        pairs = slice(int(first), int(last))
        drawn = self.open_grades(topics, pairs)
        judged = judgments.judged[pairs]
        drawn[:, judged] = judgments.grade[pairs][judged]
        n_topics = topics.stop - topics.start
        counts = np.zeros((self.n, n_topics, self.n_grades), np.int64)
        bounds = np.searchsorted(topic_of[pairs], np.arange(topics.start, topics.stop))
        if drawn.shape[1]:
            some = np.flatnonzero(np.diff(np.append(bounds, drawn.shape[1])))
            for grade in range(1, self.n_grades):
                of = drawn == grade
                # Sums of Booleans would be Booleans.
                counts[:, some, grade] = np.add.reduceat(of, bounds[some], axis=1, dtype=np.int64)
        self._topics, self._first, self._counts = topics, pairs.start, counts
        # The last column is what lies beyond the end of a list.
        self._grade = np.concatenate([drawn, np.zeros((self.n, 1), np.int16)], axis=1)

    def grades(self, part: ListPart) -> tuple[Int16s, Int64s]:
        """Those of the worlds at hand."""
        column = np.where(part.pair < 0, self._grade.shape[1] - 1, part.pair - self._first)
        counts = self._counts[:, part.topic - self._topics.start]
        return np.take(self._grade, column, axis=1), counts
