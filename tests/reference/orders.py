"""Orders in which to judge the documents of several runs, one (topic, doc) pair at a time.

Shared conventions:

- ``runs`` holds one dict per run, in the order in which the runs were given: topic -> ranking of
  distinct docs, best first. Rank counts from 1.
- The topics are all that any run has; names of digits only come first, by number, the others
  follow as text. T is their number. Pairs are numbered by topic, then by doc name.
- c[s, d] = (1 - p) p^(rank - 1), and 0 where run s does not return d.
- ``next()`` gives the pair to judge and its weight, or None when there is nothing to judge;
  ``tell(pair, relevant)`` gives the answer. Everything is recomputed from what was chosen and
  told so far.
- Weights (and other values that are compared) within a relative 1e-12 of the largest tie with it.
"""

import math
from collections.abc import Mapping
from typing import Literal

from .pools import u

Runs = list[dict[str, list[str]]]
Pair = tuple[str, str]
Step = tuple[Pair, float | None]
Scope = Literal["mean", "topic"]

TIE = 1e-10


def topic_key(topic: str) -> tuple[int, int, bytes]:
    """Sorts names of digits by number, then all other names as text."""
    if topic.isascii() and topic.isdigit():
        return 0, int(topic), topic.encode()
    return 1, 0, topic.encode()


def topics_of(runs: Runs) -> list[str]:
    """All topics that any run has, in topic order."""
    return sorted({topic for run in runs for topic in run}, key=topic_key)


def pairs_of(runs: Runs) -> list[Pair]:
    """All pairs that any run returns, by topic, then by the UTF-8 bytes of the doc name."""
    pairs = []
    for topic in topics_of(runs):
        docs = {doc for run in runs for doc in run.get(topic, [])}
        for doc in sorted(docs, key=lambda doc: doc.encode()):
            pairs.append((topic, doc))
    return pairs


def contributions(runs: Runs, p: float) -> list[dict[Pair, float]]:
    """c of every run: pair -> (1 - p) p^(rank - 1) for the pairs that the run returns."""
    c: list[dict[Pair, float]] = []
    for run in runs:
        of_run = {}
        for topic, ranking in run.items():
            for rank, doc in enumerate(ranking, start=1):
                of_run[topic, doc] = (1 - p) * p ** (rank - 1)
        c.append(of_run)
    return c


def holders_of(c: list[dict[Pair, float]]) -> dict[Pair, list[int]]:
    """pair -> the runs that return it."""
    holders: dict[Pair, list[int]] = {}
    for s, of_run in enumerate(c):
        for pair in of_run:
            holders.setdefault(pair, []).append(s)
    return holders


class Order:
    """What all orders share: the pairs, which of them were chosen, and the answers told.

    Those that are `graded` are told grades, all others whether a document is relevant.
    """

    graded = False

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.topics = topics_of(runs)
        self.pairs = pairs_of(runs)
        self.number = {pair: number for number, pair in enumerate(self.pairs)}
        self.chosen: dict[Pair, None] = {}  # a set that keeps its order
        self.told: dict[Pair, float] = {}

    def next(self) -> Step | None:
        raise NotImplementedError

    def tell(self, pair: Pair, relevant: bool) -> None:
        assert pair in self.chosen
        assert pair not in self.told
        self.told[pair] = relevant

    def left(self) -> list[Pair]:
        """The pairs not yet chosen, by number."""
        return [pair for pair in self.pairs if pair not in self.chosen]

    def heaviest(self, weights: dict[Pair, float]) -> Pair:
        """The pair with the lowest number of those that tie with the largest weight."""
        largest = max(weights.values())
        tied = [pair for pair, weight in weights.items() if weight >= largest * (1 - TIE)]
        return min(tied, key=lambda pair: self.number[pair])


class DepthFirst(Order):
    """By weight max_s c, that is by best rank; then by the first run with that rank, then topic.

    With a seed the run s that comes first on a topic is that with the least u(seed, topic, s);
    runs are called run0, run1, ... in the order in which they are given.
    """

    def __init__(self, runs: Runs, p: float, seed: int | None = None) -> None:
        super().__init__(runs)
        self.p = p
        # pair -> (its best rank, whose turn it is there, number of its topic)
        self.place: dict[Pair, tuple[int, float, int]] = {}
        for s, run in enumerate(runs):
            for topic, ranking in run.items():
                for rank, doc in enumerate(ranking, start=1):
                    turn = s if seed is None else u(seed, topic, f"run{s}")
                    place = rank, turn, self.topics.index(topic)
                    self.place[topic, doc] = min(place, self.place.get((topic, doc), place))

    def next(self) -> Step | None:
        left = self.left()
        if not left:
            return None
        pair = min(left, key=lambda pair: self.place[pair])
        self.chosen[pair] = None
        best_rank = self.place[pair][0]
        return pair, (1 - self.p) * self.p ** (best_rank - 1)


class WeightedSum(Order):
    """By weight sum_s c[s, d] * factor(s, topic), refreshed after every ``batch`` pairs."""

    def __init__(self, runs: Runs, p: float, scope: Scope, batch: int) -> None:
        super().__init__(runs)
        assert scope in ("mean", "topic")
        assert batch >= 1
        self.scope = scope
        self.batch = batch
        self.c = contributions(runs, p)
        self.holders = holders_of(self.c)
        # The pairs not yet chosen, with their weights at the start of the batch.
        self.weights: dict[Pair, float] = {}
        self.left_in_batch = 0

    def residuals(self, s: int) -> dict[str, float]:
        """topic -> 1 - sum of c over chosen pairs; at least 0 whatever the rounding."""
        terms = {topic: [1.0] for topic in self.topics}
        for pair in self.chosen:
            terms[pair[0]].append(-self.c[s].get(pair, 0.0))
        return {topic: max(0.0, math.fsum(terms[topic])) for topic in self.topics}

    def bases(self, s: int) -> dict[str, float]:
        """topic -> sum of c * gain over the pairs told."""
        terms: dict[str, list[float]] = {topic: [] for topic in self.topics}
        for pair, answer in self.told.items():
            terms[pair[0]].append(self.c[s].get(pair, 0.0) * self.gain(answer))
        return {topic: math.fsum(terms[topic]) for topic in self.topics}

    def gain(self, answer: float) -> float:
        """1 for a relevant document; a graded order has other gains."""
        return 1.0 if answer else 0.0

    def scoped(self, values: dict[str, float]) -> dict[str, float]:
        """The values themselves in topic scope; their mean for every topic in mean scope."""
        if self.scope == "topic":
            return values
        mean = math.fsum(values.values()) / len(self.topics)
        return dict.fromkeys(self.topics, mean)

    def factor(self, r: float, base: float) -> float:
        """What the contributions of a run with this residual and base are multiplied by."""
        raise NotImplementedError

    def refreshed_weights(self) -> dict[Pair, float]:
        factors = []
        for s in range(len(self.runs)):
            r = self.scoped(self.residuals(s))
            base = self.scoped(self.bases(s))
            factors.append({topic: self.factor(r[topic], base[topic]) for topic in self.topics})
        weights = {}
        for pair in self.left():
            terms = [self.c[s][pair] * factors[s][pair[0]] for s in self.holders[pair]]
            weights[pair] = math.fsum(terms)
        return weights

    def next(self) -> Step | None:
        if self.left_in_batch == 0:
            self.weights = self.refreshed_weights()
            self.left_in_batch = self.batch
        if not self.weights:
            return None
        pair = self.heaviest(self.weights)
        weight = self.weights.pop(pair)
        self.left_in_batch -= 1
        self.chosen[pair] = None
        return pair, weight


class MoffatA(WeightedSum):
    """sum_s c."""

    def __init__(self, runs: Runs, p: float) -> None:
        super().__init__(runs, p, "mean", 1)

    def factor(self, r: float, base: float) -> float:
        return 1.0


class MoffatB(WeightedSum):
    """sum_s c * r[s]."""

    def __init__(self, runs: Runs, p: float, scope: Scope = "mean", batch: int = 1) -> None:
        super().__init__(runs, p, scope, batch)

    def factor(self, r: float, base: float) -> float:
        return r


class MoffatC(WeightedSum):
    """sum_s c * r[s] * (base[s] + r[s] / 2)^power."""

    def __init__(
        self, runs: Runs, p: float, scope: Scope = "mean", batch: int = 1, power: int = 3
    ) -> None:
        super().__init__(runs, p, scope, batch)
        self.power = power

    def factor(self, r: float, base: float) -> float:
        return r * math.pow(base + r / 2, self.power)


class GradedC(MoffatC):
    """Method C where base[s] = sum of c * gain, gain = grade / the best grade told so far."""

    graded = True

    def gain(self, answer: float) -> float:
        return answer / max(1.0, *self.told.values())


def upper_end(
    c_a: dict[Pair, float], c_b: dict[Pair, float], judged: Mapping[Pair, float], n_topics: int
) -> float:
    """Largest score_a - score_b: base_a - base_b + sum over unjudged d of max(0, c_ad - c_bd).

    Mean over topics. Only docs that a returns can have c_ad > c_bd. A judged doc counts its gain.
    """
    base_a = math.fsum(c_a.get(pair, 0.0) * gain for pair, gain in judged.items())
    base_b = math.fsum(c_b.get(pair, 0.0) * gain for pair, gain in judged.items())
    gains = []
    for pair in c_a:
        if pair not in judged:
            gains.append(max(0.0, c_a[pair] - c_b.get(pair, 0.0)))
    return (base_a - base_b + math.fsum(gains)) / n_topics


def joint_upper(runs: Runs, p: float, judged: dict[Pair, bool], a: int, b: int) -> float:
    """Upper end of score_a - score_b over all completions of the listed unjudged docs.

    Mean over topics; what the lists do not show (the tails) counts for nothing.
    """
    c = contributions(runs, p)
    return upper_end(c[a], c[b], judged, len(topics_of(runs)))


def joint_lower(runs: Runs, p: float, judged: dict[Pair, bool], a: int, b: int) -> float:
    """Lower end of the same: the upper end of score_b - score_a, turned round."""
    return -joint_upper(runs, p, judged, b, a)


class CertainWinner(Order):
    """By sum over contenders s of upper(s)^2 * |c[s, d] - c[L, d]|, L the leader.

    The leader has the highest base (ties: the first given); upper(s) is the upper end of the joint
    interval of score_s - score_L; contenders are the other runs with upper(s) > 1e-12.
    """

    def __init__(self, runs: Runs, p: float) -> None:
        super().__init__(runs)
        self.c = contributions(runs, p)
        self.holders = holders_of(self.c)

    def leader(self) -> int:
        """The first run whose base ties with the highest."""
        bases = []
        for of_run in self.c:
            terms = [of_run.get(pair, 0.0) * gain for pair, gain in self.told.items()]
            bases.append(math.fsum(terms) / len(self.topics))
        highest = max(bases)
        return min(s for s, base in enumerate(bases) if base >= highest * (1 - TIE))

    def contenders(self, leader: int) -> dict[int, float]:
        """run -> upper(run) of the runs that can still end above the leader."""
        found = {}
        for s in range(len(self.runs)):
            if s != leader:
                upper = upper_end(self.c[s], self.c[leader], self.told, len(self.topics))
                if upper > TIE:
                    found[s] = upper
        return found

    def next(self) -> Step | None:
        left = self.left()
        if not left:
            return None
        leader = self.leader()
        contenders = self.contenders(leader)
        if not contenders:
            return None
        weights = {}
        for pair in left:
            c_leader = self.c[leader].get(pair, 0.0)
            # Where the leader has 0, a run that does not hold the pair differs by 0.
            others = contenders if pair in self.c[leader] else self.holders[pair]
            terms = []
            for s in others:
                if s in contenders:
                    terms.append(contenders[s] ** 2 * abs(self.c[s].get(pair, 0.0) - c_leader))
            weights[pair] = math.fsum(terms)
        pair = self.heaviest(weights)
        self.chosen[pair] = None
        return pair, weights[pair]


class ShareDifference(CertainWinner):
    """The same for nDCG@k: c is 1 / log2(rank + 1) over the topic's ideal so far.

    Grades count as shares of the best told so far. The ideal is that of the documents told, at
    least that of one document of the best grade.
    """

    graded = True

    def __init__(self, runs: Runs, k: int, exponential: bool = False) -> None:
        super().__init__(runs, 0.5)
        self.k, self.exponential = k, exponential
        self.grades: dict[Pair, int] = {}

    def tell(self, pair: Pair, grade: int) -> None:
        super().tell(pair, grade > 0)
        self.grades[pair] = grade

    def gain(self, grade: int) -> float:
        best = max([1, *self.grades.values()])
        return (2**grade - 1) / (2**best - 1) if self.exponential else grade / best

    def next(self) -> Step | None:
        self.told = {pair: self.gain(grade) for pair, grade in self.grades.items()}
        ideal = {}
        for topic in self.topics:
            gains = sorted((g for pair, g in self.told.items() if pair[0] == topic), reverse=True)
            terms = [g / math.log2(rank + 1) for rank, g in enumerate(gains[: self.k], start=1)]
            ideal[topic] = max(1.0, math.fsum(terms))
        self.c = [
            {
                (topic, doc): 1 / math.log2(rank + 1) / ideal[topic]
                for topic, ranking in run.items()
                for rank, doc in enumerate(ranking[: self.k], start=1)
            }
            for run in self.runs
        ]
        self.holders = {pair: [] for pair in self.pairs} | holders_of(self.c)
        return super().next()


class RandomOrder(Order):
    """By ascending u(seed, topic, doc); no weights."""

    def __init__(self, runs: Runs, seed: int) -> None:
        super().__init__(runs)
        self.u = {(topic, doc): u(seed, topic, doc) for topic, doc in self.pairs}

    def next(self) -> Step | None:
        left = self.left()
        if not left:
            return None
        pair = min(left, key=lambda pair: (self.u[pair], self.number[pair]))
        self.chosen[pair] = None
        return pair, None


def simulate(
    order: Order, grades: dict[Pair, int], steps: int | None = None
) -> list[tuple[Pair, float | None, bool]]:
    """The first ``steps`` (all if None) pairs with their weights and answers.

    The answer to a pair is whether its grade is at least 1; a pair without a grade is not relevant.
    """
    log: list[tuple[Pair, float | None, bool]] = []
    while steps is None or len(log) < steps:
        step = order.next()
        if step is None:
            break
        pair, weight = step
        relevant = grades.get(pair, 0) >= 1
        order.tell(pair, relevant)
        log.append((pair, weight, relevant))
    return log
