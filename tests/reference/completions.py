"""Completions and their scores in plain Python: one document, one draw at a time.

``runs`` are dicts topic -> ranking; ``groups`` name the group of each run; all runs are pooled. The
drawn effects of the regressions are given, so that rows, noise, grades and scores are compared.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from statistics import NormalDist

Rankings = dict[str, dict[str, list[str]]]
Effects = list[float]

MASK = (1 << 64) - 1
KNOTS = (2, 5, 10, 20, 40)


def key_of(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "big")


def mixed(key: int) -> int:
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB & MASK
    return key ^ (key >> 31)


def combined(*keys: int) -> int:
    key = 0
    for part in keys:
        key = mixed((key + 0x9E3779B97F4A7C15 & MASK) ^ part)
    return key


def bits(key: int, draw: int, seed: int, stream: str) -> int:
    start = combined(key_of(stream), seed, key)
    return mixed(start + (draw + 1) * 0x9E3779B97F4A7C15 & MASK)


def uniform(key: int, draw: int, seed: int, stream: str) -> float:
    return ((bits(key, draw, seed, stream) >> 41) + 0.5) / 2**23


def normal(key: int, draw: int, seed: int, stream: str) -> float:
    return NormalDist().inv_cdf(((bits(key, draw, seed, stream) >> 12) + 0.5) / 2**52)


def sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def rank_of(ranking: list[str], doc: str) -> int | None:
    return ranking.index(doc) + 1 if doc in ranking else None


def raw_features(runs: Rankings, groups: dict[str, str], topic: str, doc: str) -> list[float]:
    """The eleven rank features of a document; a group's runs weigh 1 together."""
    size = {group: sum(other == group for other in groups.values()) for group in groups.values()}
    weight = {run: 1 / size[groups[run]] for run in runs}
    total = math.fsum(weight.values())
    ranks = {run: rank_of(lists.get(topic, []), doc) for run, lists in runs.items()}
    listed = sorted(rank for rank in ranks.values() if rank is not None)

    def mean(of_rank: Callable[[float], float], absent: float) -> float:
        terms = [
            weight[run] * (absent if rank is None else of_rank(rank)) for run, rank in ranks.items()
        ]
        return math.fsum(terms) / total

    places = [math.log(listed[at - 1] if len(listed) >= at else 2000) for at in (1, 2, 3, 5)]
    return [
        math.log(mean(lambda rank: 1 / (60 + rank), 1 / 2060)),
        math.log(0.01 + mean(lambda rank: 0.95**rank, 0)),
        math.log(0.01 + mean(lambda rank: 0.8**rank, 0)),
        mean(math.log, math.log(2000)),
        mean(lambda rank: 1, 0),
        math.log(1 + total * mean(lambda rank: 1.0 if rank <= 30 else 0.0, 0)),
        mean(lambda rank: 30 / (30 + rank), 0),
        *places,
    ]


def standard(rows: list[list[float]]) -> tuple[list[float], list[float]]:
    """Mean and deviation of each column, 1 where all are equal."""
    means, deviations = [], []
    for column in zip(*rows, strict=True):
        mean = math.fsum(column) / len(column)
        deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in column) / len(column))
        means.append(mean)
        deviations.append(deviation if deviation > 1e-9 else 1.0)
    return means, deviations


def centred(numbers: list[float]) -> list[float]:
    mean = math.fsum(numbers) / len(numbers)
    return [number - mean for number in numbers]


@dataclass
class Rows:
    """Rows of the matrices: of the whole collection, and of a topic."""

    runs: Rankings
    groups: dict[str, str]
    rotation: list[list[float]]

    def __post_init__(self) -> None:
        self.names = sorted(self.runs)
        self.group_names = sorted(set(self.groups.values()))
        returned = {
            (topic, doc)
            for lists in self.runs.values()
            for topic, ranking in lists.items()
            for doc in ranking
        }
        near = sorted(pair for pair in returned if self.best(*pair) <= 30)
        self.mean, self.deviation = standard(
            [raw_features(self.runs, self.groups, *pair) for pair in near]
        )

    def best(self, topic: str, doc: str) -> int:
        ranks = [rank_of(lists.get(topic, []), doc) for lists in self.runs.values()]
        return min(rank for rank in ranks if rank is not None)

    def row(self, topic: str, doc: str) -> tuple[list[float], list[float]]:
        raw = raw_features(self.runs, self.groups, topic, doc)
        x = [(v - m) / s for v, m, s in zip(raw, self.mean, self.deviation, strict=True)]
        n = len(x)
        turned = [math.fsum(x[i] * self.rotation[i][j] for i in range(n)) for j in range(n)]
        ranks = [rank_of(self.runs[name].get(topic, []), doc) for name in self.names]
        share = [0.0 if rank is None else 30 / (30 + rank) for rank in ranks]
        flat = [0.0 if rank is None else 1.0 for rank in ranks]
        by_group = [
            max(s for name, s in zip(self.names, share, strict=True) if self.groups[name] == group)
            for group in self.group_names
        ]
        best = self.best(topic, doc)
        bends = [max(0.0, math.log(best / knot)) for knot in KNOTS]
        runs = centred(share)
        shared = [1.0, *turned, *runs, *centred(by_group), *centred(flat), *bends]
        return shared, [1.0, x[1], *bends, *runs]


@dataclass
class Drawing:
    """Everything that a draw needs of a fitted model.

    ``effects[step][draw]`` is (shared, by topic), ``means[step]`` the same of the posterior means;
    those of a step are added to those of the steps before it. ``noise[step][draw]`` is the part of
    a topic's deviations that does not follow from the shared ones. ``widening`` multiplies all
    deviations but the noise of a topic's level, slope and bends.
    """

    rows: Rows
    thresholds: list[int]
    effects: list[list[tuple[Effects, dict[str, Effects]]]]
    noise: list[list[dict[str, Effects]]]
    means: list[tuple[Effects, dict[str, Effects]]]
    widening: float

    def logit(self, topic: str, doc: str, at: tuple[Effects, dict[str, Effects]]) -> float:
        shared, own = self.rows.row(topic, doc)
        first = math.fsum(x * g for x, g in zip(shared, at[0], strict=True))
        return first + math.fsum(x * v for x, v in zip(own, at[1][topic], strict=True))

    def probabilities(self, topic: str, doc: str) -> list[list[float]]:
        """[steps][draws]: P(grade >= threshold), never more than that of a lesser grade."""
        table: list[list[float]] = []
        n = len(self.effects[0])
        centre, drawn, own = 0.0, [0.0] * n, [0.0] * n
        narrow = 2 + len(KNOTS)
        row = self.rows.row(topic, doc)[1][:narrow]
        for step in range(len(self.thresholds)):
            centre += self.logit(topic, doc, self.means[step])
            for draw in range(n):
                drawn[draw] += self.logit(topic, doc, self.effects[step][draw])
                noise = self.noise[step][draw][topic][:narrow]
                own[draw] += math.fsum(x * v for x, v in zip(row, noise, strict=True))
            expected = math.fsum(map(sigmoid, drawn)) / n
            target = expected**0.7 * sigmoid(centre) ** 0.3
            z = [
                centre + self.widening * (each - centre - mine) + mine
                for each, mine in zip(drawn, own, strict=True)
            ]
            low, high = -60.0, 60.0
            for _ in range(60):
                shift = (low + high) / 2
                above = math.fsum(sigmoid(each + shift) for each in z) / n > target
                low, high = (low, shift) if above else (shift, high)
            p = [sigmoid(each + shift) for each in z]
            table.append([min(pair) for pair in zip(p, table[-1], strict=True)] if table else p)
        return table

    def grade(self, chance: float, probabilities: list[float]) -> int:
        grade = 0
        for least, p in zip(self.thresholds, probabilities, strict=True):
            if chance < p:
                grade = least
        return grade
