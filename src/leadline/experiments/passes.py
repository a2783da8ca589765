"""Passes: an order is asked again and again, and the qrels answer."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from leadline.collection.read import read
from leadline.experiments.official_map import official_map
from leadline.orders.order import Order, Stepper
from leadline.orders.pooling import Pooling, by_best_rank
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import UNRANKED, Runs

MissingAnswers = Literal["nonrelevant", "bypass"]
Ranks = Literal["score", "listed"]


@dataclass(frozen=True, eq=False)
class PassSetup:
    """A collection read one way, and its runs by MAP, which is the official one where known."""

    runs: Runs
    judgments: Judgments
    official: bool
    by_map: Int64s
    notices: tuple[str, ...]

    @property
    def n_best(self) -> int:
        """A third of the runs, as the paper takes, but at least five."""
        return min(len(self.runs.names), max(5, len(self.runs.names) // 3))

    @property
    def n_pairs(self) -> int:
        """Pairs that some run returns."""
        return int((self.runs.best_rank < UNRANKED).sum())

    def lists(self, pairs: Int64s | None = None) -> Lists:
        """The lists as if only these pairs were judged, what the qrels lack being non-relevant."""
        if pairs is None:
            return Lists.of(self.runs, self.judgments)
        judged: Bools = np.zeros(len(self.runs.pairs), np.bool_)
        judged[pairs] = True
        grade = np.where(judged, self.judgments.grade, np.int16(0))
        known = Judgments(self.runs.pairs, judged, grade, max_grade=self.judgments.max_grade)
        return Lists.of(self.runs, known)


@lru_cache(maxsize=2)
def pass_setup(folder: str, ranks: Ranks) -> PassSetup:
    """The collection, read once in each process."""
    collection = read(Path(folder), ranks=ranks)
    means, official = official_map(collection)
    by_map = np.argsort(-means, kind="stable")
    notices = tuple(collection.notices.lines())
    return PassSetup(collection.runs, collection.judgments, official, by_map, notices)


def handled(
    order: Order, on: PassSetup, limit: int, missing: MissingAnswers, then: Order | None = None
) -> Int64s:
    """The pairs that an order asks for, until so many are judged or there are no more.

    What the qrels do not hold is non-relevant and counts, or is bypassed and does not. An order
    that has nothing more to ask is followed by `then`, which knows all that was judged so far.
    """
    pairs: list[int] = []
    _ask(order.start(on.runs), on, limit, missing, pairs)
    if then is not None and len(pairs) < limit:
        stepper = then.start(on.runs)
        for pair in pairs:
            stepper.tell(pair, int(on.judgments.grade[pair]))
        _ask(stepper, on, limit - len(pairs), missing, pairs)
    return np.array(pairs, np.int64)


def _ask(
    stepper: Stepper, on: PassSetup, limit: int, missing: MissingAnswers, pairs: list[int]
) -> None:
    known, grade = on.judgments.judged, on.judgments.grade
    counted = 0
    while counted < limit:
        chosen = stepper.next(1)
        if not chosen:
            return
        pair = chosen[0].pair
        pairs.append(pair)
        if missing == "nonrelevant" or known[pair]:
            stepper.tell(pair, int(grade[pair]))
            counted += 1
        else:
            stepper.spend(pair)


@dataclass(frozen=True)
class PoolingByRun(Pooling):
    """Pooling as the paper may have done it: run after run, by place or else as they come."""

    place: tuple[int, ...] = ()

    def turns(self, runs: Runs) -> Floats:
        """At each rank all topics of one run, then all of the next."""
        place = np.array(self.place or range(len(runs.names)), np.float64)
        return np.broadcast_to(place[:, None], runs.length.shape)


def pool_of_shuffled_runs(on: PassSetup, random: np.random.Generator) -> Int64s:
    """All pairs in the order of PoolingByRun, the runs in an order drawn at random.

    The paper does not say which of equal ranks comes first, so this shows what is chance.
    """
    order = PoolingByRun(p=0.5, place=tuple(random.permutation(len(on.runs.names)).tolist()))
    return by_best_rank(on.runs, order.turns(on.runs))
