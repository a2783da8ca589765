"""Every distinct (topic, doc) that a run or a judgment mentions, each with one number."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from leadline.tables.arrays import Int32s, Int64s, frozen
from leadline.tables.topic_order import topic_order


@dataclass(frozen=True, eq=False)
class Pairs:
    """Topic and doc of each pair, sorted by topic, then by the doc's name.

    >>> pairs = Pairs.of(["2", "1", "1"], ["b", "b", "a"])
    >>> [pairs.name(pair) for pair in range(len(pairs))]
    [('1', 'a'), ('1', 'b'), ('2', 'b')]
    >>> pairs.find(["1", "2"], ["b", "zzz"]).tolist()
    [1, -1]
    """

    topics: tuple[str, ...]
    docs: pl.Series
    topic: Int32s
    doc: Int32s

    def __post_init__(self) -> None:
        n = len(self.topic)
        object.__setattr__(self, "topic", frozen(self.topic, np.int32, (n,), "topic"))
        object.__setattr__(self, "doc", frozen(self.doc, np.int32, (n,), "doc"))
        if n and not (
            self.topic.min() >= 0
            and self.topic.max() < len(self.topics)
            and self.doc.min() >= 0
            and self.doc.max() < len(self.docs)
        ):
            raise ValueError("topic and doc must be numbers of known topics and docs")
        key = self._key(self.topic, self.doc)
        if (key[1:] <= key[:-1]).any():
            raise ValueError("pairs must be sorted by topic, then doc, without repeats")

    @classmethod
    def of(
        cls,
        topic: Sequence[str] | pl.Series,
        doc: Sequence[str] | pl.Series,
        topics: Sequence[str] = (),
    ) -> "Pairs":
        """The distinct pairs of two columns; `topics` may name topics that have no pair."""
        frame = pl.DataFrame(
            {"topic": pl.Series(topic, dtype=pl.String), "doc": pl.Series(doc, dtype=pl.String)}
        ).unique()
        return cls.numbered(frame, topics)[0]

    @classmethod
    def numbered(cls, frame: pl.DataFrame, topics: Sequence[str] = ()) -> "tuple[Pairs, Int32s]":
        """Pairs from a frame that holds each (topic, doc) once, and the number of each row's."""
        names = topic_order({*frame["topic"].unique().to_list(), *topics})
        docs = frame["doc"].unique().sort()
        coded = frame.select(
            pl.col("topic").replace_strict(names, range(len(names)), return_dtype=pl.Int32)
            if len(frame)
            else pl.lit(0, pl.Int32).alias("topic"),
            pl.col("doc").cast(pl.Enum(docs)).to_physical().cast(pl.Int32),
        )
        t, d = coded["topic"].to_numpy(), coded["doc"].to_numpy()
        order = np.argsort(t.astype(np.int64) * max(len(docs), 1) + d)
        number = np.empty(len(order), np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        return cls(tuple(names), docs, t[order], d[order]), number

    def __len__(self) -> int:
        return len(self.topic)

    def _key(self, topic: Int32s, doc: Int32s) -> Int64s:
        return topic.astype(np.int64) * max(len(self.docs), 1) + doc

    def name(self, pair: int) -> tuple[str, str]:
        """Topic and doc of one pair, as they were read."""
        return self.topics[self.topic[pair]], str(self.docs[int(self.doc[pair])])

    def frame(self) -> pl.DataFrame:
        """Columns pair, topic, doc."""
        return pl.DataFrame(
            {
                "pair": np.arange(len(self), dtype=np.int32),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(self.topic),
                "doc": self.docs.gather(self.doc),
            }
        )

    @cached_property
    def _known(self) -> Int64s:
        return self._key(self.topic, self.doc)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {topic: at for at, topic in enumerate(self.topics)}

    def number(self, topic: str, doc: str) -> int:
        """The number of one (topic, doc), -1 if it is not one of these pairs.

        >>> pairs = Pairs.of(["2", "1", "1"], ["b", "b", "a"])
        >>> pairs.number("1", "b"), pairs.number("1", "zzz"), pairs.number("3", "a")
        (1, -1, -1)
        """
        t = self._place.get(topic, -1)
        # Docs are sorted by name, so this looks at twenty of a million.
        d = bisect_left(self.docs, doc)
        if t < 0 or d >= len(self.docs) or self.docs[d] != doc:
            return -1
        key = t * max(len(self.docs), 1) + d
        at = int(np.searchsorted(self._known, key))
        return at if at < len(self._known) and self._known[at] == key else -1

    def find(self, topic: Sequence[str] | pl.Series, doc: Sequence[str] | pl.Series) -> Int32s:
        """The number of each (topic, doc), -1 where it is not one of these pairs."""
        wanted = pl.DataFrame(
            {"topic": pl.Series(topic, dtype=pl.String), "doc": pl.Series(doc, dtype=pl.String)}
        )
        topics = pl.DataFrame({"topic": self.topics, "t": range(len(self.topics))}).cast(
            {"topic": pl.String, "t": pl.Int64}
        )
        docs = pl.DataFrame({"doc": self.docs, "d": np.arange(len(self.docs), dtype=np.int64)})
        coded = wanted.join(topics, on="topic", how="left", maintain_order="left").join(
            docs, on="doc", how="left", maintain_order="left"
        )
        t = coded["t"].fill_null(-1).to_numpy()
        d = coded["d"].fill_null(-1).to_numpy()
        key = t * max(len(self.docs), 1) + d
        known = self._known
        at = np.searchsorted(known, key)
        hit = (t >= 0) & (d >= 0) & (at < len(known))
        hit[hit] = known[at[hit]] == key[hit]
        return np.where(hit, at, -1).astype(np.int32)
