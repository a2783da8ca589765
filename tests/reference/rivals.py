"""Rivals of the assisted estimate, written plainly: LARA, one-shot labels, whole topics.

Labels are {topic: {doc: share of the judge's highest label}}, the mean over judges; a pair that no
judge labelled is not there. Grades are {topic: {doc: grade}}.
"""

import math
from collections import Counter

from scipy.optimize import minimize

Pair = tuple[str, str]


def lara_chances(
    said: dict[Pair, float], judged: dict[Pair, int], top: int, rate: float
) -> dict[Pair, list[float]]:
    """P(grade >= g), g = 1 .. top, of every pair: (1 - w) pi + w sigma(b0 + b1 pi).

    b0 and b1 make the log loss of the judged pairs, with a ridge of .01, least.
    """
    w = min(1.0, rate * len(judged))
    chances: dict[Pair, list[float]] = {pair: [] for pair in said}
    for g in range(1, top + 1):

        def loss(b: list[float], g: int = g) -> float:
            total = 0.005 * (b[0] ** 2 + b[1] ** 2)
            for pair, grade in judged.items():
                z = b[0] + b[1] * said[pair]
                total += math.log1p(math.exp(-abs(z))) + max(z, 0.0) - (grade >= g) * z
            return total

        b0, b1 = minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).x
        for pair, pi in said.items():
            claimed = min(1.0, max(0.0, top * pi - g + 1))
            calibrated = 1 / (1 + math.exp(-(b0 + b1 * pi)))
            chances[pair].append((1 - w) * claimed + w * calibrated)
    return chances


def lara_grade(chances: list[float]) -> int:
    """The last grade that is likelier than not, as all those below it."""
    grade = 0
    for p in chances:
        if p < 0.5:
            break
        grade += 1
    return grade


def bm25(documents: dict[str, list[str]], query: list[str], doc: str) -> float:
    """Okapi BM25 with k1 = .9 and b = .4, statistics by these documents."""
    mean = max(sum(map(len, documents.values())) / len(documents), 1.0)
    total = 0.0
    for word, asked in Counter(query).items():
        holding = sum(word in words for words in documents.values())
        idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        tf = documents[doc].count(word)
        usual = 0.9 * (0.6 + 0.4 * len(documents[doc]) / mean)
        total += asked * idf * tf * 1.9 / (tf + usual)
    return total


def one_shot(documents: dict[str, list[str]], judged: dict[str, int], k: int) -> dict[str, float]:
    """Gain of each document as a share of the largest, by nearness to the best judged one."""
    best = max(judged.values(), default=0)
    if best <= 0:
        return dict.fromkeys(documents, 0.0)
    example = min(doc for doc, grade in judged.items() if grade == best)
    score = {doc: bm25(documents, documents[example], doc) for doc in documents if doc != example}
    by_score = sorted(score, key=lambda doc: (-round(score[doc], 9), doc))
    near = [doc for doc in by_score if score[doc] > 0][:k]
    return dict.fromkeys(documents, 0.0) | {doc: (k - i) / k for i, doc in enumerate(near)}


def whole_topics(runs: dict[str, dict[str, list[str]]], luck: dict[str, float]) -> list[Pair]:
    """Topics by their luck, documents by best rank, equals by name."""
    best: dict[Pair, int] = {}
    for lists in runs.values():
        for topic, ranking in lists.items():
            for rank, doc in enumerate(ranking):
                best[topic, doc] = min(rank, best.get((topic, doc), rank))
    return sorted(best, key=lambda pair: (luck[pair[0]], best[pair], pair[1]))
