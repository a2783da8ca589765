"""Rankers behind the runs of the demo collection.

Every ranker gives one row of scores per topic and one column per doc. Minus infinity stands for
a doc the ranker would not return at all, so that weak matches shorten a run as they do in life.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Tokenizer = Callable[[str], list[str]]

DEPTH = 50
DECIMALS = 6

_FUNCTION_WORDS = (
    "a all an and are as at be been but by for from had has have he her his how in into is it its "
    "my no not of on or our out she so that the their them then there they this to up was we were "
    "what when where which who why will with you your"
)
# Descriptions of topics open with these, whatever they are about.
_REQUEST_WORDS = "discover every explain find learn needs understand"
STOPWORDS = frozenset(f"{_FUNCTION_WORDS} {_REQUEST_WORDS}".split())


def words(text: str) -> list[str]:
    """Lower-case words without stopwords, clipped of the commonest endings."""
    return [stem(word) for word in re.findall(r"[a-z]+", text.lower()) if word not in STOPWORDS]


def plain_words(text: str) -> list[str]:
    """Words as they stand: a system that does no stemming misses what the others find."""
    return re.findall(r"[a-z]+", text.lower())


def stem(word: str) -> str:
    """The word without plural and one further ending."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "er", "ed", "e"):
        # "rope", "roping" and "roper" meet in one form only if all lose their endings.
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def char_grams(size: int) -> Tokenizer:
    """A tokenizer into overlapping runs of letters, which needs no stemming."""

    def grams(text: str) -> list[str]:
        line = f" {' '.join(plain_words(text))} "
        return [line[start : start + size] for start in range(len(line) - size + 1)]

    return grams


@dataclass(frozen=True)
class Counts:
    """How often each term stands in each doc and in each query."""

    docs: Matrix
    queries: Matrix

    @classmethod
    def of(cls, texts: Sequence[str], queries: Sequence[str], cut: Tokenizer) -> Counts:
        """Count docs and queries over the terms that occur in some doc."""
        bags = [Counter(cut(text)) for text in texts]
        vocabulary = {term: column for column, term in enumerate(sorted(set().union(*bags)))}
        asked = [Counter(cut(query)) for query in queries]
        return cls(_table(bags, vocabulary), _table(asked, vocabulary))

    @property
    def lengths(self) -> Matrix:
        """Number of terms in each doc."""
        return np.asarray(self.docs.sum(axis=1), dtype=np.float64)

    @property
    def idf(self) -> Matrix:
        """Rarity of each term, never negative."""
        holders = (self.docs > 0).sum(axis=0)
        total = len(self.docs)
        return np.asarray(np.log1p((total - holders + 0.5) / (holders + 0.5)), dtype=np.float64)

    def only_matching(self, scores: Matrix) -> Matrix:
        """Drop the docs that share no term with the query."""
        return np.where(self.queries @ self.docs.T > 0, scores, -np.inf)


def _table(bags: Sequence[Counter[str]], vocabulary: dict[str, int]) -> Matrix:
    table = np.zeros((len(bags), len(vocabulary)))
    for row, bag in enumerate(bags):
        for term, count in bag.items():
            if term in vocabulary:
                table[row, vocabulary[term]] = count
    return table


def bm25(counts: Counts, k1: float, b: float) -> Matrix:
    """Okapi BM25."""
    lengths = counts.lengths
    norm = k1 * (1 - b + b * lengths / lengths.mean())
    weights = counts.docs * (k1 + 1) / (counts.docs + norm[:, None]) * counts.idf
    return counts.only_matching(counts.queries @ weights.T)


def dirichlet(counts: Counts, mu: float) -> Matrix:
    """Log likelihood of the query under doc models smoothed by the whole collection."""
    background = counts.docs.sum(axis=0) / counts.docs.sum()
    smoothed = (counts.docs + mu * background) / (counts.lengths[:, None] + mu)
    return counts.only_matching(counts.queries @ np.log(smoothed).T)


def feedback(counts: Counts, mu: float, docs: int, terms: int, weight: float) -> Counts:
    """Queries widened by the terms of the first docs they find, in the manner of RM3."""
    first = dirichlet(counts, mu)
    models = counts.docs / counts.lengths[:, None]
    widened = np.zeros_like(counts.queries)
    for row, scores in enumerate(first):
        best = best_columns(scores, docs)
        likelihood = np.exp(scores[best] - scores[best].max())
        # Without idf the common words of the collection would crowd out the telling ones.
        relevance = (likelihood[:, None] * models[best]).sum(axis=0) * counts.idf
        kept = best_columns(relevance, terms)
        widened[row, kept] = relevance[kept] / relevance[kept].sum()
    asked = counts.queries / counts.queries.sum(axis=1, keepdims=True)
    return Counts(counts.docs, (1 - weight) * asked + weight * widened)


def _unit(rows: Matrix) -> Matrix:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0), dtype=np.float64)


def tfidf(counts: Counts) -> tuple[Matrix, Matrix]:
    """Unit vectors of docs and of queries."""
    return _unit(np.log1p(counts.docs) * counts.idf), _unit(counts.queries * counts.idf)


def cosine(counts: Counts) -> Matrix:
    """Cosine of tf-idf vectors."""
    docs, queries = tfidf(counts)
    return counts.only_matching(queries @ docs.T)


def latent(counts: Counts, rank: int) -> Matrix:
    """Cosine in the space of the largest singular vectors; every doc gets a score."""
    docs, queries = tfidf(counts)
    _, _, directions = np.linalg.svd(docs, full_matrices=False)
    kept = directions[:rank].T
    return _unit(queries @ kept) @ _unit(docs @ kept).T


def diversified(scores: Matrix, counts: Counts, balance: float) -> Matrix:
    """Maximal marginal relevance over the first docs of another ranker."""
    docs, _ = tfidf(counts)
    likeness = docs @ docs.T
    result = np.full_like(scores, -np.inf)
    for row, relevance in enumerate(scores):
        waiting = best_columns(relevance, DEPTH)
        scale = relevance[waiting].max()
        taken: list[int] = []
        while waiting:
            gains = [
                balance * relevance[doc] / scale
                - (1 - balance) * max((likeness[doc, other] for other in taken), default=0.0)
                for doc in waiting
            ]
            taken.append(waiting.pop(int(np.argmax(np.round(gains, 9)))))
        result[row, taken] = 1.0 / np.arange(1, len(taken) + 1)
    return result


def fused(parts: Sequence[Matrix]) -> Matrix:
    """Reciprocal rank fusion."""
    total = np.zeros_like(parts[0])
    for part in parts:
        for row, scores in enumerate(part):
            best = best_columns(scores, DEPTH)
            total[row, best] += 1.0 / (60 + np.arange(1, len(best) + 1))
    return np.where(total > 0, total, -np.inf)


def person(grades: Sequence[Sequence[int]], slip: float, found: int, seed: int) -> Matrix:
    """Someone who knows what is relevant but errs, and lists only what they had time to find."""
    truth = np.array(grades, dtype=np.float64)
    opinion = truth + slip * _draws(truth.shape, seed, NormalDist().inv_cdf)
    result = np.full_like(opinion, -np.inf)
    for row, scores in enumerate(opinion):
        best = best_columns(scores, found)
        result[row, best] = scores[best]
    return result


def worst_first(scores: Matrix) -> Matrix:
    """The same docs as another ranker would return, upside down."""
    result = np.full_like(scores, -np.inf)
    for row, original in enumerate(scores):
        best = best_columns(original, DEPTH)
        result[row, best] = -original[best]
    return result


def by_length(counts: Counts) -> Matrix:
    """Longest doc first, whatever was asked."""
    return np.tile(counts.lengths, (len(counts.queries), 1))


def flat(counts: Counts) -> Matrix:
    """One score for all, so that only the tie-breaking rule of the reader makes an order."""
    return np.ones((len(counts.queries), len(counts.docs)))


def chance(counts: Counts, seed: int) -> Matrix:
    """An order drawn by lot."""
    return _draws((len(counts.queries), len(counts.docs)), seed, float)


def _draws(shape: tuple[int, ...], seed: int, shaped: Callable[[float], float]) -> Matrix:
    # The standard library promises the same stream in every version; numpy's does not.
    source = random.Random(seed)
    size = int(np.prod(shape))
    # An exact zero has no place on the normal curve.
    return np.array([shaped(source.random() or 0.5) for _ in range(size)]).reshape(shape)


def best_columns(scores: Matrix, depth: int) -> list[int]:
    """Columns of the best scores, ties to the earlier column.

    Rounding first keeps the order the same where platforms differ in the last bits.
    """
    rounded = np.round(scores, DECIMALS)
    order = np.argsort(-rounded, kind="stable")[:depth]
    return [int(column) for column in order if np.isfinite(rounded[column])]
