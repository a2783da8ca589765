"""Okapi BM25: how well documents match a query by their words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.tables.arrays import Floats, Int32s, Int64s
from leadline.tables.documents import WordCounts


@dataclass(frozen=True, eq=False)
class BM25:
    """score(q, d) = sum over words w of q of n_qw idf_w tf (k1 + 1) / (tf + k1 (1 - b + b L / A)).

    tf is how often w stands in d, n_qw in q, L the length of d and A the mean length; idf_w =
    ln(1 + (N - n_w + .5) / (n_w + .5)), n_w being how many of the N documents hold w. All of it by
    the documents at hand; words that none of them holds count nothing.

    Robertson and Zaragoza, The probabilistic relevance framework, 2009; k1 and b as in Anserini.
    """

    words: WordCounts
    k1: float = 0.9
    b: float = 0.4

    @cached_property
    def weight(self) -> Floats:
        """What every element of the word counts adds to a query that holds its word once."""
        words, n_documents = self.words, len(self.words.start) - 1
        length = np.bincount(words.document, words.count, n_documents)
        mean = max(float(length.mean()) if n_documents else 0.0, 1.0)
        holding = np.bincount(words.word, minlength=len(words.words))
        idf = np.log1p((n_documents - holding + 0.5) / (holding + 0.5))
        frequency = words.count.astype(np.float64)
        usual = self.k1 * (1 - self.b + self.b * length[words.document] / mean)
        weight: Floats = idf[words.word] * frequency * (self.k1 + 1) / (frequency + usual)
        return weight

    @cached_property
    def _place(self) -> dict[str, int]:
        return {word: at for at, word in enumerate(self.words.words)}

    def scores(self, query: Iterable[str], row: Int32s | Int64s) -> Floats:
        """The score of some documents, by their numbers, for the words of a query."""
        asked = np.zeros(len(self.words.words))
        for word, n in Counter(query).items():
            if word in self._place:
                asked[self._place[word]] = n
        element, owner = self.words.elements(row)
        amount = asked[self.words.word[element]] * self.weight[element]
        return np.bincount(owner, amount, len(row)).astype(np.float64, copy=False)
