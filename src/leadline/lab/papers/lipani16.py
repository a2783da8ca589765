"""The curious incidence of bias corrections in the pool: Table 1 and Figures 1-3.

Leave one organisation out of the pool, put its runs right, compare with the whole pool.

Lipani, Lupu and Hanbury, ECIR 2016.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.completions.adjuster import Adjuster, UnpooledRuns
from leadline.completions.pooling_bias import Lipani, WebberLeaveOneOut
from leadline.data.arrays import Bools, Floats
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.io.read import read
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting
from leadline.measures.precision import P
from leadline.pooling.strategies import (
    Depth,
    PoolStrategy,
    Stratified,
    UniformSample,
    stratifications,
)
from leadline.pooling.without import BestRanks, DrawnPool
from leadline.simulate import Cell
from leadline.views.charts import plotted
from leadline.views.page import Figure, Fold, Marked, Part, Section, Table, page

CUTOFFS = (10, 30)
REFERENCE = 100
RATES = tuple(tenth / 10 for tenth in range(1, 10))
KEPT = 0.75
CORRECTORS: tuple[Adjuster | None, ...] = (
    None,
    WebberLeaveOneOut(),
    Lipani("average"),
    Lipani("replace"),
)


def strategies(reference: int) -> dict[str, list[PoolStrategy]]:
    """The pools of each figure; shallower where the reference is shallower than the paper's."""
    depths = [depth for depth in (5, *range(10, reference + 1, 10)) if depth <= reference]
    step = max(1, reference // 10)
    return {
        "figure1": [Depth(depth) for depth in depths or range(1, reference + 1)],
        "figure2": [UniformSample(min(50, reference), rate) for rate in RATES],
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
    whole = UnpooledRuns(measure, runs, truth, contributing=~mine, drawn=next(iter(drawn.values())))
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


Results = dict[str, Any]
KEYS = {"figure1": "depth", "figure2": "rate", "figure3": "stratification"}


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    made = {"table1": table1(results)}
    for figure, pools in strategies(reference_depth(setting)).items():
        made[figure] = _errors(results, figure, pools)
    made["errors"] = _by_organisation(results)
    return made


def table1(results: Results) -> pl.DataFrame:
    """Expected pool sizes per run, as if (100, 50) gave 50; t-test against the row above."""
    from scipy import stats

    rows = []
    pools = results["sizes"]["pools"]
    half = sum(size for size, _ in pools[0][0]) / 2
    whole = sum(pools[0][1])
    before: list[float] | None = None
    for layers, topics in pools:
        p = None
        if before is not None and np.ptp(np.subtract(topics, before)) > 0:
            p = float(stats.ttest_rel(topics, before).pvalue)
        sizes = " ".join(str(size) for size, _ in layers)
        percents = " ".join(str(round(100 * rate)) for _, rate in layers)
        rows.append((sizes, percents, half * sum(topics) / whole, p))
        before = topics
    schema = {"sizes": pl.String, "percents": pl.String, "judged_per_run": pl.Float64}
    return pl.DataFrame(rows, schema={**schema, "p": pl.Float64}, orient="row")


def label(figure: str, strategy: PoolStrategy) -> int | float | str:
    """What tells a figure's pools apart."""
    (size, rate), *others = strategy.layers
    if figure == "figure1":
        return size
    if figure == "figure2":
        return rate
    return " ".join(f"({size},{round(100 * rate)})" for size, rate in [(size, rate), *others])


def _errors(results: Results, figure: str, pools: list[PoolStrategy]) -> pl.DataFrame:
    rows = []
    for cutoff in CUTOFFS:
        cells = [cell for name, cell in results.items() if name.startswith(f"P@{cutoff} ")]
        for strategy in pools:
            for corrector in map(str, CORRECTORS):
                errors = np.concatenate(
                    [cell["errors"][str(strategy)][corrector] for cell in cells]
                )
                rows.append(
                    (f"P@{cutoff}", label(figure, strategy), corrector, np.abs(errors).mean())
                )
    return pl.DataFrame(rows, schema=["measure", KEYS[figure], "corrector", "mae"], orient="row")


def _by_organisation(results: Results) -> pl.DataFrame:
    """The signed errors behind the means, by organisation."""
    rows = []
    for name, cell in results.items():
        if name == "sizes":
            continue
        measure, group = name.split(" ", 1)
        for pool, by_corrector in cell["errors"].items():
            for corrector, errors in by_corrector.items():
                rows.append((measure, group, pool, corrector, float(np.mean(errors))))
    columns = ["measure", "group", "pool", "corrector", "mean_error"]
    return pl.DataFrame(rows, schema=columns, orient="row")


WEBBER, LIPANI, NONE = "WebberLeaveOneOut", "Lipani(merge=replace)", "None"
CAPTIONS = {
    "figure1": "Figure 1: depth pools",
    "figure2": "Figure 2: sampled pools, by the rate at which a depth pool is sampled",
    "figure3": "Figure 3: stratified pools, by sizes and rates in percent",
}


def report(results: Results, frames: Frames, setting: Setting) -> str:
    """The page as text."""
    lead = (
        f"{setting.name}: {results['sizes']['runs']} pooled runs. Each organisation's runs are "
        "taken out of the pool in turn, scored, put right, and compared with the whole pool. Mean "
        "absolute error over the best three quarters of the runs."
    )
    sections = [
        Section("What it shows", claims(frames)),
        Section("Table 1: stratifications", [_table1(frames["table1"])]),
    ]
    for figure, caption in CAPTIONS.items():
        chart = plotted(
            frames[figure],
            KEYS[figure],
            "mae",
            "corrector",
            "measure",
            scale="log" if figure == "figure1" else "linear",
            nominal=figure == "figure3",
        )
        sections.append(
            Section(
                caption,
                [
                    Figure(f"Mean absolute error; {caption.lower()}.", chart),
                    Fold("The numbers", [_wide(frames[figure], KEYS[figure])]),
                ],
            )
        )
    notices: Sequence[Part] = results["sizes"]["notices"] or ["Nothing was noticed."]
    sections.append(Section("What was read", notices))
    return page("Bias corrections in the pool", lead, sections)


def _table1(frame: pl.DataFrame) -> Table:
    printed = {
        " ".join(map(str, row["sizes"])): row
        for row in published("lipani16")["table1"]["stratifications"]
    }
    rows: list[list[str | Marked]] = []
    for sizes, percents, judged, p in frame.iter_rows():
        known = printed.get(sizes)
        rates = "" if known is None else " ".join(map(str, known["percent"]))
        theirs = "" if known is None or known["judged_per_run"] is None else known["judged_per_run"]
        same: Marked | str = percents
        if rates:
            same = Marked(percents, "same" if rates == percents else "off")
        mark = "" if p is None else f"{p:.3f}"
        shown = f"{theirs:.2f}" if isinstance(theirs, float) else ""
        rows.append([sizes, rates, same, shown, f"{judged:.2f}", mark])
    head = ("sizes", "rates printed", "ours", "judged per run, 12 collections", "this one", "p")
    return Table(
        "Judged documents per run if (100, 50) gives 50; p: against the row above", head, rows
    )


def _wide(frame: pl.DataFrame, key: str) -> Table:
    correctors = frame["corrector"].unique(maintain_order=True).to_list()
    rows: list[list[str | Marked]] = []
    for (measure, place), part in frame.group_by(["measure", key], maintain_order=True):
        values = part["mae"].to_list()
        best = min(values)
        cells = [Marked(f"{v:.4f}", "best") if v == best else f"{v:.4f}" for v in values]
        rows.append([str(measure), str(place), *cells])
    return Table("Mean absolute error", ("", key, *correctors), rows, 2)


def claims(frames: Frames) -> list[str]:
    """The paper's claims about shape, each a sentence with our numbers."""
    said = []
    depth = frames["figure1"]
    for measure in depth["measure"].unique(maintain_order=True):
        cutoff = int(measure.split("@")[1])
        mae = {
            name: dict(depth.filter(measure=measure, corrector=name).select("depth", "mae").rows())
            for name in (NONE, WEBBER, LIPANI)
        }
        depths = list(mae[NONE])
        ratio = {d: mae[WEBBER][d] / mae[NONE][d] for d in depths if mae[NONE][d] > 0}
        lost = [d for d in ratio if ratio[d] > 1]
        if cutoff in ratio:
            after = [d for d in ratio if d > cutoff]
            said.append(
                f"{measure}: Webber's error is {ratio[cutoff]:.2f} of no correction's at depth "
                f"{cutoff}"
                + (f", {ratio[after[0]]:.2f} at {after[0]}" if after else "")
                + (f" and above 1 from depth {lost[0]}" if lost else " and never above 1")
                + ": its advantage shrinks from d >= n."
            )
            gain = {d: 1 - mae[LIPANI][d] / mae[NONE][d] for d in ratio}
            best = max(gain, key=lambda d: gain[d])
            said.append(
                f"{measure}: Lipani's correction removes {gain[cutoff]:.0%} of the error at depth "
                f"{cutoff}; the most, {gain[best]:.0%}, at depth {best}."
            )
    return [*said, *_strategies(frames)]


def _strategies(frames: Frames) -> list[str]:
    """Depth, stratified and sampled pools at the budget of half the reference depth."""
    said = []
    sampled = frames["figure3"].filter(~pl.col("stratification").str.contains(" "))
    layered = frames["figure3"].filter(pl.col("stratification").str.contains(" "))
    depth = frames["figure1"]
    half = depth["depth"].max() // 2  # type: ignore[operator]
    if half not in depth["depth"]:
        return []
    for measure in depth["measure"].unique(maintain_order=True):
        of = {"measure": measure, "corrector": NONE}
        by_depth = depth.filter(**of, depth=half)["mae"][0]
        by_strata = layered.filter(**of)["mae"].to_list()
        by_rate = sampled.filter(**of)["mae"][0]
        holds = by_depth <= sum(by_strata) / len(by_strata) <= by_rate
        said.append(
            f"{measure}: at one budget, without correction, a depth pool errs by {by_depth:.4f}, "
            f"stratified ones by {min(by_strata):.4f} to {max(by_strata):.4f}, a sampled one by "
            f"{by_rate:.4f}: the paper's order Depth, Stratified, UniformSample "
            + ("holds." if holds else "does not hold here.")
        )
    return said


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("reference_depth", "groups")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What was noticed, and the paper's claims with our numbers."""
    return [*results["sizes"]["notices"], *claims(frames)]
