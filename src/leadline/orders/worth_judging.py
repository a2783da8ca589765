"""The unjudged documents whose judgment would tell most."""

from collections.abc import Iterable
from dataclasses import dataclass

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
    """Pairs in the order in which to judge them, and whether they can still change who is best."""

    order: Order
    decides: bool
    pairs: tuple[Worth, ...]


def worth_judging(
    runs: Runs, judgments: Judgments, measures: Iterable[Measure], n: int = HOW_MANY
) -> WorthJudging:
    """What to judge next to learn who is best; where that is certain, to narrow the intervals."""
    measures = list(measures)
    p = next((p for measure in measures if (p := getattr(measure, "p", None))), USUAL_P)
    rel = next((rel for measure in measures if (rel := getattr(measure, "rel", None))), 1)
    # Deeper ranks weigh nothing, and a thousand documents take long to set up.
    near = weighty_heads(runs, RBP(p=p))
    candidates: tuple[Order, Order] = Difference(p=p, rel=rel), MethodC(p=p, rel=rel)
    order = candidates[0]
    chosen: list[Choice] = []
    for order in candidates:
        chosen = order.start(near, judgments).next(n)
        if chosen:
            break
    pairs = tuple(_worth(runs, choice) for choice in chosen)
    return WorthJudging(order, order is candidates[0], pairs)


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
