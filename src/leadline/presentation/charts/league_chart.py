"""A picture of a league: how far each method is from the best, task by task."""

from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import BAR, GREY, MARK, numbers, plain, title
from leadline.presentation.charts.stacked import stacked

if TYPE_CHECKING:
    import altair as alt

AGAINST = {"rmse": "error, times that of the best", "tau": "tau, less than the best"}
BELOW = "dot: against the best on the same draws, the best against the next; bar: 95%; number: tier"


def league_chart(tiers: pl.DataFrame) -> "alt.TopLevelMixin":
    """A row for each method and a panel for each task and measure; `tiers` as `league` has them."""
    parts = tiers.filter(scope="all").group_by(["task", "measure"], maintain_order=True)
    return stacked([_panel(f"{task}, {measure}", part) for (task, measure), part in parts])


def _panel(name: str, part: pl.DataFrame) -> "alt.TopLevelMixin":
    import altair as alt

    loss = part["loss"][0]
    rows = part.with_columns(of=pl.format("{} ({})", "method", "tier"))
    base = alt.Chart(alt.InlineData(values=rows.to_dicts()))
    y = alt.Y("of:N", sort=rows["of"].to_list(), title=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(type="log" if loss == "rmse" else "linear", zero=False)
    told = AGAINST.get(loss, "regret, more than the best")
    tips = [alt.Tooltip("of:N"), *numbers("to_best", "lower", "upper", "value")]
    bar = base.mark_bar(height=5, color=BAR).encode(
        y=y, x=alt.X("lower:Q", title=told, scale=scale), x2="upper:Q", tooltip=tips
    )
    dot = base.mark_point(filled=True, size=60, color=MARK).encode(y=y, x="to_best:Q", tooltip=tips)
    level = alt.InlineData(values=[{"level": 1.0 if loss == "rmse" else 0.0}])
    line = alt.Chart(level).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="level:Q")
    chart = alt.layer(bar, dot, line).properties(
        width=520, height=alt.Step(22), title=title(name, [BELOW])
    )
    drawn: alt.TopLevelMixin = plain(chart)
    return drawn
