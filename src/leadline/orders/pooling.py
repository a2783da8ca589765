"""The order in which a pool grows."""

from dataclasses import dataclass

import numpy as np

from leadline.orders.fixed import FixedOrder
from leadline.orders.judged_by import JudgedBy
from leadline.orders.order import Stepper, orders
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.draw import draw
from leadline.tables.judgments import Judgments
from leadline.tables.runs import UNRANKED, Runs


@orders.register
@dataclass(frozen=True)
class Pooling(JudgedBy):
    """Pairs by their best rank in any run: first everybody's first documents, then the second.

    Formula: weight(d) = max_s c_sd; ties by the least u(seed, topic, s) of the runs s at that rank

    u is uniform, so which run comes first is drawn at random for every topic, and does not depend
    on the order in which the runs are given. `measure` in the place of `p` names what weighs ranks,
    for nDCG the discount of DCG; what weighs nothing comes too, at the end.

    Moffat, Webber and Zobel, Strategic system comparisons via targeted relevance judgments,
    SIGIR 2007.
    """

    p: float | None = None
    rel: int = 1
    seed: int = 0
    measure: str = ""

    @property
    def learns_from_asking(self) -> bool:
        return False

    def __post_init__(self) -> None:
        self.check_weights()

    def turns(self, runs: Runs) -> Floats:
        """Which list [runs, topics] gives its document first, where several have one at a rank."""
        topics = runs.pairs.topics
        lists = ((topic, run) for run in runs.names for topic in topics)
        return draw(self.seed, lists).reshape(len(runs.names), len(topics))

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        pair = by_best_rank(runs, self.turns(runs))
        rank = runs.best_rank[pair]
        weights = self.weighted.weights(int(rank.max(initial=1)))[rank - 1]
        return self.resume(FixedOrder(pair, weights, len(runs.pairs)), judgments)


def by_best_rank(runs: Runs, turns: Floats) -> Int64s:
    """All pairs that some run returns by their best rank, then by whose turn it is, then by topic.

    Of the lists that have a pair at its best rank, the one with the lowest turn gives it.
    """
    postings = runs.postings
    pair = np.flatnonzero(runs.best_rank < UNRANKED)
    n_lists = np.diff(postings.start)
    at_best = postings.rank == np.repeat(runs.best_rank, n_lists)
    topic = np.repeat(runs.pairs.topic, n_lists)
    turn = np.where(at_best, turns[postings.run, topic], np.inf)
    first = np.minimum.reduceat(turn, postings.start[pair]) if len(pair) else np.zeros(0)
    return pair[np.lexsort((pair, first, runs.best_rank[pair]))]
