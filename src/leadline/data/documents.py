"""What documents say: their words as counts, beside those of the whole collection."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from leadline.data.arrays import Floats, Int32s, Int64s, freeze


@dataclass(frozen=True)
class Document:
    """A document's title and text; with a template also other fields, an image and a link."""

    title: str = ""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    image: str = ""
    link: str = ""


@dataclass(frozen=True, eq=False)
class WordCounts:
    """How often each word occurs in some documents: a sparse matrix, a row a document.

    Document d holds the words `word[start[d]:start[d + 1]]`, `count` times each. `background` is
    the share that each word has in the whole collection; words that it does not know are left out,
    so it is never 0.
    """

    words: pl.Series
    background: Floats
    start: Int64s
    word: Int32s
    count: Int32s

    def __post_init__(self) -> None:
        freeze(self, np.float64, (len(self.words),), "background")
        freeze(self, np.int64, self.start.shape, "start")
        freeze(self, np.int32, (len(self.word),), "word", "count")
        if len(self.background) and not self.background.min() > 0:
            raise ValueError("every word must occur in the collection")

    @property
    def document(self) -> Int64s:
        """The row of every element: the document that it is a word of."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def elements(self, row: Int32s | Int64s) -> tuple[Int64s, Int64s]:
        """The elements of some rows, row after row, and to which of these each belongs."""
        first = self.start[row]
        n = self.start[row + 1] - first
        of = np.repeat(np.arange(len(row)), n)
        return np.arange(len(of)) + np.repeat(first - np.cumsum(n) + n, n), of


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents by number, and on demand their words, counted once for each way to make words.

    `count` does the counting, a row a document in the order of `names`. `learned` is the number of
    each judged document of the subtopics, -1 where there is no text: what subtopics are learned
    from.
    """

    names: pl.Series
    count: Callable[[Any], WordCounts]
    learned: Int32s
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def words(self, how: Any) -> WordCounts:
        """The words of all documents, made in this way."""
        if how not in self.kept:
            self.kept[how] = self.count(how)
        found: WordCounts = self.kept[how]
        return found
