"""Who is ahead in a task by a measure, how surely, and in which tier."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadline.comparison.tiers import tiers
from leadline.experiments.runner import seed_of
from leadline.leagues.play import task_of
from leadline.tables.arrays import Bools, Floats, Int64s

N_RESAMPLES = 2000
LEAST_ERROR = 1e-4
"""Added to errors before their ratios are taken: smaller ones do not differ."""

DEFAULTS = {
    "shallow": "Regression",
    "newcomer": "Predicted",
    "scores": "Designed(aim=scores) + Assisted",
    "best": "Doubt",
    "five": "Doubt",
    "cheap": "Designed + Assisted",
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
        """What is told."""
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
