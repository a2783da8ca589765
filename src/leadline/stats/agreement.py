"""How far two sets of judgments agree."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from leadline.data.arrays import Floats, Int64s
from leadline.data.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Agreement:
    """`count[a, b]` documents that one judge gave grade a and the other grade b.

    Counts may be estimates of how many there would be, where documents were drawn.
    """

    count: Int64s | Floats

    @classmethod
    def of(cls, first: Judgments, second: Judgments, topics: Int64s | None = None) -> "Agreement":
        """Over the pairs that both judged, on some topics if they are named by number."""
        if first.pairs is not second.pairs:
            raise ValueError("both sets of judgments must be over the same pairs")
        both = first.judged & second.judged
        if topics is not None:
            both &= np.isin(first.pairs.topic, topics)
        size = max(first.max_grade, second.max_grade) + 1
        cell = first.grade[both].astype(np.int64) * size + second.grade[both]
        return cls(np.bincount(cell, minlength=size * size).reshape(size, size))

    @property
    def n(self) -> int:
        """Documents that both judged."""
        return round(float(self.count.sum()))

    def observed(self) -> float:
        """Share on which both agree; NaN of nothing."""
        return float(np.trace(self.count) / self.count.sum()) if self.n else float("nan")

    def kappa(self, weighted: bool = False) -> float:
        """Cohen's kappa: agreement beyond chance, 1 if there is no disagreement.

        Formula: 1 - disagreement seen / disagreement by chance

        weighted=true counts a disagreement by the square of its distance in grades. NaN where
        nothing was judged by both.

        >>> round(Agreement(np.array([[20, 5], [10, 15]])).kappa(), 4)
        0.4

        Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
        Measurement 1960.
        """
        if not self.n:
            return float("nan")
        seen = float((self.count / self.count.sum() * self._distance(weighted)).sum())
        by_chance = self.by_chance(weighted)
        return 1 - seen / by_chance if by_chance else 1.0

    def by_chance(self, weighted: bool = False) -> float:
        """The disagreement of two judges who give grades as often as these, but at random."""
        share: Floats = self.count / (self.count.sum() if self.n else 1.0)
        expected = np.outer(share.sum(axis=1), share.sum(axis=0))
        return float((expected * self._distance(weighted)).sum())

    def alpha(self) -> float:
        """Krippendorff's alpha of the two, for ordered grades; NaN where it is undefined.

        >>> round(Agreement(np.array([[20, 5], [10, 15]])).alpha(), 4)
        0.4
        """
        return krippendorff(self.count + self.count.T)

    def _distance(self, weighted: bool) -> Int64s:
        grade = np.arange(len(self.count))
        apart: Int64s = (grade[:, None] - grade) ** 2
        return apart if weighted else np.minimum(apart, 1)

    def frame(self) -> pl.DataFrame:
        """Columns first, second, documents: the grades that the two gave, and how often."""
        first, second = np.indices(self.count.shape)
        return pl.DataFrame(
            {
                "first": first.ravel(),
                "second": second.ravel(),
                "documents": self.count.ravel(),
            }
        )


def krippendorff(together: Int64s | Floats) -> float:
    """Agreement beyond chance of any number of judges, for ordered grades; NaN if undefined.

    Formula: alpha = 1 - (n - 1) * sum o_ck d_ck / sum n_c n_k d_ck over grades c, k

    `together[c, k]` is o_ck: ordered pairs of grades that two judges gave one document, each pair
    of it weighing 1 / (m - 1) where m judges graded it; n_c its sums, n their sum; d_ck: the square
    of the grades given from c to k, those of c and k themselves by half.

    Krippendorff, Content Analysis, 2004, chapter 11.
    """
    total = together.sum(axis=0)
    if np.count_nonzero(total) < 2:
        return float("nan")
    before = np.cumsum(total) - total / 2
    distance = np.subtract.outer(before, before) ** 2
    observed = float((together * distance).sum()) * float(total.sum() - 1)
    return 1 - observed / float(total @ distance @ total)
