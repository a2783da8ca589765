"""The rows of one run as they were read, with the hashes by which they are joined and checked."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from leadline.data.arrays import Floats

Keys = npt.NDArray[np.uint64]

TOPIC_KEY = pl.col("topic").hash(1).alias("topic_key")
PAIR_KEY = (pl.col("doc").hash(2) ^ pl.col("topic").hash(1)).alias("pair_key")
"""64 bits each; what they find is verified by name."""

_STRETCH = 1 << 12


@dataclass(frozen=True, eq=False)
class Rows:
    """Columns in the order of the file.

    Numbers are numpy arrays in one piece, because ranking and joining look at them again and again.
    """

    topic: pl.Series
    doc: pl.Series
    run_score: Floats
    topic_key: Keys
    pair_key: Keys

    @classmethod
    def of(cls, frame: pl.DataFrame) -> "Rows":
        """From a frame with topic, doc, run_score and perhaps the keys."""
        frame = frame.clone()
        if "pair_key" not in frame.columns:
            frame = frame.with_columns(TOPIC_KEY, PAIR_KEY)
        # Taken out one by one, so that no column is in memory twice for long.
        score, topic_key, pair_key = (
            frame.drop_in_place(name).to_numpy() for name in ("run_score", "topic_key", "pair_key")
        )
        return cls(frame["topic"], frame["doc"], score, topic_key, pair_key)

    def __len__(self) -> int:
        return len(self.run_score)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Rows whose topic is not that of the row before."""
        key = self.topic_key
        return np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])

    def are_sound(self) -> bool:
        """Every score is a number and no list holds a document twice."""
        return not np.isnan(self.run_score).any() and not self._repeat()

    def _repeat(self) -> bool:
        """Whether some pair_key comes twice.

        Equal keys have equal topics, so stretches of whole topics, small enough for the cache, are
        sorted one by one; only if a topic's rows are scattered must all be looked at together.
        """
        start, key = self.starts, self.pair_key
        if has_equals(self.topic_key[start]):
            return has_equals(key)
        wanted = np.arange(0, len(key), _STRETCH)
        cuts = start[np.searchsorted(start, wanted, side="right") - 1]
        ends = np.append(cuts[1:], len(key))
        stretches = zip(cuts.tolist(), ends.tolist(), strict=True)
        return any(has_equals(key[first:last]) for first, last in stretches)


def has_equals(key: Keys) -> bool:
    """Whether a value comes twice; numpy's own `unique` takes longer to import than this does."""
    ordered = np.sort(key)
    return bool((ordered[1:] == ordered[:-1]).any())
