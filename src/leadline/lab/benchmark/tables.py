"""Tables of the benchmark, tiers of methods, and how earlier versions stood."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import leadline
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.io.problems import InputError
from leadline.io.write import write_whole
from leadline.lab.benchmark.play import NOT_PLAYED_WITH, BenchmarkCell, BenchmarkSetting, task_of
from leadline.lab.benchmark.question import FIGURES, entrants_of
from leadline.lab.benchmark.simulated import SIMULATED
from leadline.simulate import digest, input_parts, program_parts, seed_of
from leadline.stats.pairwise import tiers

CELL = ("task", "collection", "seen", "measure", "method", "budget")
PROMISED = ("rmse", "bias", "tau", "coverage", "width", "regret", "judgments", "seconds")
MORE = tuple(name for name in FIGURES if name not in PROMISED)
ROOTS = ("rmse", "gap_rmse", "list_rmse")
"""Errors: of several draws the root of the mean square is told."""

TEXT = ("task", "collection", "measure", "method", "version")


def draw_table(cells: list[BenchmarkCell], results: Mapping[str, Any]) -> pl.DataFrame:
    """A row for every draw of every cell that was answered, with its figures."""
    rows = [
        {
            "task": cell.task,
            "collection": cell.collection,
            "seen": cell.seen,
            "measure": cell.measure,
            "method": cell.entrant.title,
            "version": cell.entrant.version,
            "draw": cell.draw,
            **row,
        }
        for cell in cells
        for row in results[cell.key]
        if "why" not in row
    ]
    whole = {"draw": pl.Int64, "budget": pl.Int64, "seen": pl.Boolean}
    numbers = dict.fromkeys((*FIGURES, "judgments", "seconds"), pl.Float64)
    schema = {**dict.fromkeys(TEXT, pl.String), **whole, **numbers}
    order = [*CELL, "version", "draw", *PROMISED, *MORE]
    return pl.DataFrame(rows, schema=schema).select(order)


def refusals(cells: list[BenchmarkCell], results: Mapping[str, Any]) -> pl.DataFrame:
    """Who could not answer what, and why: columns task, measure, method, why, each once."""
    told = [
        (cell.task, cell.measure, cell.entrant.title, row["why"].splitlines()[0])
        for cell in cells
        for row in results[cell.key]
        if "why" in row
    ]
    columns = dict.fromkeys(("task", "measure", "method", "why"), pl.String)
    return pl.DataFrame(sorted(set(told)), schema=columns, orient="row")


def cell_table(draws: pl.DataFrame) -> pl.DataFrame:
    """A row for every task, collection, measure, method and budget: all draws together."""

    def together(name: str) -> pl.Expr:
        return (pl.col(name) ** 2).mean().sqrt() if name in ROOTS else pl.col(name).mean()

    names = [*PROMISED, *MORE]
    each = [together(name).alias(name) for name in names]
    count = pl.len().alias("draws")
    keys = [*CELL, "version"]
    table = draws.group_by(keys, maintain_order=True).agg(*each, count)
    return table.select(*CELL, *names, "draws", "version")


def manifest(setting: BenchmarkSetting) -> dict[str, Any]:
    """What was played, with digests of everything that can change an answer."""
    collections = [
        {
            "name": source if source in SIMULATED else Path(source).resolve().name,
            "digest": source if source in SIMULATED else digest(input_parts(Path(source))),
        }
        for source in setting.sources
    ]
    entrants = {
        each.title: {
            "entrant": str(each),
            "version": each.version,
            "developed_on": list(each.developed_on),
        }
        for task in setting.tasks
        for each in entrants_of(task, setting.files)
        if not setting.only or each.title in setting.only
    }
    return {
        "leadline": leadline.__version__,
        "program": digest(program_parts(NOT_PLAYED_WITH)),
        "seed": setting.seed,
        "draws": setting.draws,
        "share_of_topics": setting.how.share,
        "most_runs": setting.how.runs,
        "most_topics": setting.how.topics,
        "tasks": list(setting.tasks),
        "measures": list(setting.measures),
        "budgets": list(setting.budgets),
        "collections": collections,
        "entrants": dict(sorted(entrants.items())),
        "files": {Path(file).name: digest([Path(file).read_bytes()]) for file in setting.files},
    }


NAME = "history.csv"
WORSE = 1.02
"""An error that grows by less is not told."""

SCHEMA = {
    "leadline": pl.String,
    "program": pl.String,
    "played": pl.String,
    "task": pl.String,
    "measure": pl.String,
    "method": pl.String,
    "version": pl.String,
    "loss": pl.String,
    "value": pl.Float64,
    "tier": pl.Int64,
}
KEYS = ["program", "played", "task", "measure", "method", "version"]


def with_history(
    folder: Path, tiers: pl.DataFrame, what: dict[str, Any]
) -> tuple[pl.DataFrame, list[str]]:
    """The history with what was played now, written, and what to say of methods that got worse.

    Compared is what was played on the same collections in the same way: `what` is the manifest.
    """
    alike = (
        "seed",
        "draws",
        "share_of_topics",
        "most_runs",
        "most_topics",
        "budgets",
        "collections",
    )
    played = digest([repr([what[name] for name in alike]).encode()])[:12]
    versions = {name: each["version"] for name, each in what["entrants"].items()}
    now = tiers.filter(scope="all").select(
        pl.lit(what["leadline"]).alias("leadline"),
        pl.lit(what["program"][:12]).alias("program"),
        pl.lit(played).alias("played"),
        "task",
        "measure",
        "method",
        pl.col("method")
        .replace_strict(versions, default="", return_dtype=pl.String)
        .alias("version"),
        "loss",
        "value",
        "tier",
    )
    before = earlier(folder)
    same = before.join(now.select(KEYS), on=KEYS, how="anti")
    whole = pl.concat([same, now])
    write_whole(folder / NAME, whole.write_csv())
    return whole, worse(same, now)


def earlier(folder: Path) -> pl.DataFrame:
    """What the folder's history has; nothing if there is none."""
    file = folder / NAME
    if not file.is_file():
        return pl.DataFrame(schema=SCHEMA)
    # Not every version of polars looks at the names of columns where it is given a schema.
    with file.open("rb") as content:
        named = content.readline().strip() == ",".join(SCHEMA).encode()
    reason = "its first line does not name the columns"
    try:
        if named:
            return pl.read_csv(file, schema=SCHEMA)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0]
    message = f"is no history of a benchmark, put it aside to begin a new one: {reason}"
    raise InputError.of(str(file), "history", message)


def worse(before: pl.DataFrame, now: pl.DataFrame) -> list[str]:
    """A line for every method whose loss is larger than when it was last played so."""
    keys = ["played", "task", "measure", "method"]
    last = before.group_by(keys, maintain_order=True).last()
    met = now.join(last, on=keys, suffix="_before")
    now_, then = pl.col("value"), pl.col("value_before")
    # Of a correlation more is better, and 1 is all there is.
    turned = pl.col("loss") == "tau"
    grown = met.filter(
        pl.when(turned)
        .then(1 - now_ > WORSE * (1 - then) + 1e-6)
        .otherwise(now_ > WORSE * then + 1e-6)
    )
    return [
        f"{row['method']} is worse than before in {row['task']} by {row['measure']}: {row['loss']} "
        f"{row['value_before']:.4f} (version {row['version_before']}, program "
        f"{row['program_before']}), now {row['value']:.4f}"
        for row in grown.iter_rows(named=True)
    ]


N_RESAMPLES = 2000
LEAST_ERROR = 1e-4
"""Added to errors before their ratios are taken: smaller ones do not differ."""

DEFAULTS = {
    "shallow": "Regression",
    "newcomer": "Regression",
    "scores": "WeightedSample(aim=scores) + ModelAssisted",
    "best": "LikelyWinner",
    "five": "LikelyWinner",
    "labels": "WeightedSample + ModelAssisted",
}
"""What we give to whoever does not choose, by task."""

COLUMNS = {
    "task": pl.String,
    "measure": pl.String,
    "scope": pl.String,
    "method": pl.String,
    "default": pl.Boolean,
    "tier": pl.Int64,
    "loss": pl.String,
    "value": pl.Float64,
    "to_best": pl.Float64,
    "lower": pl.Float64,
    "upper": pl.Float64,
    "collections": pl.Int64,
    "answered": pl.Float64,
}


@dataclass(frozen=True)
class LossScale:
    """How a figure becomes a loss, of which less is better, and back.

    Errors become logarithms, so that a difference is a ratio of errors; correlations are turned
    round.
    """

    name: str

    @property
    def ratio(self) -> bool:
        """Whether methods are so many times as bad, and not by so much worse."""
        return self.name == "rmse"

    @property
    def _sign(self) -> float:
        return -1.0 if self.name == "tau" else 1.0

    def loss(self, figure: float) -> float:
        """What is compared."""
        return float(np.log(figure + LEAST_ERROR)) if self.ratio else self._sign * figure

    def figure(self, loss: Floats) -> Floats:
        """Return the reported values."""
        return np.exp(loss) - LEAST_ERROR if self.ratio else self._sign * loss


@dataclass(frozen=True, eq=False)
class Losses:
    """loss [methods, units, budgets], NaN where a method did not answer.

    A unit is a draw of a collection, `of` its collection. What is `hidden` [methods, units] does
    not count: nobody expected an answer.
    """

    methods: tuple[str, ...]
    loss: Floats
    of: Int64s
    scale: LossScale
    hidden: Bools

    def value(self) -> Floats:
        """The mean of each method's figure over what it answered; of errors the geometric one."""
        return self.scale.figure(_mean(self.loss.reshape(len(self.methods), -1)))

    def gaps(self) -> Floats:
        """[methods, methods, units]: the loss of one minus that of the other, where both answered.

        The mean over budgets of each unit.
        """
        apart = self.loss[:, None] - self.loss[None]
        return _mean(apart)

    def answered(self) -> Floats:
        """The share that each method answered of what somebody did and is not hidden."""
        some = ~np.isnan(self.loss)
        expected = some.any(axis=0) & ~self.hidden[:, :, None]
        share: Floats = some.sum(axis=(1, 2)) / np.maximum(expected.sum(axis=(1, 2)), 1)
        return share

    def best(self) -> int:
        """A method, of those that answered most, that none of these beats on what both answered."""
        whole = self.answered() == self.answered().max()
        gap = _mean(self.gaps())
        gap = np.where(whole[:, None], np.nan_to_num(gap, nan=np.inf), np.inf)
        best = int(np.flatnonzero(whole)[0])
        # Where methods answered different things they could beat each other in turn for ever.
        for _ in range(len(gap)):
            better = int(gap[:, best].argmin())
            if gap[better, best] >= 0:
                break
            best = better
        return best

    def order(self, gaps: Floats) -> Int64s:
        """Methods by their gaps to the best, on what both answered."""
        gap = np.round(_mean(gaps[:, self.best()]), 12)
        return np.lexsort((np.array(self.methods), np.nan_to_num(gap, nan=np.inf)))

    def resampled(self, seed: int) -> Int64s:
        """[resamples, collections]: units, collections drawn anew and one draw of each."""
        random = np.random.default_rng(seed)
        names = np.unique(self.of)
        chosen = random.choice(names, (N_RESAMPLES, len(names)))
        unit = np.zeros_like(chosen)
        for name in names:
            here = chosen == name
            unit[here] = random.choice(np.flatnonzero(self.of == name), int(here.sum()))
        return unit


def tier_table(draws: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """Methods by task, measure and scope, best first, in tiers.

    A draw is a half of the topics, so the spread over draws is that of chance in topics and in what
    was judged. `to_best` tells how many times the error of the best method is (of regrets: how much
    more, of tau: how much less) on the same draws, for the best itself that of the next. The best
    is one of those that `answered` most; whoever answers less is compared on what it answers.
    `lower` and `upper` hold 95% of resamples of collections, with one draw in each. Two methods are
    told apart if that interval of their difference has no 0 (of their ratio no 1). Scope `unseen`
    has only what a method's authors did not look at.
    """
    rows: list[dict[str, Any]] = []
    for (task, measure), part in draws.group_by(["task", "measure"], maintain_order=True):
        for scope in ("all", "unseen"):
            if scope == "all" or not part["seen"].all():
                name = f"{task} {measure} {scope}"
                losses = _losses(part, task_of(str(task)).loss, scope == "unseen")
                found = _ranked(losses, seed_of(name, seed))
                rows += [
                    {"task": task, "measure": measure, "scope": scope, **row}
                    | {"default": DEFAULTS.get(str(task)) == row["method"]}
                    | {"loss": task_of(str(task)).loss}
                    for row in found
                ]
    return pl.DataFrame(rows, schema=COLUMNS)


def _losses(part: pl.DataFrame, loss: str, hide: bool) -> Losses:
    """The losses of one task and measure; what was seen in development is hidden if asked."""
    part, scale = part.filter(pl.col(loss).is_not_null()), LossScale(loss)
    methods = sorted(part["method"].unique())
    units = part.select("collection", "draw").unique(maintain_order=True).rows()
    budgets = sorted(part["budget"].unique())
    places = [{name: at for at, name in enumerate(names)} for names in (methods, units, budgets)]
    table = np.full((len(methods), len(units), len(budgets)), np.nan)
    hidden = np.zeros(table.shape[:2], np.bool_)
    columns = part.select("method", "collection", "draw", "budget", "seen", loss)
    for method, collection, draw, budget, seen, figure in columns.iter_rows():
        at = places[0][method], places[1][collection, draw], places[2][budget]
        hidden[at[:2]] = hide and seen
        if not (hide and seen):
            table[at] = scale.loss(figure)
    names = {name: at for at, name in enumerate(dict.fromkeys(name for name, _ in units))}
    of = np.array([names[name] for name, _ in units], np.int64)
    kept = ~np.isnan(table).all(axis=(1, 2))
    names_kept = tuple(name for name, some in zip(methods, kept, strict=True) if some)
    return Losses(names_kept, table[kept], of, scale, hidden[kept])


def _ranked(losses: Losses, seed: int) -> list[dict[str, Any]]:
    """A row for each method, best first."""
    if not len(losses.methods):
        return []
    gaps = losses.gaps()
    order = losses.order(gaps)
    drawn = _mean(gaps[:, :, losses.resampled(seed)])
    # What was met once has no spread, which does not make it certain.
    alone = (~np.isnan(gaps)).sum(axis=-1) < 2
    low, high = (np.where(alone, np.nan, end) for end in _quantiles(drawn))
    apart = (low > 0) | (high < 0)
    tier, value, middle = tiers(order, apart), losses.value(), _mean(gaps)
    best, answered = losses.best(), losses.answered()
    whole = [each for each in order.tolist() if answered[each] == answered.max()]
    rows = []
    for method in order.tolist():
        other = best if method != best else next((m for m in whole if m != best), best)
        gap = np.array([middle[method, other], low[method, other], high[method, other]])
        shown = np.exp(gap) if losses.scale.ratio else gap
        told = [None if other == method or np.isnan(each) else float(each) for each in shown]
        met = ~np.isnan(losses.loss[method]).all(axis=1)
        rows.append(
            {
                "method": losses.methods[method],
                "tier": int(tier[method]),
                "value": float(value[method]),
                "to_best": told[0],
                "lower": told[1],
                "upper": told[2],
                "collections": len(np.unique(losses.of[met])),
                "answered": float(answered[method]),
            }
        )
    return rows


def _mean(array: Floats) -> Floats:
    """Over the last axis, of what is defined; NaN where nothing is."""
    defined = ~np.isnan(array)
    n = defined.sum(axis=-1)
    total = np.where(defined, array, 0.0).sum(axis=-1)
    mean: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return mean


def _quantiles(drawn: Floats) -> tuple[Floats, Floats]:
    """The middle 95% of the resamples, NaN where some two methods never met."""
    ordered = np.sort(drawn, axis=-1)
    met = (~np.isnan(ordered)).sum(axis=-1)
    ends = []
    for share in (0.025, 0.975):
        at = np.clip(np.round(share * (met - 1)).astype(np.int64), 0, None)
        ends.append(np.take_along_axis(ordered, at[..., None], axis=-1)[..., 0])
    return ends[0], ends[1]
