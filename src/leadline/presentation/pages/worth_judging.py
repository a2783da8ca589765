"""The unjudged documents whose judgment would tell most."""

from dataclasses import dataclass

import numpy as np

from leadline.judging.standings import NOTHING, heads
from leadline.measures.measure import Measure
from leadline.orders.difference import Difference
from leadline.orders.method_c import MethodC
from leadline.orders.order import Order
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
    runs: Runs, judgments: Judgments, measures: list[Measure], n: int = HOW_MANY
) -> WorthJudging:
    """What to judge next to learn who is best; where that is certain, to narrow the intervals."""
    persistence = next((p for each in measures if (p := getattr(each, "p", None))), USUAL_P)
    rel = next((r for each in measures if (r := getattr(each, "rel", None))), 1)
    decisive: Order = Difference(p=persistence, rel=rel)
    # Deeper ranks weigh nothing, and a thousand documents take long to set up.
    weighty = heads(runs, int(np.ceil(np.log(NOTHING) / np.log(persistence))))
    chosen = decisive.start(weighty, judgments).next(n)
    if chosen:
        found = tuple(_worth(runs, each.pair, each.weight) for each in chosen)
        return WorthJudging(decisive, True, found)
    wide: Order = MethodC(p=persistence, rel=rel)
    chosen = wide.start(weighty, judgments).next(n)
    return WorthJudging(wide, False, tuple(_worth(runs, each.pair, each.weight) for each in chosen))


def _worth(runs: Runs, pair: int, weight: float | None) -> Worth:
    holders = runs.postings
    part = slice(int(holders.start[pair]), int(holders.start[pair + 1]))
    rank = holders.rank[part]
    best = int(np.argmin(rank))
    return Worth(
        *runs.pairs.name(pair),
        weight,
        len(rank),
        runs.names[int(holders.run[part][best])],
        int(rank[best]),
    )
