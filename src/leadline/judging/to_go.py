"""How many judgments are to go until a rule says stop: a range, from playing the rest in advance.

What nobody has judged is drawn from a model of what was, several times over. In each of these
worlds the order goes on asking and is told what it holds, until the rule stops it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from leadline.estimators.score_model import ScoreModel
from leadline.judging.session import Session
from leadline.judging.stops import Stop
from leadline.measures.weighted import Weighted
from leadline.orders.order import Order
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

N_WORLDS = 5
WIDER = 1.4
"""How much further the range reaches than the worlds: the model knows only what was judged."""

FIRST_STEP, LOOKS = 10, 60
"""In the first world so many are asked for at a time, then about so many times in all."""


@dataclass(frozen=True)
class ToGo:
    """At least and at most so many judgments, 0 to 0 once it is enough."""

    least: int
    most: int

    def within(self, left: int | None) -> "ToGo":
        """The same where a budget leaves no more than this."""
        if left is None:
            return self
        return ToGo(min(self.least, left), min(self.most, left))

    def since(self, n: int) -> "ToGo":
        """The same after n more judgments; at least one is to go until the rule says otherwise."""
        return ToGo(max(1, self.least - n), max(1, self.most - n))


@dataclass(frozen=True)
class Rest:
    """What is to be played: runs, order and rule, and the grades that are known."""

    runs: Runs
    order: Order
    stop: Stop
    measure: Weighted
    grade: dict[int, int]

    def play(self, world: dict[int, int], step: int, pause: Callable[[], None]) -> int:
        """How many judgments it takes in one world; pairs without a grade there are graded 0."""
        n_pairs = len(self.runs.pairs)
        judged, grade = np.zeros(n_pairs, np.bool_), np.zeros(n_pairs, np.int16)
        known = np.fromiter(self.grade, np.int64, len(self.grade))
        judged[known] = True
        grade[known] = list(self.grade.values())
        given = Judgments(self.runs.pairs, judged, grade)
        session = Session(self.runs, self.order, self.stop, given, self.measure)
        n = 0
        while session.reason() is None:
            asked = session.ask(step)
            for choice in asked:
                session.count(choice.pair, world.get(choice.pair, 0))
            n += len(asked)
            if not asked:
                break
            pause()
        return n


def to_go(
    rest: Rest,
    model: ScoreModel,
    judged: Bools,
    gain: Floats,
    pause: Callable[[], None] = lambda: None,
) -> ToGo:
    """A range for how many more judgments it takes; `judged` and `gain` are of the model's pairs.

    Formula: from min_w n_w / 1.4 to 1.4 max_w n_w, over five worlds w

    Documents that no run ranks high enough to count are taken for not relevant. The last batch of a
    world is counted by half, because the rule may have been met anywhere within it.
    """
    table = rest.measure.gain(max(1, *rest.grade.values()))
    best = int(np.argmax(table))
    worlds = model.worlds(judged, gain, N_WORLDS, seed=0)
    counts: list[float] = []
    step = FIRST_STEP
    pair = model.weights.pair
    for world in worlds:
        found = dict.fromkeys(pair[(world > 0) & ~judged].tolist(), best)
        n = rest.play(found, step, pause)
        counts.append(max(1.0, n - step / 2))
        step = max(1, n // LOOKS)
    return ToGo(max(1, math.floor(min(counts) / WIDER)), math.ceil(max(counts) * WIDER))
