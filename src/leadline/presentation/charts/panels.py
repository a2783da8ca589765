"""Charts of several panels: lines, and points beside the diagonal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import GREY, MARK, plain

if TYPE_CHECKING:
    import altair as alt

COLOURS = ("#8c6bb1", "#e6a100", "#3b8bd0", "#d1495b", "#2a9d6f", "#7a7a7a")


def line_panels(
    frame: pl.DataFrame, x: str, y: str, of: str, panel: str, dashed: Sequence[str] = ()
) -> "alt.FacetChart":
    """One line for each value of column `of`, in a panel for each value of column `panel`."""
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    panels = frame[panel].unique(maintain_order=True).to_list()
    dash = [[5, 3] if name in dashed else [1, 0] for name in names]
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2.2)
        .encode(
            x=alt.X(f"{x}:Q", title=x, scale=alt.Scale(nice=False, zero=False)),
            y=alt.Y(f"{y}:Q", title=y, scale=alt.Scale(zero=False)),
            color=alt.Color(
                f"{of}:N",
                sort=names,
                scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)])),
                legend=alt.Legend(orient="bottom", title=None, symbolStrokeWidth=3),
            ),
            strokeDash=alt.StrokeDash(
                f"{of}:N", sort=names, scale=alt.Scale(domain=names, range=dash), legend=None
            ),
        )
        .properties(width=250, height=230, data=alt.InlineData(values=frame.to_dicts()))
    )
    facet = alt.Facet(f"{panel}:N", sort=panels, title=None, header=alt.Header(labelAnchor="start"))
    drawn: alt.FacetChart = plain(lines.facet(facet=facet, columns=3))
    return drawn


def place_panels(
    frame: pl.DataFrame, x: str, y: str, panel: str, titles: tuple[str, str]
) -> "alt.FacetChart":
    """A point for each row, in a panel for each value of column `panel`, with the diagonal."""
    import altair as alt

    panels = frame[panel].unique(maintain_order=True).to_list()
    most = int(frame[x].max() or 1)  # type: ignore[arg-type]
    scale = alt.Scale(domain=[0, most + 1], nice=False)
    across = alt.X(f"{x}:Q", title=titles[0], scale=scale)
    up = alt.Y(f"{y}:Q", title=titles[1], scale=scale)
    points = alt.Chart().mark_circle(color=MARK, size=38, opacity=0.85).encode(across, up)
    rows = frame.to_dicts()
    ends = [row | {x: at, y: at} for row in _firsts(frame, panel) for at in (0, most + 1)]
    line = (
        alt.Chart()
        .mark_line(color=GREY, strokeWidth=1)
        .encode(across, up)
        .transform_filter("datum.end")
    )
    data = [row | {"end": False} for row in rows] + [row | {"end": True} for row in ends]
    both = alt.layer(points.transform_filter("!datum.end"), line)
    both = both.properties(width=180, height=180, data=alt.InlineData(values=data))
    facet = alt.Facet(f"{panel}:N", sort=panels, title=None, header=alt.Header(labelAnchor="start"))
    drawn: alt.FacetChart = plain(both.facet(facet=facet, columns=4))
    return drawn


def _firsts(frame: pl.DataFrame, panel: str) -> list[dict[str, object]]:
    return frame.unique(panel, keep="first", maintain_order=True).to_dicts()
