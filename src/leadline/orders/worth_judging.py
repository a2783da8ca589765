"""The unjudged documents whose judgment would tell most."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from leadline.intervals.entry_weights import weighty_heads
from leadline.measures.measure import Measure, parse_measure
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

    `by_ideals` says that this holds for the ideals as judged so far, which may still grow.
    """

    order: Order
    decides: bool
    pairs: tuple[Worth, ...]
    by_ideals: bool = False


def worth_judging(
    runs: Runs, judgments: Judgments, measures: Iterable[Measure], n: int = HOW_MANY
) -> WorthJudging:
    """What to judge next to learn who is best; where that is certain, to narrow the intervals.

    By the first of the measures that weighs ranks, RBP(p=0.8) if there is none.
    """
    candidates = _by_first(list(measures))
    order = candidates[0]
    # Deeper ranks weigh nothing, and a thousand documents take long to set up.
    near = weighty_heads(runs, order.weighted)
    chosen: list[Choice] = []
    for order in candidates:
        chosen = order.start(near, judgments).next(n)
        if chosen:
            break
    pairs = tuple(_worth(runs, choice) for choice in chosen)
    named = getattr(order, "measure", "")
    share = bool(named) and parse_measure(named).numerator != parse_measure(named)
    return WorthJudging(order, order is candidates[0], pairs, share)


def _by_first(measures: list[Measure]) -> tuple[Order, Order]:
    """The orders that decide and that narrow, by the first measure that they can take."""
    first = next((each for each in measures if each.numerator and not each.judged_only), None)
    if first is None:
        return Difference(p=USUAL_P), MethodC(p=USUAL_P)
    p, rel = getattr(first, "p", None), getattr(first, "rel", 1)
    if p is not None and first == RBP(p=p, rel=rel):
        return Difference(p=p, rel=rel), MethodC(p=p, rel=rel)
    return Difference(measure=str(first)), MethodC(measure=str(first))


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
