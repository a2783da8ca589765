"""The unjudged documents whose judgment would tell most."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from leadline.intervals.entry_weights import weighty_heads
from leadline.measures.measure import Measure
from leadline.measures.rbp import RBP
from leadline.orders.difference import Difference
from leadline.orders.method_c import MethodC
from leadline.orders.order import Choice, Order
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

HOW_MANY = 10
USUAL_P = 0.8


@dataclass(frozen=True)
class Worth:
    """An unjudged pair, its weight, how many runs return it, and the best of them with its rank."""

    topic: str
    doc: str
    weight: float | None
    n_runs: int
    best_run: str
    best_rank: int


@dataclass(frozen=True)
class WorthJudging:
    """Pairs in the order in which to judge them, and whether they can still change who is best.

    `measure` is the one by which they are chosen. `by_ideals` says that this holds for the ideals
    as judged so far, which may still grow. `n_unjudged` counts the pairs that a run returns and
    nobody judged.
    """

    order: Order
    measure: Measure
    decides: bool
    pairs: tuple[Worth, ...]
    n_unjudged: int

    @property
    def by_ideals(self) -> bool:
        """Whether the measure is a share of an ideal."""
        return self.measure.numerator != self.measure


def worth_judging(
    runs: Runs, judgments: Judgments, measures: Iterable[Measure], n: int = HOW_MANY
) -> WorthJudging:
    """Choose what to judge next to learn who is best, or, where that is certain, to narrow bounds.

    By the first of the measures that weighs ranks and leaves something to judge; where none does,
    by RBP(p=0.8).
    """
    weighted = [each for each in measures if each.numerator and not each.judged_only]
    usual = RBP(p=USUAL_P)
    listed = np.zeros(len(judgments.judged), np.bool_)
    listed[runs.pair] = True
    n_unjudged = int((listed & ~judgments.judged).sum())
    decide, narrow = True, False
    for some in (weighted, [usual]) if usual not in weighted else (weighted,):
        for decides, measure in product((decide, narrow), some):
            order = _order(measure, decides)
            # Deeper ranks weigh nothing, and a thousand documents take long to set up.
            chosen = order.start(weighty_heads(runs, order.weighted), judgments).next(n)
            if chosen:
                pairs = tuple(_worth(runs, choice) for choice in chosen)
                return WorthJudging(order, measure, decides, pairs, n_unjudged)
    return WorthJudging(_order(usual, decide), usual, decide, (), n_unjudged)


def _order(measure: Measure, decides: bool) -> Difference | MethodC:
    """The order that decides, or narrows the bounds, by a measure that weighs ranks."""
    kind = Difference if decides else MethodC
    p, rel = getattr(measure, "p", None), getattr(measure, "rel", 1)
    if p is not None and measure == RBP(p=p, rel=rel):
        return kind(p=p, rel=rel)
    return kind(measure=str(measure))


def _worth(runs: Runs, choice: Choice) -> Worth:
    at = np.flatnonzero(runs.pair == choice.pair)
    # The first by name of those that rank it best.
    best = at[np.lexsort((runs.place_by_name[runs.entries.run[at]], runs.entries.rank[at]))[0]]
    return Worth(
        *runs.pairs.name(choice.pair),
        choice.weight,
        len(at),
        runs.names[int(runs.entries.run[best])],
        int(runs.entries.rank[best]),
    )
