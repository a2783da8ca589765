"""Leave one organisation out: every pool filtered, every run of the organisation put right."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from leadline.adjusters.adjuster import Adjuster
from leadline.adjusters.anti_precision import Lipani
from leadline.adjusters.from_systems import WebberRuns
from leadline.adjusters.pool_bias import PoolBias
from leadline.adjusters.predicted import Predicted
from leadline.collection.collection import Collection
from leadline.collection.read import read
from leadline.experiments.papers import Setting
from leadline.experiments.runner import Cell
from leadline.measures.precision import P
from leadline.pools.depth import Depth
from leadline.pools.strategy import PoolStrategy
from leadline.pools.stratifications import stratifications
from leadline.pools.stratified import Sampled, Stratified
from leadline.pools.without import BestRanks, DrawnPool
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs

CUTOFFS = (10, 30)
REFERENCE = 100
RATES = tuple(tenth / 10 for tenth in range(1, 10))
KEPT = 0.75
CORRECTORS: tuple[Adjuster | None, ...] = (
    None,
    WebberRuns(),
    Lipani("average"),
    Lipani("replace"),
    Predicted(),
)


def strategies(reference: int) -> dict[str, list[PoolStrategy]]:
    """The pools of each figure; shallower where the reference is shallower than the paper's."""
    depths = [depth for depth in (5, *range(10, reference + 1, 10)) if depth <= reference]
    step = max(1, reference // 10)
    return {
        "figure1": [Depth(depth) for depth in depths or range(1, reference + 1)],
        "figure2": [Sampled(min(50, reference), rate) for rate in RATES],
        "figure3": [Stratified(strata) for strata in stratifications(reference, step)],
    }


def reference_depth(setting: Setting) -> int:
    """The depth of the pool that counts as the truth."""
    depth = REFERENCE if setting.reference_depth is None else setting.reference_depth
    if depth < 1:
        raise ValueError(f"the reference depth must be at least 1, not {depth}")
    return depth


def cells(setting: Setting) -> list[Cell]:
    """One for every cut-off and organisation, and one for the sizes of the pools."""
    read = _pooled(setting.folder, setting.groups)
    made = [Cell("sizes", sizes, (setting,))]
    for cutoff in CUTOFFS:
        kept = _kept(setting, cutoff)
        names = dict.fromkeys(np.array(read.group)[kept].tolist())
        if len(names) < 2:
            raise ValueError("leaving one organisation out needs runs of at least two of them")
        made += [Cell(f"P@{cutoff} {name}", left_out, (setting, cutoff, name)) for name in names]
    return made


@lru_cache(maxsize=2)
def _read(folder: str, groups: str | None) -> Collection:
    collection = read(Path(folder))
    return collection if groups is None else collection.with_groups(Path(groups))


def _pooled(folder: str, groups: str | None) -> Runs:
    """The runs that were pooled."""
    read = _read(folder, groups)
    return read.runs.only(read.pooled)


@lru_cache(maxsize=4)
def _kept(setting: Setting, cutoff: int) -> Bools:
    """The best three quarters of the pooled runs, by the pool of all of them."""
    runs = _pooled(setting.folder, setting.groups)
    known = _truth(setting, runs)
    score = P(k=cutoff).score(Lists.of(runs.cut(cutoff), known)).mean()
    kept: Bools = np.zeros(len(score), np.bool_)
    kept[np.argsort(-score, kind="stable")[: round(KEPT * len(score))]] = True
    return kept


def _truth(setting: Setting, runs: Runs) -> Judgments:
    judgments = _read(setting.folder, setting.groups).judgments
    return judgments.only(runs.best_rank <= reference_depth(setting))


@lru_cache(maxsize=2)
def _stage(setting: Setting, cutoff: int) -> tuple[Runs, Judgments, Floats, dict[str, DrawnPool]]:
    """The runs kept, the true judgments, true scores, and every pool drawn once."""
    runs = _pooled(setting.folder, setting.groups).only(_kept(setting, cutoff))
    truth = _truth(setting, runs)
    score = P(k=cutoff).score(Lists.of(runs.cut(cutoff), truth)).mean()
    drawn: dict[str, DrawnPool] = {}
    for figure in strategies(reference_depth(setting)).values():
        drawn |= {str(strategy): DrawnPool(strategy, runs, setting.seed) for strategy in figure}
    return runs, truth, score, drawn


def left_out(setting: Setting, cutoff: int, group: str, random: np.random.Generator) -> Any:
    """Errors of the organisation's runs, by pool and corrector."""
    runs, truth, score, drawn = _stage(setting, cutoff)
    number = runs.groups.index(group)
    mine: Bools = runs.group_number == number
    best = BestRanks.of(runs, runs.group_number).without(number)
    measure = P(k=cutoff)
    whole = PoolBias(measure, runs, truth, contributing=~mine, drawn=next(iter(drawn.values())))
    errors: dict[str, dict[str, list[float]]] = {}
    for name, draw in drawn.items():
        evidence = whole.but(judgments=truth.only(draw.member(best)), drawn=draw)
        unadjusted = measure.score(evidence.new_lists()).mean()
        errors[name] = {}
        for corrector in CORRECTORS:
            amount = 0.0 if corrector is None else corrector.amounts(evidence)
            errors[name][str(corrector)] = (unadjusted + amount - score[mine]).tolist()
    return {"runs": int(mine.sum()), "errors": errors}


def sizes(setting: Setting, random: np.random.Generator) -> Any:
    """The number of pairs that each stratification is expected to take from all pooled runs."""
    runs = _pooled(setting.folder, setting.groups)
    pools = []
    for strategy in strategies(reference_depth(setting))["figure3"]:
        ends = np.cumsum([size for size, _ in strategy.layers])
        rate = np.array([*(rate for _, rate in strategy.layers), 0.0])
        share = rate[np.searchsorted(ends, runs.best_rank)]
        topic = np.bincount(runs.pairs.topic, weights=share, minlength=len(runs.pairs.topics))
        pools.append([[list(layer) for layer in strategy.layers], topic.tolist()])
    notices = _read(setting.folder, setting.groups).notices.lines()
    return {"pools": pools, "notices": notices, "runs": len(runs.names)}


def forget() -> None:
    """Let go of what was read."""
    for known in (_read, _kept, _stage):
        known.cache_clear()
