"""Which pairs are to be judged, how they were chosen, and how deep runs were pooled."""

from dataclasses import dataclass, replace

import numpy as np

from leadline.data.arrays import Bools, Floats, Int16s, Int64s, freeze
from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs
from leadline.data.runs import UNRANKED, Runs


@dataclass(frozen=True, eq=False)
class SamplingRecord:
    """What was fixed before each batch of a sample was drawn, and which batch drew each pair.

    A row for each pair that the measure weighs: its number `pair` and the `batch` (from 1) that
    drew it, 0 if none did. [batches, rows]: the `probability` with which a batch drew a pair that
    was open, and the `prediction` of its gain as a share of the range of gains. Both depend on
    earlier batches only. `planned` is the number of judgments that was planned at the start.
    """

    pair: Int64s
    batch: Int64s
    probability: Floats
    prediction: Floats
    planned: int

    def __post_init__(self) -> None:
        rows = len(self.pair)
        freeze(self, np.int64, (rows,), "pair", "batch")
        freeze(self, np.float64, (len(self.probability), rows), "probability", "prediction")

    @property
    def n_batches(self) -> int:
        """Return how many batches were drawn."""
        return len(self.probability)

    def first(self, n_batches: int) -> "SamplingRecord":
        """Return the record as it was after some batches."""
        batch = np.where(self.batch > n_batches, 0, self.batch)
        rows = self.probability[:n_batches], self.prediction[:n_batches]
        return SamplingRecord(self.pair, batch, *rows, self.planned)

    def over(self, pair: Int64s) -> "SamplingRecord":
        """Return the record of other pairs, in ascending order: new ones could not be drawn."""
        if np.array_equal(pair, self.pair):
            return self
        at = np.searchsorted(self.pair, pair)
        at[at == len(self.pair)] = 0
        there = self.pair[at] == pair
        batch = np.where(there, self.batch[at], 0)
        probability = np.where(there, self.probability[:, at], 0.0)
        prediction = np.where(there, self.prediction[:, at], 0.5)
        return SamplingRecord(pair, batch, probability, prediction, self.planned)

    def on(self, kept: Bools) -> "SamplingRecord":
        """Return the record of the pairs that are kept, which are numbered anew."""
        inside = kept[self.pair]
        pair = (np.cumsum(kept) - 1)[self.pair[inside]]
        rows = self.probability[:, inside], self.prediction[:, inside]
        return SamplingRecord(pair, self.batch[inside], *rows, self.planned)


@dataclass(frozen=True, eq=False)
class Pool:
    """Members, with the probability and the stratum by which each was included.

    `inclusion` and `stratum` hold for every pair that could have been drawn; 0 and -1 elsewhere.
    Where a pool is drawn in batches, `batch` tells in which one a member came (from 1), `expected`
    the gain that was expected of it then; NaN in the first. `record` has the probabilities and
    predictions of all batches, where they were kept.
    """

    pairs: Pairs
    member: Bools
    inclusion: Floats
    stratum: Int16s
    strategy: str
    seed: int = 0
    batch: Int16s | None = None
    expected: Floats | None = None
    record: SamplingRecord | None = None

    def __post_init__(self) -> None:
        shape = (len(self.pairs),)
        freeze(self, np.bool_, shape, "member")
        freeze(self, np.float64, shape, "inclusion", "expected")
        freeze(self, np.int16, shape, "stratum", "batch")
        if ((self.inclusion < 0) | (self.inclusion > 1)).any():
            raise ValueError("inclusion probabilities must be between 0 and 1")
        if (self.inclusion[self.member] == 0).any() or (self.stratum[self.member] < 0).any():
            raise ValueError("a member of a pool needs an inclusion probability and a stratum")

    def __len__(self) -> int:
        return int(self.member.sum())

    def __repr__(self) -> str:
        return f"Pool({self.strategy}: {len(self):,} of {len(self.pairs):,} pairs)"

    @property
    def n_batches(self) -> int:
        """How many batches were drawn."""
        return 1 if self.batch is None else int(self.batch.max(initial=0))

    def on(self, pairs: Pairs, kept: Bools) -> "Pool":
        """The pool of some of the pairs, which have become `pairs`."""
        return replace(
            self,
            pairs=pairs,
            member=self.member[kept],
            inclusion=self.inclusion[kept],
            stratum=self.stratum[kept],
            batch=None if self.batch is None else self.batch[kept],
            expected=None if self.expected is None else self.expected[kept],
            record=None if self.record is None else self.record.on(kept),
        )

    def restrict(self, judgments: Judgments) -> Judgments:
        """The judgments that lie inside this pool; all others are withdrawn."""
        if judgments.pairs is not self.pairs:
            raise ValueError("pool and judgments must be over the same pairs")
        judged = judgments.judged & self.member
        return Judgments(
            self.pairs,
            judged,
            np.where(judged, judgments.grade, 0),
            pooled=self.member | (self.inclusion > 0),
            inclusion=self.inclusion,
            stratum=self.stratum,
            max_grade=judgments.max_grade,
        )


ALMOST_ALL = 0.9
"""Not all: qrels often lack a few documents of their pool."""


def pool_depth(runs: Runs, judgments: Judgments, pooled: Bools | None = None) -> int | None:
    """The depth to which these runs, or some of them, were pooled; None if they were not.

    The last rank d such that at this and every better rank nine of ten pairs that some pooled run
    has there, and none has higher, were judged.

    >>> from leadline.data.pairs import Pairs
    >>> pairs = Pairs.of(["1"] * 3, ["a", "b", "c"])
    >>> run = Runs(pairs, ("x",), np.arange(3), np.array([[0]]), np.array([[3]]))
    >>> judged = np.array([True, True, False])
    >>> pool_depth(run, Judgments(pairs, judged, np.zeros(3)))
    2
    """
    best = (runs if pooled is None or pooled.all() else runs.only(pooled)).best_rank
    ranked = best < UNRANKED
    deepest = int(best[ranked].max(initial=0))
    n = np.bincount(best[ranked], minlength=deepest + 1)[1:]
    n_judged = np.bincount(best[ranked & judgments.judged], minlength=deepest + 1)[1:]
    short = np.flatnonzero(n_judged < ALMOST_ALL * n)
    reached = int(short[0]) if len(short) else deepest
    # A rank at which nothing is new says nothing.
    told = np.flatnonzero(n[:reached])
    return int(told[-1]) + 1 if len(told) else None


@dataclass(frozen=True, eq=False)
class BatchDraws:
    """The rows `pair` of all pairs, and for each the `batch` (from 1) that drew it, 0 if none did.

    [batches, rows]: the `chance` with which a batch drew what was not drawn before; the `expected`
    gain by what it and earlier ones drew of other pairs, and how far gains are `spread` about that.
    Neither these nor the chance in the next batch follow from whether the pair itself was drawn.
    """

    pair: Int64s
    batch: Int64s
    chance: Floats
    expected: Floats
    spread: Floats

    def __post_init__(self) -> None:
        rows = len(self.pair)
        freeze(self, np.int64, (rows,), "pair", "batch")
        freeze(self, np.float64, (len(self.chance), rows), "chance", "expected", "spread")
