"""Charts of an audit: what a judge adds, with intervals, and what its grades are worth."""

from typing import TYPE_CHECKING, Any

import polars as pl

from leadline.presentation.charts.look import BAR, GREY, MARK, WARM, numbers, plain, title

if TYPE_CHECKING:
    import altair as alt

MOST_ROWS = 40
"""Of a chart: more are shown by both ends of the order."""

LETTER = 7.5
"""Width of a letter of the axis, in pixels, about."""


def favours(frame: pl.DataFrame, kind: str) -> "alt.TopLevelMixin":
    """What the judge adds to each group, family or run, those named in another colour."""
    named = frame.filter(pl.col("section").is_in(["favoured", "marked down"]))
    items = named["item"].str.strip_prefix(f"{kind} ").to_list()
    below = "mark: what the judge adds; bar: interval that holds all together; colour: named"
    mine = frame.filter(pl.col("section") == f"favour by {kind}").drop_nulls("value")
    if mine["ci_lower"].null_count():
        below += "; no bar: not tested"
    return around_zero(frame, f"favour by {kind}", "score", below, items)


def around_zero(
    frame: pl.DataFrame, section: str, unit: str, below: str, marked: list[str] | None = None
) -> "alt.TopLevelMixin":
    """A section of an audit: a bar for each interval, a mark for the value, a rule at 0.

    `frame` is what `audit` gives.
    """
    import altair as alt

    rows = frame.filter(pl.col("section") == section).drop_nulls("value")
    order = rows["item"].to_list()
    if len(order) > MOST_ROWS:
        half = MOST_ROWS // 2
        order = order[:half] + order[-half:]
        rows = rows.filter(pl.col("item").is_in(order))
        below += f"; the first and the last {half}"
    named = [item for item in order if item in (marked or [])]
    values = rows.with_columns(named=pl.col("item").is_in(named)).to_dicts()
    base = alt.Chart(alt.InlineData(values=values))
    # Room for the longest name, whatever font the reader has.
    room = min(260, round(LETTER * max(map(len, order), default=1)))
    y = alt.Y("item:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, minExtent=room))
    few = alt.Axis(tickCount=7)
    colour: Any = alt.condition("datum.named", alt.value(WARM), alt.value(BAR))
    shown = [alt.Tooltip("item:N"), *numbers("value", "ci_lower", "ci_upper")]
    bar = base.mark_bar(height=9, cornerRadius=2).encode(
        y=y, x=alt.X("lower:Q", title=unit, axis=few), x2="upper:Q", color=colour, tooltip=shown
    )
    mark = base.mark_tick(thickness=3, size=15, color=MARK).encode(
        y=y, x=alt.X("value:Q", title=unit, axis=few), tooltip=shown
    )
    nothing = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY)
    layers = alt.layer(nothing.encode(x="at:Q"), bar, mark)
    heading = title(section.capitalize(), below)
    drawn: alt.TopLevelMixin = plain(
        layers.properties(width=520, height=alt.Step(18), title=heading)
    )
    return drawn
