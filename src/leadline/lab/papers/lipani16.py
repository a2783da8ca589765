"""The curious incidence of bias corrections in the pool: Table 1, Figures 1-3, Eqs. 1 and 7.

Leave one organisation out of the pool, put its runs right, compare with the whole pool. Sampled
and stratified pools are drawn several times, each with a fixed number of documents per topic and
stratum, as in the paper.

Lipani, Lupu and Hanbury, ECIR 2016.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadline.completions.adjuster import Adjuster, UnpooledRuns
from leadline.completions.pooling_bias import Lipani, WebberLeaveOneOut
from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.io.collection import Collection
from leadline.io.read import read
from leadline.lab.papers.published import published
from leadline.lab.papers.runner import Frames, Setting
from leadline.measures.precision import P
from leadline.pooling.strategies import Depth, PoolStrategy, Stratified, stratifications
from leadline.pooling.without import BestRanks, DrawnPool
from leadline.simulate import Cell
from leadline.views.charts import plotted
from leadline.views.page import Figure, Fold, Marked, Part, Section, Table, page
from leadline.views.result_charts import dots

CUTOFFS = (10, 30)
REFERENCE = 100
RATES = tuple(tenth / 10 for tenth in range(1, 10))
KEPT = 0.75
REPEATS, QUICK = 5, 2
"""Draws of sampled and stratified pools."""
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
        "figure2": [Stratified(((min(50, reference), rate),), "fixed") for rate in RATES],
        "figure3": [Stratified(strata, "fixed") for strata in stratifications(reference, step)],
    }


@dataclass(frozen=True, eq=False)
class FixedDraw(DrawnPool):
    """A draw without replacement: rate times the size of each stratum of each topic.

    `best` are the best ranks over the runs that are pooled. The pairs with the smallest numbers are
    drawn. A run that is withdrawn leaves the last number drawn in its stratum where it was, so a
    pair that moves to a deeper stratum stays if its number is among those drawn there.
    """

    best: Int32s = field(kw_only=True)

    def __post_init__(self) -> None:
        """A fixed size can be filtered here, because the pool's own best ranks are known."""

    @cached_property
    def _stratum(self) -> Int64s:
        """The stratum of each rank; the last one is outside the pool."""
        sizes = [size for size, _ in self.strategy.layers]
        return np.repeat(np.arange(len(sizes) + 1), [sizes[0] + 1, *sizes[1:], 1])

    def _cell(self, best: Int32s, pair: Int64s | Int32s | slice) -> Int64s:
        """The stratum of each pair in its topic."""
        topic = self.runs.pairs.topic[pair].astype(np.int64)
        found: Int64s = self._stratum[np.minimum(best, self.depth + 1)]
        return topic * (len(self.strategy.layers) + 1) + found

    @cached_property
    def limit(self) -> Floats:
        """The number up to which pairs are drawn, by stratum of each topic; -1 where none is."""
        rate = np.array([*(rate for _, rate in self.strategy.layers), 0.0])
        inside = np.flatnonzero(self.best <= self.depth)
        cell, number = self._cell(self.best[inside], inside), self.number[inside]
        n_cells = len(self.runs.pairs.topics) * len(rate)
        wanted = np.rint(np.bincount(cell, minlength=n_cells) * np.tile(rate, n_cells // len(rate)))
        order = np.lexsort((number, cell))
        first = np.searchsorted(cell[order], np.arange(n_cells))
        last = np.minimum(first + wanted.astype(np.int64) - 1, len(order) - 1)
        limit: Floats = np.where(wanted > 0, number[order][last], -1.0)
        return limit

    def member(self, best: Int32s, pair: Int64s | Int32s | slice = slice(None)) -> Bools:
        """Whether each pair is in the pool if `best` is its best rank over the runs."""
        inside: Bools = self.number[pair] <= self.limit[self._cell(best, pair)]
        return inside


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
        made.append(Cell(f"Eq. 1 P@{cutoff}", inequality, (setting, cutoff)))
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
def _stage(setting: Setting, cutoff: int) -> tuple[Runs, Judgments, Floats]:
    """The runs kept, the true judgments and the true scores."""
    runs = _pooled(setting.folder, setting.groups).only(_kept(setting, cutoff))
    truth = _truth(setting, runs)
    score = P(k=cutoff).score(Lists.of(runs.cut(cutoff), truth)).mean()
    return runs, truth, score


@lru_cache(maxsize=2)
def _numbers(setting: Setting, cutoff: int) -> list[Floats]:
    """u of every pair, for each draw: pools of one draw share it, which pairs their errors."""
    runs, _, _ = _stage(setting, cutoff)
    deepest = Stratified(((reference_depth(setting), 0.5),))
    return [DrawnPool(deepest, runs, seed).number for seed in seeds(setting)]


def seeds(setting: Setting) -> range:
    """The seeds of the draws."""
    return range(setting.seed, setting.seed + (QUICK if setting.quick else REPEATS))


def drawn_pools(
    setting: Setting, cutoff: int, strategy: PoolStrategy, best: Int32s
) -> list[DrawnPool]:
    """The pools of a strategy over what is left of the runs: one, or one for each draw."""
    runs, _, _ = _stage(setting, cutoff)
    if all(rate == 1 for _, rate in strategy.layers):
        return [DrawnPool(Depth(sum(size for size, _ in strategy.layers)), runs)]
    drawn: list[DrawnPool] = []
    for seed, number in zip(seeds(setting), _numbers(setting, cutoff), strict=True):
        pool = FixedDraw(strategy, runs, seed, best=best)
        pool.__dict__["number"] = number
        drawn.append(pool)
    return drawn


def left_out(setting: Setting, cutoff: int, group: str, random: np.random.Generator) -> Any:
    """Errors of the organisation's runs, by pool, corrector and draw; a, b and C of Eq. 4."""
    runs, truth, score = _stage(setting, cutoff)
    number = runs.groups.index(group)
    mine: Bools = runs.group_number == number
    best = BestRanks.of(runs, runs.group_number).without(number)
    measure = P(k=cutoff)
    whole = UnpooledRuns(
        measure, runs, truth, contributing=~mine, drawn=DrawnPool(Depth(cutoff), runs)
    )
    errors: dict[str, dict[str, list[list[float]]]] = {}
    parts: dict[str, list[float]] = {}
    for figure, pools in strategies(reference_depth(setting)).items():
        for strategy in pools:
            if str(strategy) in errors:
                # Where the reference is shallow two figures have a pool in common.
                continue
            by_corrector = errors[str(strategy)] = {str(each): [] for each in CORRECTORS}
            for draw in drawn_pools(setting, cutoff, strategy, best):
                evidence = whole.but(judgments=truth.only(draw.member(best)), drawn=draw)
                unadjusted = measure.score(evidence.new_lists()).mean()
                for corrector in CORRECTORS:
                    amount = 0.0 if corrector is None else corrector.amounts(evidence)
                    by_corrector[str(corrector)].append(
                        (unadjusted + amount - score[mine]).tolist()
                    )
                if figure == "figure1":
                    alone = measure.score(evidence.withdrawn()).value
                    parts[str(strategy)] = [
                        float(np.mean(unadjusted)),
                        float(np.nanmean(alone)),
                        float(np.nanmean(evidence.pooled)),
                    ]
    return {"runs": int(mine.sum()), "errors": errors, "parts": parts}


def inequality(setting: Setting, cutoff: int, random: np.random.Generator) -> Any:
    """How often Eq. 1 fails: over runs r, withdrawn runs r_p and depths d below the reference.

    It fails where more documents of r come into the pool at depth d + 1 without r_p than with it.
    """
    runs, truth, _ = _stage(setting, cutoff)
    n_runs, deepest = len(runs.names), reference_depth(setting)
    ranks = BestRanks.of(runs, np.arange(n_runs))
    top = runs.cut(cutoff)
    relevant = (truth.judged & (truth.grade >= 1))[top.pair]
    pair, run = top.pair[relevant], top.entries.run[relevant]
    more = np.zeros((n_runs, n_runs, deepest + 2), np.int64)
    for rank, sign in ((ranks.second, 1), (ranks.best, -1)):
        at = np.minimum(rank[pair], deepest + 1)
        np.add.at(more, (run, ranks.holder[pair], at), sign)
    # From depth d = 1 on; what is pooled at depth 1 with and without r_p is no increment.
    steps = more[:, :, 2 : deepest + 1]
    own = np.arange(n_runs)
    fails = steps > 0
    return {
        "cases": int(fails.size),
        "fails": int(fails.sum()),
        "own_cases": int(fails[own, own].size),
        "own_fails": int(fails[own, own].sum()),
        "largest": float(steps.max(initial=0)) / cutoff / len(runs.pairs.topics),
    }


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
    for known in (_read, _kept, _stage, _numbers):
        known.cache_clear()


Results = dict[str, Any]
KEYS = {"figure1": "depth", "figure2": "rate", "figure3": "stratification"}


def frames(results: Results, setting: Setting) -> Frames:
    """Every csv file by its name, without the ending."""
    made = {"table1": table1(results)}
    for figure, pools in strategies(reference_depth(setting)).items():
        made[figure] = _errors(results, figure, pools)
    made["errors"] = _by_organisation(results)
    made["eq1"] = eq1(results)
    made["eq7"] = eq7(results, strategies(reference_depth(setting))["figure1"])
    return made


def _organisations(results: Results, measure: str) -> list[Any]:
    """The cells of a measure."""
    return [cell for name, cell in results.items() if name.startswith(f"{measure} ")]


def eq1(results: Results) -> pl.DataFrame:
    """How often Eq. 1 fails; `own` where the run that is withdrawn is the one that is scored."""
    rows = []
    for cutoff in CUTOFFS:
        cell = results[f"Eq. 1 P@{cutoff}"]
        for kind, prefix in (("all", ""), ("own", "own_")):
            rows.append((f"P@{cutoff}", kind, cell[f"{prefix}cases"], cell[f"{prefix}fails"]))
    return pl.DataFrame(rows, schema=["measure", "runs", "cases", "fails"], orient="row")


def eq7(results: Results, pools: list[PoolStrategy]) -> pl.DataFrame:
    """a(d), b(d) and C of Eq. 4 by depth, means over the runs that are left out.

    a is the score of a run that is left out, b that of a pooled one withdrawn too, C its score.
    """
    rows = []
    for cutoff in CUTOFFS:
        cells = _organisations(results, f"P@{cutoff}")
        weight = np.array([cell["runs"] for cell in cells], np.float64)
        for strategy in pools:
            parts = np.array([cell["parts"][str(strategy)] for cell in cells])
            mean = weight @ parts / weight.sum()
            rows.append((f"P@{cutoff}", strategy.last_rank, *mean.tolist()))
    return pl.DataFrame(rows, schema=["measure", "depth", "a", "b", "C"], orient="row")


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
    """Mean absolute error over runs: mean and standard deviation over draws.

    `ratio` is the error divided by that without correction of the same draw.
    """
    rows = []
    for cutoff in CUTOFFS:
        cells = _organisations(results, f"P@{cutoff}")
        for strategy in pools:
            mae = {}
            for corrector in map(str, CORRECTORS):
                by_draw = [cell["errors"][str(strategy)][corrector] for cell in cells]
                mae[corrector] = np.abs(np.concatenate(by_draw, axis=1)).mean(axis=1)
            plain = mae[NONE]
            for corrector, each in mae.items():
                ratio = np.divide(each, plain, out=np.full(len(each), np.nan), where=plain > 0)
                told = (*_mean_and_sd(each), *_mean_and_sd(ratio))
                rows.append((f"P@{cutoff}", label(figure, strategy), corrector, *told))
    columns = ["measure", KEYS[figure], "corrector", "mae", "sd", "ratio", "ratio_sd"]
    return pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("ratio", "ratio_sd").fill_nan(None)
    )


def _mean_and_sd(values: Floats) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0


def _by_organisation(results: Results) -> pl.DataFrame:
    """The signed errors behind the means, by organisation."""
    rows = []
    for name, cell in results.items():
        if "errors" not in cell:
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
        "taken out of the pool in turn, scored, corrected, and compared with the whole pool. Mean "
        "absolute error over the best three quarters of the runs."
    )
    n = len(seeds(setting))
    sections = [
        Section("What it shows", claims(frames)),
        Section("Table 1: stratifications", [_table1(frames["table1"])]),
    ]
    for figure, caption in CAPTIONS.items():
        parts: list[Part] = _charts(figure, frames[figure])
        if figure != "figure1":
            drawn = (
                f"Mean of {n} draws of a fixed number of documents per topic and stratum; grey or "
                "bars: one standard deviation over draws."
            )
            parts.insert(0, drawn)
        table = Fold("The numbers", [_wide(frames[figure], KEYS[figure])])
        sections.append(Section(caption, [*parts, table]))
    sections.append(Section("Eqs. 1 and 7", _inequalities(frames)))
    notices: Sequence[Part] = results["sizes"]["notices"] or ["Nothing was noticed."]
    sections.append(Section("What was read", notices))
    return page("Bias corrections in the pool", lead, sections)


def _charts(figure: str, frame: pl.DataFrame) -> list[Part]:
    """The error itself, and that of each correction as a share of the error without."""
    caption, key = CAPTIONS[figure].lower(), KEYS[figure]
    if figure == "figure1":
        lines = plotted(frame, key, "mae", "corrector", "measure", scale="log")
        return [Figure(f"Mean absolute error; {caption}.", lines)]
    plain = frame.filter(corrector=NONE)
    others = frame.filter(pl.col("corrector") != NONE).drop_nulls("ratio")
    share = f"Error with a correction, as a share of the error without; {caption}."
    first = f"Mean absolute error without correction; {caption}."
    if figure == "figure3":
        return [
            Figure(first, dots(plain, key, "mae", "sd", "corrector", "measure", "log")),
            Figure(share, dots(others, key, "ratio", "ratio_sd", "corrector", "measure")),
        ]
    ends = [pl.col("ratio") + sign * pl.col("ratio_sd") for sign in (-1, 1)]
    others = others.with_columns(low=ends[0], high=ends[1])
    shares = plotted(
        others,
        key,
        "ratio",
        "corrector",
        "measure",
        band=("low", "high"),
        zero=False,
        levels=(1.0,),
    )
    return [
        Figure(first, plotted(plain, key, "mae", "corrector", "measure")),
        Figure(share, shares),
    ]


def _inequalities(frames: Frames) -> list[Part]:
    """Where Eq. 1 fails, and a, b and C of Eq. 4."""
    rows = [
        (
            row["measure"],
            NAMED[row["runs"]],
            f"{row['cases']:,}",
            f"{row['fails']:,}",
            f"{row['fails'] / max(1, row['cases']):.2%}",
        )
        for row in frames["eq1"].iter_rows(named=True)
    ]
    parts = [
        (row["measure"], str(row["depth"]), *(f"{row[name]:.4f}" for name in ("a", "b", "C")))
        for row in frames["eq7"].iter_rows(named=True)
    ]
    return [
        "Eq. 1 says that a document more in every run adds no less to a score when a run is pooled "
        "than when it is withdrawn. A case is a run, a withdrawn run and a depth.",
        Table("Eq. 1", ("", "runs", "cases", "fails", "share"), rows, 2),
        "Eq. 7 bounds the growth of b by that of a, and so shrinks Webber's advantage. a(d): score "
        "of a run that is left out; b(d): of a pooled run that is withdrawn too; C: of a pooled "
        "run. Means over runs.",
        Table("a, b and C of Eq. 4", ("", "depth", "a", "b", "C"), parts, 2),
    ]


NAMED = {"all": "any run withdrawn", "own": "the scored run withdrawn"}


def _table1(frame: pl.DataFrame) -> Table:
    printed = {
        " ".join(map(str, row["sizes"])): row
        for row in published("lipani16")["table1"]["stratifications"]
    }
    rows: list[list[str | Marked]] = []
    for sizes, percents, judged, p in frame.iter_rows():
        known = printed.get(sizes, {})
        rates = " ".join(map(str, known.get("percent", ())))
        same: Marked | str = percents
        if rates:
            same = Marked(percents, "same" if rates == percents else "off")
        value = known.get("judged_per_run")
        shown = "" if value is None else f"{value:.2f}{DAGGER if known.get('dagger') else ''}"
        significant = p is not None and p < SIGNIFICANT
        mine = f"{judged:.2f}{DAGGER if significant else ''}"
        chance = "" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"
        rows.append([sizes, rates, same, shown, mine, chance])
    head = ("sizes", "rates printed", "ours", "judged per run, 12 collections", "this one", "p")
    caption = (
        f"Judged documents per run if (100, 50) gives 50. {DAGGER}: significantly other than in "
        "the row above (paired t-test, p < .05; printed over collections, ours over topics)"
    )
    return Table(caption, head, rows)


DAGGER, SIGNIFICANT = "†", 0.05


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
                + f": {_advantage(ratio, cutoff)}."
            )
            gain = {d: 1 - mae[LIPANI][d] / mae[NONE][d] for d in ratio}
            best = max(gain, key=lambda d: gain[d])
            said.append(
                f"{measure}: Lipani's correction removes {gain[cutoff]:.0%} of the error at depth "
                f"{cutoff}; the most, {gain[best]:.0%}, at depth {best}. The paper finds it less "
                "reliable below the cut-off, a peak of its error at the cut-off, and improvement "
                "beyond."
            )
    return [*said, *_inequality_claims(frames), *_strategies(frames)]


def _advantage(ratio: dict[int, float], cutoff: int) -> str:
    """Whether Webber's share of the error grows from depth to depth beyond the cut-off."""
    beyond = [depth for depth in sorted(ratio) if depth >= cutoff]
    if ratio[cutoff] >= 1:
        return "it has no advantage at d = n that could shrink"
    if len(beyond) < 2:
        return "no deeper pool tells whether its advantage shrinks"
    fallen = [after for before, after in pairwise(beyond) if ratio[after] < ratio[before]]
    if not fallen:
        return "its advantage shrinks from d >= n, as the paper derives"
    if ratio[beyond[-1]] > ratio[cutoff]:
        depths = ", ".join(map(str, fallen))
        return (
            "its advantage is smaller at the deepest pool, as the paper derives, but it grows at "
            f"{depths}"
        )
    return "its advantage does not shrink from d >= n here, though the paper derives that"


def _inequality_claims(frames: Frames) -> list[str]:
    """Whether Eqs. 1 and 7 hold."""
    said = []
    for row in frames["eq1"].filter(runs="all").iter_rows(named=True):
        share = row["fails"] / max(1, row["cases"])
        said.append(
            f"{row['measure']}: Eq. 1 fails in {row['fails']:,} of {row['cases']:,} cases "
            f"({share:.1%}): "
            + ("it holds here." if not row["fails"] else "it is not true in general.")
        )
    for measure in frames["eq7"]["measure"].unique(maintain_order=True):
        frame = frames["eq7"].filter(measure=measure).sort("depth")
        a, b = (np.diff(frame[name].to_numpy()) for name in ("a", "b"))
        above = [int(d) for d, x, y in zip(frame["depth"][:-1], a, b, strict=True) if y > x + 1e-12]
        told = "holds at every step of depth"
        if above:
            told = f"fails from depth {', '.join(map(str, above))} on to the next one"
            if max(above) < int(measure.split("@")[1]) <= frame["depth"][-2]:
                told += ", and holds from d >= n on, where the paper uses it"
        said.append(f"{measure}: Eq. 7, b grows no more than a, {told}.")
    return said


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
            f"{by_rate:.4f}: the paper's order Depth, Stratified, SampledDepth "
            + ("holds." if holds else "does not hold here.")
        )
    return said


__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("reference_depth", "groups")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What was noticed, and the paper's claims with our numbers."""
    return [*results["sizes"]["notices"], *claims(frames)]
