"""Measures that add up over subtopics: a score for each, and their mean by probability."""

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np

from leadline.diversity.blocks import SubtopicBlock, subtopic_blocks
from leadline.diversity.sketch import sketch_subtopics
from leadline.measures.measure import Measure
from leadline.tables.arrays import Floats
from leadline.tables.lists import Lists
from leadline.tables.scores import Scores

Ends = tuple[Floats, Floats]
"""Value and upper end: one number a row."""


class IntentAware(Measure):
    """The mean over subtopics of what a list scores for each, weighted by their probability.

    Only subtopics with a relevant document count. If no subtopic's score falls when a document
    becomes relevant to it, the interval is exact: an unjudged document may be relevant to any of
    the topic's subtopics, and the ones that do not count yet may come to count: at the lower end
    all of them do and bring nothing, at the upper end all or none, whichever is more.
    """

    needs: ClassVar[Literal["judgments", "subtopics", "documents"]] = "subtopics"
    rel: int = 1

    @property
    def last_rank(self) -> int | None:
        """The last rank that can change the score; the depth unless weights vanish before."""
        return self.depth

    @abstractmethod
    def of_subtopics(self, block: SubtopicBlock, max_grade: int, upper: bool) -> Ends:
        """What each row scores, and the most that it can; `upper` says whether that is asked."""

    def combine(self, block: SubtopicBlock, value: Floats, upper: Floats) -> tuple[Floats, ...]:
        """Value, lower and upper of each list."""
        share = block.weight * block.counted
        counts, every = block.by_list(share), block.by_list(block.weight)
        found = block.by_list(share * value)
        score = _ratio(found, counts)
        some = _ratio(block.by_list(share * upper), counts)
        all_ = _ratio(block.by_list(block.weight * upper), every)
        lower = _ratio(found, every)
        return score, np.fmin(lower, score), np.fmax(np.fmax(some, all_), score)

    def score(self, lists: Lists, interval: bool = True) -> Scores:
        """The score of every run on every topic; on condensed lists there is no interval.

        Without `interval` none is computed, which takes half the time or less.
        """
        value, lower, upper = (np.full(lists.start.size, np.nan) for _ in range(3))
        interval = interval and self.bounded and not self.judged_only
        seen = lists.condensed() if self.judged_only else lists
        for block in subtopic_blocks(seen, self.last_rank, self.rel, every=interval):
            ends = self.of_subtopics(block, seen.subtopics.max_grade, interval)  # type: ignore[union-attr]
            found = self.combine(block, *ends)
            value[block.row] = found[0]
            if interval:
                lower[block.row], upper[block.row] = found[1:]
        judged = share_judged(lists, self.depth)
        return Scores.of_lists(lists, str(self), value, judged, lower, upper)

    def sketch(self, ranking: str, elsewhere: str = "", max_grade: int | None = None) -> str:
        """Score and interval of one list: see `leadline.diversity.sketch.sketch_subtopics`."""
        return self.example(sketch_subtopics(ranking, elsewhere))


def share_judged(lists: Lists, depth: int | None) -> Floats:
    """The share of the first `depth` ranks, or of the listed documents, that was judged."""
    before = np.concatenate([[0], np.cumsum(lists.judged)])
    start, stop = lists.start.ravel(), lists.stop.ravel()
    if depth is not None:
        stop = np.minimum(stop, start + depth)
    n = (stop - start if depth is None else np.full(len(start), depth)).astype(np.float64)
    n[n == 0] = np.nan
    share: Floats = (before[stop] - before[start]) / n
    return share


def _ratio(above: Floats, below: Floats) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return ratio
