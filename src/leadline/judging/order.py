"""What every order is: a named thing that starts a stepper, asked and told; plain orders."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from leadline.data.arrays import Floats, Int64s
from leadline.data.draw import draw, draw_pairs
from leadline.data.judgments import Judgments
from leadline.data.runs import UNRANKED, Runs
from leadline.measures.measure import Weighted, parse_numerator
from leadline.measures.rbp import RBP
from leadline.registry import Named, Registry, other_names

if TYPE_CHECKING:
    from leadline.judging.likely_winner import LikelyState
    from leadline.judging.two_runs import TwoRunSample


@dataclass(frozen=True)
class Choice:
    """A pair to judge, and how much it weighed when it was chosen (None if the order has none)."""

    pair: int
    weight: float | None


class Stepper(ABC):
    """An order under way over certain runs.

    `next` hands out pairs and never the same twice; each is then out with an assessor until `tell`
    brings its grade, or `release` brings it back unjudged.
    """

    @abstractmethod
    def next(self, k: int = 1) -> list[Choice]:
        """The k pairs to judge next; fewer if there are no more worth judging."""

    @abstractmethod
    def tell(self, pair: int, grade: int) -> None:
        """A pair's grade, whether it was asked for or not."""

    @abstractmethod
    def spend(self, pair: int) -> None:
        """A pair that was asked for will never be judged: count it as handled, and as nothing."""

    @abstractmethod
    def release(self, pair: int) -> None:
        """A pair that was asked for was not judged and may be asked for again."""

    @property
    def likely(self) -> "LikelyState | None":
        """What is likely by a model that is checked as the order goes on; None without one."""
        return None

    @property
    def two_runs(self) -> "TwoRunSample | None":
        """Return the sampled batches for the difference of two runs; None for other orders."""
        return None

    def weights(self, first: int, last: int) -> Floats | None:
        """What the pairs from `first` up to `last` weigh now, 0 if they are not to be asked for.

        None where pairs have no weights of their own. A pair taken by its weight is told of by
        `spend`, as one that is out.
        """
        return None

    def tell_all(self, judgments: Judgments) -> None:
        """Report all these judgments; one by one, unless a stepper knows better."""
        for pair in judgments.judged.nonzero()[0]:
            self.tell(int(pair), int(judgments.grade[pair]))

    def retract(self, pair: int, grade: int | None) -> bool:
        """Forget what was told of a pair (None: that it is spent), which is then out again.

        False where that cannot be done; whoever asks must start anew then.
        """
        return False


class Order(Named):
    """A frozen dataclass with fields as parameters.

    `exhaustive` tells whether every pair that some run returns is asked for in the end, or only
    what can still matter. The order in which runs are given plays no part. `uses_labels` tells
    whether labels by noisy judges change it, `needs_labels` whether it lives by them.
    """

    exhaustive: ClassVar[bool] = True
    uses_labels: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False

    @property
    def weighted(self) -> Weighted:
        """The measure that the order judges by: RBP with its `p` and `rel` unless it says."""
        return RBP(p=getattr(self, "p", 0.8), rel=getattr(self, "rel", 1))

    @property
    def learns_from_asking(self) -> bool:
        """Whether it matters to the order what it was asked, and not only what it was told.

        Some remember which run a document was asked of, or how much of a batch is left.
        """
        return True

    @abstractmethod
    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper that knows these judgments already."""

    @staticmethod
    def resume(stepper: Stepper, judgments: Judgments | None) -> Stepper:
        """The stepper after it was told all judgments."""
        if judgments is not None:
            stepper.tell_all(judgments)
        return stepper


orders: Registry[Order] = Registry(
    "order",
    "leadline.judging",
    other_names(
        {
            "MethodA": "MoffatA",
            "MethodB": "MoffatB",
            "MethodC": "MoffatC",
            "Pooling": "DepthFirst",
        }
    ),
)


class JudgedBy(Order):
    """An order with the fields `p`, `rel` and `measure`, of which p or measure is given."""

    p: float | None
    rel: int
    measure: str

    @property
    def weighted(self) -> Weighted:
        """RBP with p, or the sum of weights and gains that the measure is, or is a share of."""
        if self.p is not None:
            return RBP(p=self.p, rel=self.rel)
        # The shares of ranks: what grades are worth is for the order to know.
        measure = parse_numerator(self.measure)
        if measure.gains == "binary":
            return measure
        return replace(measure, gains="binary")  # type: ignore[type-var]

    @property
    def learns_from_asking(self) -> bool:
        return False

    def __post_init__(self) -> None:
        # One of both must be given, and make sense.
        if (self.p is None) == (not self.measure):
            name = type(self).__name__
            raise ValueError(f"give p, as in {name}(p=0.8), or measure='nDCG@10': one of them")
        self.weighted  # noqa: B018 - a measure that will not do is refused at once


class FixedOrder(Stepper):
    """Pairs one after the other, but for those that were judged meanwhile."""

    def __init__(self, pair: Int64s, weight: Floats | None, n_pairs: int) -> None:
        self.pair, self.weight = pair, weight
        self.done = np.zeros(n_pairs, np.bool_)
        self.place = np.full(n_pairs, len(pair))
        self.place[pair] = np.arange(len(pair))
        self.at = 0

    def next(self, k: int = 1) -> list[Choice]:
        chosen: list[Choice] = []
        while len(chosen) < k and self.at < len(self.pair):
            pair = int(self.pair[self.at])
            if not self.done[pair]:
                self.done[pair] = True
                weight = None if self.weight is None else float(self.weight[self.at])
                chosen.append(Choice(pair, weight))
            self.at += 1
        return chosen

    def weights(self, first: int, last: int) -> Floats:
        # The sooner the heavier; only the order of them means anything.
        place = self.place[first:last]
        asked = (place < len(self.pair)) & ~self.done[first:last]
        return np.where(asked, 1.0 / (1.0 + place), 0.0)

    def tell(self, pair: int, grade: int) -> None:
        self.done[pair] = True

    def retract(self, pair: int, grade: int | None) -> bool:
        return True

    def spend(self, pair: int) -> None:
        self.done[pair] = True

    def release(self, pair: int) -> None:
        self.done[pair] = False
        self.at = min(self.at, int(self.place[pair]))


@orders.register
@dataclass(frozen=True)
class Random(Order):
    """All pairs in random order: the baseline of all orders.

    Formula: by u(seed, topic, doc), uniform
    """

    seed: int = 0

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """A stepper over the pairs of all topics together."""
        pair = np.flatnonzero(runs.best_rank < UNRANKED)
        number = draw_pairs(self.seed, runs.pairs, pair)
        order = np.lexsort((pair, number))
        return self.resume(FixedOrder(pair[order], None, len(runs.pairs)), judgments)


@orders.register
@dataclass(frozen=True)
class TopicSample(Order):
    """Topics in random order, each judged completely: a random sample of topics.

    Formula: by the draw of the topic, then by best rank over the runs

    Equal ranks are in the order of the documents' names. What the judged topics say of all topics
    is told by their mean, or with labels by a noisy judge for all topics by the adjuster
    WebberTopics.
    """

    seed: int = 0

    @property
    def learns_from_asking(self) -> bool:
        return False

    def start(self, runs: Runs, judgments: Judgments | None = None) -> Stepper:
        """All pairs in this order."""
        luck = draw(self.seed, [(topic, "") for topic in runs.pairs.topics])
        pair = np.unique(runs.pair).astype(np.int64)
        order = np.lexsort((pair, runs.best_rank[pair], luck[runs.pairs.topic[pair]]))
        return self.resume(FixedOrder(pair[order], None, len(runs.pairs)), judgments)


@orders.register
@dataclass(frozen=True)
class DepthFirst(JudgedBy):
    """Pairs by their best rank in any run: all first documents, then all second ones.

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
