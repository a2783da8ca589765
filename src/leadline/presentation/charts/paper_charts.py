"""Charts of a paper's page: dots by draw, pairs of estimators, reliability, places of runs."""

from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import GREY, MARK, colour_of, panels_of, plain

if TYPE_CHECKING:
    import altair as alt


def spreads(frame: pl.DataFrame, of: str, y: str) -> "alt.LayerChart":
    """A dot for every row above its value of column `of`, and a line at the median."""
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    values = alt.InlineData(values=frame.select(of, y).to_dicts())
    # Names that do not fit side by side slope.
    tight = max(map(len, map(str, names)), default=0) * 7 > 620 / max(1, len(names))
    axis = alt.Axis(labelAngle=-35 if tight else 0, labelLimit=140, labelOverlap=False)
    place = alt.X(f"{of}:N", sort=names, title=None, axis=axis)
    dots = (
        alt.Chart(values)
        .mark_circle(size=35, opacity=0.55, color=MARK)
        .encode(place, alt.Y(f"{y}:Q", title=y))
    )
    middle = (
        alt.Chart(values)
        .mark_tick(thickness=2, size=40, color="#e4572e")
        .encode(place, alt.Y(f"median({y}):Q"))
    )
    drawn: alt.LayerChart = plain(alt.layer(dots, middle).properties(width=620, height=280))
    return drawn


def matrix(frame: pl.DataFrame, row: str, column: str, value: str) -> "alt.LayerChart":
    """A cell for every pair of names, darker where the value is larger, with the value in it."""
    import altair as alt

    names = list(dict.fromkeys([*frame[row].to_list(), *frame[column].to_list()]))
    most = max(float(frame[value].max() or 0.0), 1e-9)  # type: ignore[arg-type]
    base = alt.Chart(alt.InlineData(values=frame.select(row, column, value).to_dicts())).encode(
        x=alt.X(f"{column}:N", sort=names, title=None, axis=alt.Axis(labelAngle=-35)),
        y=alt.Y(f"{row}:N", sort=names, title=None),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            f"{value}:Q", scale=alt.Scale(scheme="blues", domain=[0, most * 1.6]), legend=None
        )
    )
    # A colour of its own, because the page's would not be seen on the cells in the dark.
    text = base.mark_text(fontSize=11).encode(
        text=alt.Text(f"{value}:Q", format=".3f"), fill=alt.value("#0b1d33")
    )
    drawn: alt.LayerChart = plain(alt.layer(cells, text).properties(width=560, height=330))
    return drawn


def diagram(frame: pl.DataFrame, x: str, y: str, of: str, size: str) -> "alt.LayerChart":
    """Points by two shares, larger where there are more, with the line on which both are equal."""
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    most = max(1e-9, *(float(frame[each].max() or 0.0) for each in (x, y)))  # type: ignore[arg-type]
    ends = alt.Scale(domain=[0, min(1.0, most * 1.05)])
    line = (
        alt.Chart(alt.InlineData(values=[{x: 0, y: 0}, {x: 1, y: 1}]))
        .mark_line(strokeDash=[4, 4], color=GREY, clip=True)
        .encode(alt.X(f"{x}:Q", scale=ends, title=x), alt.Y(f"{y}:Q", scale=ends, title=y))
    )
    points = (
        alt.Chart(alt.InlineData(values=frame.select(x, y, of, size).to_dicts()))
        .mark_line(point=False, strokeWidth=1.2, clip=True)
        .encode(alt.X(f"{x}:Q"), alt.Y(f"{y}:Q"), colour_of(of, names))
    )
    dots = points.mark_circle(opacity=0.8, clip=True).encode(
        size=alt.Size(f"{size}:Q", scale=alt.Scale(range=[15, 400]), legend=None),
        color=colour_of(of, names),
    )
    drawn: alt.LayerChart = plain(alt.layer(line, points, dots).properties(width=480, height=400))
    return drawn


def place_panels(
    frame: pl.DataFrame, x: str, y: str, panel: str, titles: tuple[str, str]
) -> "alt.FacetChart":
    """A point for each row, in a panel for each value of column `panel`, with the diagonal."""
    import altair as alt

    most = int(frame[x].max() or 1)  # type: ignore[arg-type]
    scale = alt.Scale(domain=[0, most + 1], nice=False)
    across = alt.X(f"{x}:Q", title=titles[0], scale=scale)
    up = alt.Y(f"{y}:Q", title=titles[1], scale=scale)
    points = alt.Chart().mark_circle(color=MARK, size=38, opacity=0.85).encode(across, up)
    rows = frame.to_dicts()
    firsts = frame.unique(panel, keep="first", maintain_order=True).to_dicts()
    ends = [row | {x: at, y: at} for row in firsts for at in (0, most + 1)]
    line = (
        alt.Chart()
        .mark_line(color=GREY, strokeWidth=1)
        .encode(across, up)
        .transform_filter("datum.end")
    )
    data = [row | {"end": False} for row in rows] + [row | {"end": True} for row in ends]
    both = alt.layer(points.transform_filter("!datum.end"), line)
    both = both.properties(width=180, height=180, data=alt.InlineData(values=data))
    drawn: alt.FacetChart = plain(both.facet(panels_of(frame, panel), columns=4))
    return drawn
