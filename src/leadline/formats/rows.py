"""The rows of runs as they were read, with the hashes by which they are joined and checked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from leadline.data.arrays import Floats

Keys = npt.NDArray[np.uint64]

TOPIC_KEY = pl.col("topic").hash(1).alias("topic_key")
DOC_KEY = pl.col("doc").hash(2).alias("doc_key")
PAIR_KEY = (pl.col("doc").hash(2) ^ pl.col("topic").hash(1)).alias("pair_key")
"""64 bits each; what they find is verified by name."""

WANTED = [pl.col("topic"), pl.col("doc"), pl.col("run_score"), TOPIC_KEY, DOC_KEY]
"""What is read of a run. Both hashes apart, because a reader would hash topics twice otherwise."""

_STRETCH = 1 << 12
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""Multiples of it spread over all 64 bits."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns in the order of the file, or of several files one after the other.

    Numbers are numpy arrays in one piece, because ranking and joining look at them again and again.
    `run_start` holds the first row of each run.
    """

    topic: pl.Series
    doc: pl.Series
    run_score: Floats
    topic_key: Keys
    pair_key: Keys
    run_start: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(1, np.int64))

    @classmethod
    def of(cls, frame: pl.DataFrame, run_start: Sequence[int] = (0,)) -> "Rows":
        """From a frame with topic, doc, run_score and perhaps the keys."""
        frame = frame.clone()
        if "doc_key" not in frame.columns:
            frame = frame.with_columns(TOPIC_KEY, DOC_KEY)
        # Taken out one by one, so that no column is in memory twice for long.
        score, topic_key, doc_key = (
            frame.drop_in_place(name).to_numpy() for name in ("run_score", "topic_key", "doc_key")
        )
        starts = np.array(run_start, np.int64)
        return cls(frame["topic"], frame["doc"], score, topic_key, doc_key ^ topic_key, starts)

    def __len__(self) -> int:
        return len(self.run_score)

    def run_of(self, row: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The number of the run that each row belongs to."""
        return np.searchsorted(self.run_start, row, side="right") - 1

    def _apart(self, key: Keys) -> Keys:
        """The keys, made different from run to run."""
        if len(self.run_start) == 1:
            return key
        number = np.arange(1, len(self.run_start) + 1, dtype=np.uint64)
        length = np.diff(np.append(self.run_start, len(self)))
        return key ^ np.repeat(number * _ODD, length)

    @cached_property
    def list_key(self) -> Keys:
        """A hash of run and topic."""
        return self._apart(self.topic_key)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Rows whose run or topic is not that of the row before."""
        key = self.list_key
        return np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])

    def are_sound(self) -> bool:
        """Every score is a number and no list holds a document twice."""
        return not np.isnan(self.run_score).any() and not self._repeat()

    def _repeat(self) -> bool:
        """Whether some pair comes twice in a run.

        Equal keys have equal topics, so stretches of whole topics, small enough for the cache, are
        sorted one by one; only if a topic's rows are scattered must all be looked at together.
        """
        start, key = self.starts, self._apart(self.pair_key)
        if has_equals(self.list_key[start]):
            return has_equals(key)
        wanted = np.arange(0, len(key), _STRETCH)
        cuts = start[np.searchsorted(start, wanted, side="right") - 1]
        ends = np.append(cuts[1:], len(key))
        stretches = zip(cuts.tolist(), ends.tolist(), strict=True)
        # Half of the bits sort in half of the time, and are seldom equal where all are not.
        half = key.astype(np.uint32)
        return any(
            has_equals(half[first:last]) and has_equals(key[first:last])
            for first, last in stretches
        )


def has_equals(key: Keys | npt.NDArray[np.uint32]) -> bool:
    """Whether a value comes twice; numpy's own `unique` takes longer to import than this does."""
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
