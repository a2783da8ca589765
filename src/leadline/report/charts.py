"""Charts as altair objects: they show in notebooks and save as self-contained HTML, SVG or PNG."""

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import altair as alt


def ranges(frame: pl.DataFrame, measure: str) -> "alt.LayerChart | alt.FacetChart":
    """One bar per run from the lower to the upper end, the score marked, best score first.

    `frame` is what `evaluate` gives.
    """
    import altair as alt

    rows = frame.filter((pl.col("topic") == "all") & (pl.col("measure") == measure))
    order = rows.sort("value", "run", descending=[True, False])["run"].to_list()
    base = alt.Chart(alt.InlineData(values=rows.to_dicts()))
    y = alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    shown = [alt.Tooltip("run:N")] + [
        alt.Tooltip(f"{name}:Q", format=".4f") for name in ("value", "lower", "upper", "judged")
    ]
    bar = base.mark_bar(height=9, color="#9ecae1", cornerRadius=2).encode(
        y=y, x=alt.X("lower:Q", title=measure), x2="upper:Q", tooltip=shown
    )
    mark = base.mark_tick(thickness=3, size=15, color="#08306b").encode(
        y=y, x="value:Q", tooltip=shown
    )
    title = alt.TitleParams(
        f"{measure}: score and the interval that is certain to hold it",
        subtitle="mark: score if unjudged documents are worthless; bar: where the score can lie",
        anchor="start",
    )
    return alt.layer(bar, mark).properties(width=560, height=alt.Step(18), title=title)
