"""Orders that choose a run and take its next document; conventions are those of ``orders``."""

import numpy as np

from .orders import TIE, Order, Pair, Runs, Step


class TopicsInTurn(Order):
    """Topics take turns in topic order; in its turn a topic plays one of its runs.

    A topic with nothing left is passed over. The pair is the highest ranked one of the played run
    that was not chosen before.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self.turn = 0
        self.played: dict[Pair, int] = {}

    def left_of(self, s: int, topic: str) -> list[str]:
        """The docs of this run and topic that were not chosen yet, best first."""
        ranking = self.runs[s].get(topic, [])
        return [doc for doc in ranking if (topic, doc) not in self.chosen]

    def value(self, s: int, topic: str) -> float:
        """What a topic chooses its runs by: the highest, ties to the first given."""
        raise NotImplementedError

    def weight(self, s: int, topic: str) -> float | None:
        raise NotImplementedError

    def next(self) -> Step | None:
        for _ in self.topics:
            topic = self.topics[self.turn % len(self.topics)]
            self.turn += 1
            playable = [s for s in range(len(self.runs)) if self.left_of(s, topic)]
            if playable:
                highest = max(self.value(s, topic) for s in playable)
                s = min(s for s in playable if self.value(s, topic) >= highest - TIE)
                pair = topic, self.left_of(s, topic)[0]
                self.played[pair] = s
                self.chosen[pair] = None
                return pair, self.weight(s, topic)
        return None


class MoveToFront(TopicsInTurn):
    """Each run of a topic starts at priority 0 and loses 1 by a non-relevant document."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self.priority = {(s, topic): 0 for s in range(len(runs)) for topic in self.topics}

    def value(self, s: int, topic: str) -> float:
        return self.priority[s, topic]

    def weight(self, s: int, topic: str) -> float | None:
        return None

    def tell(self, pair: Pair, relevant: bool) -> None:
        super().tell(pair, relevant)
        if not relevant:
            self.priority[self.played[pair], pair[0]] -= 1


class MaxMean(TopicsInTurn):
    """The run with the highest mean (1 + jrel) / (2 + jret); only the played run learns.

    rate = 1 remembers all answers alike (stationary), rate = 0 only the last (non-stationary).
    """

    def __init__(self, runs: Runs, rate: float) -> None:
        super().__init__(runs)
        self.rate = rate
        self.jrel = {(s, topic): 0.0 for s in range(len(runs)) for topic in self.topics}
        self.jret = {(s, topic): 0.0 for s in range(len(runs)) for topic in self.topics}

    def value(self, s: int, topic: str) -> float:
        return (1 + self.jrel[s, topic]) / (2 + self.jret[s, topic])

    def weight(self, s: int, topic: str) -> float | None:
        return self.value(s, topic)

    def tell(self, pair: Pair, relevant: bool) -> None:
        super().tell(pair, relevant)
        arm = self.played[pair], pair[0]
        self.jrel[arm] = self.rate * self.jrel[arm] + (1 if relevant else 0)
        self.jret[arm] = self.rate * self.jret[arm] + 1


class Thompson(TopicsInTurn):
    """The run with the largest draw from Beta(1 + jrel, 1 + jret - jrel); the played run learns.

    A topic's draws are those of a generator seeded with seed, topic and answers so far, run by run.
    """

    def __init__(self, runs: Runs, seed: int) -> None:
        super().__init__(runs)
        self.seed = seed
        self.answers: dict[tuple[int, str], list[bool]] = {
            (s, topic): [] for s in range(len(runs)) for topic in self.topics
        }

    def value(self, s: int, topic: str) -> float:
        counts = [len(self.answers[run, topic]) for run in range(len(self.runs))]
        random = np.random.default_rng([self.seed, self.topics.index(topic), sum(counts)])
        drawn = []
        for run, n in enumerate(counts):
            found = sum(self.answers[run, topic])
            drawn.append(random.beta(1 + found, 1 + n - found))
        return drawn[s]

    def weight(self, s: int, topic: str) -> float | None:
        return self.value(s, topic)

    def tell(self, pair: Pair, relevant: bool) -> None:
        super().tell(pair, relevant)
        self.answers[self.played[pair], pair[0]].append(relevant)
