"""The passes of moffat07: what each judges, and what it tells for which table and figure."""

from functools import lru_cache
from typing import Any

import numpy as np

from leadline.comparison.bases import Basis, set_against
from leadline.comparison.significance import Wilcoxon
from leadline.experiments.certainty import BeforeJudging, Trail
from leadline.experiments.moffat07_readings import (
    METHODS,
    OTHERS,
    OURS,
    PAPER,
    ListReading,
    P,
    order_of,
)
from leadline.experiments.papers import Setting
from leadline.experiments.passes import (
    PassSetup,
    Ranks,
    handled,
    pass_setup,
    pool_of_shuffled_runs,
)
from leadline.experiments.runner import Cell
from leadline.measures.ap import AP
from leadline.measures.rbp import RBP
from leadline.orders.method_c import MethodC
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.scores import Scores

PS = (0.5, 0.8, 0.95)
CUTS = (1000, 2000, 5000, 10000, 20000)
TESTED = (5000, 10000, 20000)
SET = 10000
"""Tables 3 and 4 compare sets of this many judgments."""

LEVEL = 0.05
BASES: tuple[Basis, ...] = ("base", "top", "projected")
EVERY = 100
QUICK = 5000
STOPS = {
    "BestCertain(joint=true)": (1, True),
    "BestCertain(joint=false)": (1, False),
    "TopCertain(k=5, joint=true)": (5, True),
    "TopCertain(k=5, joint=false)": (5, False),
}


def cells(setting: Setting) -> list[Cell]:
    """All passes, those that take longest first within a reading."""
    folder, quick = setting.folder, setting.quick
    limit = QUICK if quick else max(CUTS)
    made: list[Cell] = []
    for reading in (PAPER, OURS):
        certain = limit if reading is OURS else None
        mine: tuple[str, ListReading] = (folder, reading)
        for name in reversed(METHODS):
            made.append(Cell(f"{reading.name} judged {name}", judged, (*mine, name, P, certain)))
            made.append(Cell(f"{reading.name} found {name}", found, (*mine, name)))
        for p in PS:
            if p != P:
                made.append(
                    Cell(f"{reading.name} judged {p} MethodC", judged, (*mine, "MethodC", p, None))
                )
        made.append(Cell(f"{reading.name} everything", everything, mine))
        if reading is OURS:
            made += [Cell(f"ours certain {name}", reached, (*mine, name, limit)) for name in OTHERS]
        else:
            repeats = 5 if quick else 20
            made += [Cell(f"paper ties {number}", ties, mine) for number in range(repeats)]
    return made


def within(wanted: tuple[int, ...], n: int) -> list[int]:
    """The cut-offs that a collection reaches; one that it does reach if that is none of them.

    >>> within((5000, 10000), 7000), within((5000, 10000), 4200), within((5000,), 300)
    ([5000], [2000], [150])
    """
    kept = [cut for cut in wanted if cut <= n]
    smaller = [cut for cut in CUTS if cut <= n] or [max(1, n // 2)]
    return kept or smaller[-1:]


def found(folder: str, reading: ListReading, name: str, random: np.random.Generator) -> Any:
    """Table 2: judgments, relevant among them, pairs handled; what the qrels lack is bypassed."""
    on = pass_setup(folder, reading.ranks)
    order = order_of(name, reading, P, random)
    return _found(on, handled(order, on, max(CUTS), "bypass"))


def _found(on: PassSetup, pairs: Int64s) -> list[list[int]]:
    known = np.flatnonzero(on.judgments.judged[pairs])
    relevant = np.cumsum(on.judgments.grade[pairs[known]] >= 1)
    cuts = within(CUTS, len(known)) if len(known) else []
    return [[cut, int(relevant[cut - 1]), int(known[cut - 1]) + 1] for cut in cuts]


def judged(
    folder: str,
    reading: ListReading,
    name: str,
    p: float,
    certain: int | None,
    random: np.random.Generator,
) -> Any:
    """Tables 3-5 and Figures 1-3 after judging; what the qrels lack is non-relevant."""
    on = pass_setup(folder, reading.ranks)
    limit = max(CUTS) if p == P else SET
    pairs = handled(order_of(name, reading, p, random), on, limit, "nonrelevant")
    n = len(pairs)
    size = within((SET,), n)[0]
    result: dict[str, Any] = {"size": size, "residual": residuals(on, pairs[:size])}
    result |= {"ranges": {}, "tested": []}
    if name == "MethodC":
        result["chosen"] = sorted(pairs[:size].tolist())
    for cut in sorted({*within(CUTS, n), size}):
        scores = RBP(p=p).score(on.lists(pairs[:cut]))
        result["ranges"][str(cut)] = _ranges(on, scores)
        if p == P and cut in within(TESTED, n):
            result["tested"].append([cut, *significant(scores, on.n_best)])
    if certain is not None:
        result["certain"] = _certain(folder, reading, on, pairs[:certain])
    return result


def residuals(on: PassSetup, pairs: Int64s) -> list[list[float]]:
    """Table 4: for each p of the evaluation, mean residual of the best runs and of all."""
    lists = on.lists(pairs)
    mean = [RBP(p=p).score(lists).residual.mean(axis=1) for p in PS]
    best = on.by_map[: on.n_best]
    return [[float(each[best].mean()), float(each.mean())] for each in mean]


def significant(
    scores: Scores, n_best: int, best: Int64s | None = None, bases: tuple[Basis, ...] = BASES
) -> list[float | None]:
    """Table 5: share of the pairs among the best runs that a one-tailed Wilcoxon test separates.

    base of the better run against base, top and projected score of the other. The best are those
    with the highest base unless given. None where there is only one run.
    """
    mean = np.nan_to_num(scores.mean())
    chosen = np.argsort(-mean, kind="stable")[:n_best] if best is None else best
    chosen = chosen[np.argsort(-mean[chosen], kind="stable")]
    first, second = np.triu_indices(len(chosen), 1)
    if not len(first):
        return [None for _ in bases]
    random = np.random.default_rng(0)  # Wilcoxon's test draws nothing.
    pairs = chosen[first], chosen[second]
    # As R and scipy take differences, with which the paper's numbers come out.
    test = Wilcoxon(decimals=None)
    found = [set_against(scores, *pairs, test, basis, 1, random) for basis in bases]
    return [float((each.p < LEVEL).mean()) for each in found]


def _ranges(on: PassSetup, scores: Scores) -> dict[str, list[float]]:
    """Base and residual of the runs in order of official MAP."""
    base, residual = scores.value.mean(axis=1), scores.residual.mean(axis=1)
    return {"base": base[on.by_map].tolist(), "residual": residual[on.by_map].tolist()}


def everything(folder: str, reading: ListReading, random: np.random.Generator) -> Any:
    """What all judgments say, and what the collection is."""
    on = pass_setup(folder, reading.ranks)
    lists = on.lists()
    scores = {p: RBP(p=p).score(lists) for p in PS}
    # MAP is trec_eval's, which orders by score whatever a file lists.
    by_score = pass_setup(folder, "score")
    average = AP().score(by_score.lists())
    best = by_score.by_map[: on.n_best]
    return {
        "runs": [on.runs.names[run] for run in on.by_map],
        "n_topics": len(on.runs.pairs.topics),
        "n_pairs": on.n_pairs,
        "n_best": on.n_best,
        "judged": int(on.judgments.judged.sum()),
        "official": on.official,
        "tested": significant(scores[P], on.n_best),
        "tested_map": significant(average, on.n_best, best, ("base",))[0],
        "ranges": {str(p): _ranges(on, scores[p]) for p in PS},
        "notices": list(on.notices),
    }


def ties(folder: str, reading: ListReading, random: np.random.Generator) -> Any:
    """Pooling's rows when the runs, and so its ties, come in an order drawn at random."""
    on = pass_setup(folder, reading.ranks)
    pairs = pool_of_shuffled_runs(on, random)
    rows = _found(on, pairs)
    size = within((SET,), len(pairs))[0]
    tested = [
        [cut, *significant(RBP(p=P).score(on.lists(pairs[:cut])), on.n_best)]
        for cut in within(TESTED, len(pairs))
    ]
    mean = residuals(on, pairs[:size])
    return {"found": rows, "size": size, "residual": mean, "tested": tested}


def reached(
    folder: str, reading: ListReading, name: str, limit: int, random: np.random.Generator
) -> Any:
    """How soon an order makes the best runs certain.

    Difference ends when the best run is certain, and Method C goes on from there.
    """
    on = pass_setup(folder, reading.ranks)
    then = MethodC(p=P) if name == "Difference" else None
    pairs = handled(order_of(name, reading, P, random), on, limit, "nonrelevant", then)
    return _certain(folder, reading, on, pairs)


@lru_cache(maxsize=1)
def _before_judging(folder: str, ranks: Ranks) -> BeforeJudging:
    return BeforeJudging(pass_setup(folder, ranks).runs, RBP(p=P))


def forget() -> None:
    """Let go of what was read, which fills memory and may change before the next call."""
    pass_setup.cache_clear()
    _before_judging.cache_clear()


def _certain(folder: str, reading: ListReading, on: PassSetup, pairs: Int64s) -> Any:
    gain: Floats = (on.judgments.grade[pairs] >= 1).astype(np.float64)
    trail = Trail(_before_judging(folder, reading.ranks), pairs, gain)
    steps = range(0, len(trail) + 1, EVERY)
    return {
        "until": {stop: trail.judgments_until(*rule) for stop, rule in STOPS.items()},
        "contenders": [[n, int(trail.contenders(n).sum())] for n in steps],
    }
