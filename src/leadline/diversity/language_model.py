"""Unigram language models with Dirichlet smoothing, and how far apart they are.

P(v|X) = (tf(v,X) + mu P(v|D)) / (|X| + mu), D being the collection. Since P(v|X) / P(v|D) is
mu / (|X| + mu) times 1 + tf(v,X) / (mu P(v|D)), divergences are sums over the words that occur, and
the size of the vocabulary does not matter.
"""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Bools, Floats, Int32s, Int64s
from leadline.tables.documents import WordCounts
from leadline.tables.subtopic_grades import SubtopicGrades

SAME = 1e-12
"""A model that diverges less from the collection than this says nothing."""


@dataclass(frozen=True, eq=False)
class SubtopicModels:
    """What the relevant documents of each subtopic say: words and counts, `start` as in CSR.

    `divergence` is KLD(subtopic || collection). `labelled` marks subtopics that have a relevant
    document, `known` those of them that tell something: they do not read like the collection, as
    empty documents do. The others gain nothing.
    """

    start: Int64s
    word: Int32s
    count: Floats
    length: Floats
    divergence: Floats
    labelled: Bools
    known: Bools


def subtopic_models(
    grades: SubtopicGrades, words: WordCounts, learned: Int32s, mu: float, rel: int = 1
) -> SubtopicModels:
    """The models of all subtopics; `learned` is the row of each judged document in `words`."""
    label = np.flatnonzero(grades.grade >= rel)
    row = learned[grades.of_label[label]]
    subtopic = grades.subtopic[label][row >= 0]
    element, of = words.elements(row[row >= 0])
    n = len(grades.names)
    key = subtopic[of].astype(np.int64) * max(1, len(words.words)) + words.word[element]
    distinct, inverse = np.unique(key, return_inverse=True)
    count = _sums(inverse, words.count[element].astype(np.float64), len(distinct))
    owner, word = np.divmod(distinct, max(1, len(words.words)))
    length = _sums(owner, count, n)
    prior = mu * words.background[word]
    rises = (count + prior) * np.log1p(count / prior)
    total = _sums(owner, rises, n)
    divergence = total / (length + mu) - np.log1p(length / mu)
    start = np.searchsorted(owner, np.arange(n + 1))
    labelled = np.bincount(subtopic, minlength=n) > 0
    known = (length > 0) & (divergence > SAME)
    return SubtopicModels(start, word.astype(np.int32), count, length, divergence, labelled, known)


def _sums(of: Int64s, values: Floats, n: int) -> Floats:
    """The sum of the values of each group; of nothing, numpy alone would make whole numbers."""
    return np.bincount(of, weights=values, minlength=n).astype(np.float64, copy=False)


@dataclass(frozen=True, eq=False)
class ResultModels:
    """What readers of some lists of one topic have seen at each rank, apart from all subtopics.

    A cell is a list and a rank. Each element is a word of a cell's document, with `rise`: how much
    log(P(v|R_j) / P(v|R_j-1)) grows by its occurrences, before the change in length. `flat` is the
    sum over a cell's elements of mu P(v|D) times rise, `dilution` is log((|R_j| + mu) / mu).
    """

    shape: tuple[int, int]
    words: Int32s
    cell: Int64s
    word: Int64s
    rise: Floats
    flat: Floats
    dilution: Floats

    @classmethod
    def of(cls, doc: Int32s, words: WordCounts, mu: float) -> "ResultModels":
        """Of a matrix of documents, a row a list, a column a rank; -1 where there is no text."""
        n_lists, depth = doc.shape
        row = doc.ravel()
        cell = np.flatnonzero(row >= 0)
        element, of = words.elements(row[cell])
        used, word = np.unique(words.word[element], return_inverse=True)
        count = words.count[element].astype(np.float64)
        place = cell[of]
        key = (place // max(1, depth)) * max(1, len(used)) + word
        # Elements come list by list and rank by rank, so a stable sort keeps the ranks in order.
        order = np.argsort(key, kind="stable")
        added = np.cumsum(count[order])
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        n = np.diff(np.append(first, len(order)))
        seen = np.empty(len(order))
        seen[order] = added - count[order] - np.repeat((added - count[order])[first], n)
        prior = mu * words.background[used][word]
        rise = np.log1p(count / (prior + seen))
        flat = _sums(place, prior * rise, n_lists * depth)
        length = _sums(place, count, n_lists * depth)
        total = np.cumsum(length.reshape(doc.shape), axis=1)
        return cls((n_lists, depth), used, place, word, rise, flat, np.log1p(total / mu))

    def counts(self, models: SubtopicModels, subtopic: Int64s) -> Floats:
        """[words here, subtopics]: how often the subtopics' documents have each word."""
        table = np.zeros((len(self.words), len(subtopic)))
        for column, each in enumerate(subtopic):
            part = slice(int(models.start[each]), int(models.start[each + 1]))
            at = np.searchsorted(self.words, models.word[part])
            at[at == len(self.words)] = 0
            hit = self.words[at] == models.word[part] if len(self.words) else at < 0
            table[at[hit], column] = models.count[part][hit]
        return table

    def gains(self, models: SubtopicModels, subtopic: Int64s, mu: float) -> Floats:
        """[lists, ranks, subtopics]: 1 - KLD(subtopic || R_j) / KLD(subtopic || D), unclipped."""
        table = self.counts(models, subtopic)
        n_cells = self.shape[0] * self.shape[1]
        found = np.zeros((n_cells, len(subtopic)))
        if len(self.cell):
            starts = np.flatnonzero(np.diff(self.cell, prepend=-1))
            sums = np.add.reduceat(table[self.word] * self.rise[:, None], starts, axis=0)
            found[self.cell[starts]] = sums
        found += self.flat[:, None]
        found /= models.length[subtopic] + mu
        risen = np.cumsum(found.reshape(*self.shape, len(subtopic)), axis=1)
        gains: Floats = (risen - self.dilution[:, :, None]) / models.divergence[subtopic]
        return gains
