"""A picture of what a gate says: how far each difference may reach, and the margin."""

from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import BAR, GREY, MARK, WARM, numbers, plain, title

if TYPE_CHECKING:
    import altair as alt

BELOW = (
    "mark: the difference as judged; bar: bounds over every completion of the judgments;",
    "line: combined interval for topics and unjudged documents; dashed: minus the margin",
)


def gate_chart(frame: pl.DataFrame, margin: float) -> "alt.TopLevelMixin":
    """A bar for the bounds and a line for the combined interval, a row each slice.

    `frame` is what `gate` gives.
    """
    import altair as alt

    rows = frame.with_columns(of=pl.concat_str("measure", "slice", separator=", "))
    values = alt.InlineData(values=rows.to_dicts())
    order = rows["of"].to_list()
    y = alt.Y("of:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    names = ("difference", "expected", "combined_lower", "combined_upper", "lower", "upper")
    tips = [alt.Tooltip("of:N"), alt.Tooltip("verdict:N"), *numbers(*names)]
    base = alt.Chart(values)
    certain = base.mark_bar(height=12, color=BAR, cornerRadius=2).encode(
        y=y,
        x=alt.X("lower:Q", title="new run minus baseline"),
        x2="upper:Q",
        tooltip=tips,
    )
    both = base.mark_bar(height=3, color=MARK).encode(
        y=y,
        x="combined_lower:Q",
        x2="combined_upper:Q",
        tooltip=tips,
    )
    mark = base.mark_tick(thickness=3, size=16, color="#08306b").encode(
        y=y, x="difference:Q", tooltip=tips
    )
    bound = alt.Chart(alt.InlineData(values=[{"margin": -margin}]))
    line = bound.mark_rule(color=WARM, strokeDash=[4, 3]).encode(x="margin:Q")
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=GREY).encode(x="zero:Q")
    chart = alt.layer(certain, both, mark, zero, line).properties(
        width=520, height=alt.Step(26), title=title("Is the new run worse?", list(BELOW))
    )
    drawn: alt.TopLevelMixin = plain(chart)
    return drawn
