"""Divergence measures of Hui, Berberich and Mele (ICTIR 2017), dense over the whole vocabulary.

- ``texts`` is a dict doc -> list of terms of every doc of the collection; a doc occurs once.
- ``relevant`` is a dict subtopic -> docs relevant to it. One without docs is skipped; without any
  left the topic has no score (NaN).
- ``ranking`` holds distinct docs, all with a text (an empty one will do). A list shorter than k has
  no gain past its end.
"""

import math
import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Texts = dict[str, list[str]]

MU = 2500.0
THETA = 0.8


def words(text: str) -> list[str]:
    """Lower-case runs of word characters, Unicode-aware, not stemmed."""
    return re.findall(r"\w+", text.lower())


class Collection:
    """The vocabulary, sorted, and P(v|D) = tf(v, D) / |D|, Eq. 4."""

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.vocabulary = sorted({term for terms in texts.values() for term in terms})
        self.at = {term: v for v, term in enumerate(self.vocabulary)}
        counts = self.counts(list(texts))
        self.background = counts / counts.sum()

    def counts(self, docs: list[str]) -> Vector:
        """tf(v, docs) of every term of the vocabulary."""
        counts = np.zeros(len(self.vocabulary))
        for doc in docs:
            for term in self.texts[doc]:
                counts[self.at[term]] += 1
        return counts

    def model(self, docs: list[str], mu: float = MU) -> Vector:
        """P(v|docs) = (tf(v, docs) + mu P(v|D)) / (|docs| + mu).

        Eqs. 5 and 6 print mu and mu P(v|D) in each other's place; so they are not distributions.
        """
        counts = self.counts(docs)
        return np.asarray((counts + mu * self.background) / (counts.sum() + mu))


def kld(p: Vector, q: Vector) -> float:
    """Eq. 7: sum over the vocabulary of p log(p / q), natural logarithm."""
    return float(np.sum(p * np.log(p / q)))


def subtopic_gains(
    collection: Collection,
    ranking: list[str],
    relevant: dict[str, list[str]],
    k: int,
    mu: float = MU,
    clip: bool = True,
) -> dict[str, list[float]]:
    """Eq. 8: subtopic i -> g(i, j) = max(0, 1 - KLD(q_i || R_j) / KLD(q_i || D)), j = 1, 2, ...

    R_j holds the first j docs. 0 where KLD(q_i || D) = 0: a subtopic that reads like the collection
    tells nothing, and without ``clip``, when gains may be below 0, it is left out if others tell.
    """
    gains: dict[str, list[float]] = {}
    for subtopic, docs in relevant.items():
        if not docs:
            continue
        of_subtopic = collection.model(docs, mu)
        from_collection = kld(of_subtopic, collection.background)
        gains[subtopic] = []
        for j in range(1, min(k, len(ranking)) + 1):
            from_results = kld(of_subtopic, collection.model(ranking[:j], mu))
            gain = 0.0
            if from_collection > 1e-15:
                gain = 1 - from_results / from_collection
            gains[subtopic].append(max(0.0, gain) if clip else gain)
    telling = {
        subtopic: of_subtopic
        for subtopic, of_subtopic in gains.items()
        if kld(collection.model(relevant[subtopic], mu), collection.background) > 1e-12
    }
    if clip or telling:
        return gains if clip else telling
    return {subtopic: [0.0] * len(of_subtopic) for subtopic, of_subtopic in gains.items()}


def rank_gains(gains: dict[str, list[float]], kind: Literal["ABS", "DELTA"]) -> list[float]:
    """Eqs. 9 and 10: g(j) = max_i g(i, j), or max(0, max_i (g(i, j) - g(i, j-1))), g(i, 0) = 0."""
    n = len(next(iter(gains.values())))
    result = []
    for j in range(n):
        values = []
        for of_subtopic in gains.values():
            before = of_subtopic[j - 1] if j > 0 else 0.0
            values.append(of_subtopic[j] if kind == "ABS" else of_subtopic[j] - before)
        result.append(max(values) if kind == "ABS" else max(0.0, *values))
    return result


def divergence(
    collection: Collection,
    ranking: list[str],
    relevant: dict[str, list[str]],
    kind: Literal["ABS", "DELTA"],
    bias: Literal["nb", "rb"],
    k: int = 20,
    mu: float = MU,
    theta: float = THETA,
    clip: bool = True,
) -> float:
    """Eq. 11, nb: sum over j <= k of g(j); Eq. 12, rb: (1 - theta) sum of g(j) theta^(j-1)."""
    gains = subtopic_gains(collection, ranking, relevant, k, mu, clip)
    if not gains:
        return math.nan
    score = 0.0
    for j, gain in enumerate(rank_gains(gains, kind), start=1):
        score += gain if bias == "nb" else (1 - theta) * gain * theta ** (j - 1)
    return score
