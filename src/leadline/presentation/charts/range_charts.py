"""Charts of scores in their intervals, and of how few are left."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from leadline.presentation.charts.look import BAR, MARK, WARM, colour_of, panels_of, plain

if TYPE_CHECKING:
    import altair as alt


CERTAIN = "score and the interval that is certain to hold it"
"""What a picture of ranges shows of what `evaluate` gives."""


def ranges(
    frame: pl.DataFrame, measure: str, what: str = CERTAIN, *, zero: bool = False
) -> "alt.TopLevelMixin":
    """One bar per run from the lower to the upper end, the score marked, best score first.

    `frame` is what `evaluate` gives, or has its columns. The axis begins where the bars do, or at
    0 with `zero`.
    """
    import altair as alt

    rows = frame.filter((pl.col("topic") == "all") & (pl.col("measure") == measure))
    base, y, shown = _runs(rows, ("value", "lower", "upper", "judged"))
    bar = base.mark_bar(height=9, color=BAR, cornerRadius=2).encode(
        y=y, x=_across("lower", measure, zero), x2="upper:Q", tooltip=shown
    )
    mark = base.mark_tick(thickness=3, size=15, color="#08306b").encode(
        y=y, x=_across("value", measure, zero), tooltip=shown
    )
    below: str | list[str] = (
        "mark: score if unjudged documents are worthless; bar: where the score can lie"
    )
    layers = [bar, mark]
    if "ci_lower" in rows.columns and rows["ci_lower"].is_not_null().any():
        # Another doubt, so another colour and another shape.
        line = base.mark_rule(strokeWidth=2, color=WARM).encode(
            y=y, x=_across("ci_lower", measure, zero), x2="ci_upper:Q", tooltip=shown
        )
        layers = [bar, line, mark]
        below = [str(below), "orange line: confidence interval over topics, by Student's t"]
    subtitle = below if what == CERTAIN else ""
    title = alt.TitleParams(f"{measure}: {what}", subtitle=subtitle, anchor="start")
    return alt.layer(*layers).properties(width=560, height=alt.Step(18), title=title)


def estimate_ranges(
    frame: pl.DataFrame, measure: str, *, zero: bool = False
) -> "alt.TopLevelMixin":
    """The certain interval of every run, and a mark for what each estimator says.

    `frame` is what `estimate` gives; runs come by the last estimator, best first. The axis is as
    that of `ranges`.
    """
    import altair as alt

    rows = frame.filter((pl.col("topic") == "all") & (pl.col("measure") == measure))
    names = rows["estimator"].unique(maintain_order=True).to_list()
    # Runs are put in order by their first row.
    rows = pl.concat([rows.filter(estimator=name) for name in reversed(names)])
    base, y, shown = _runs(rows, ("value", "lower", "upper", "pred_lower", "pred_upper"))
    bar = base.mark_bar(height=9, color=BAR, cornerRadius=2).encode(
        y=y, x=_across("lower", measure, zero), x2="upper:Q"
    )
    colour = alt.Color(
        "estimator:N",
        sort=names,
        scale=alt.Scale(domain=names, scheme="tableau10"),
        legend=alt.Legend(orient="bottom", title=None),
    )
    mark = base.mark_tick(thickness=3, size=15).encode(
        y=y,
        x=_across("value", measure, zero),
        color=colour,
        tooltip=[alt.Tooltip("estimator:N"), *shown],
    )
    title = alt.TitleParams(f"{measure}: estimates and guaranteed bounds", anchor="start")
    return alt.layer(bar, mark).properties(width=560, height=alt.Step(18), title=title)


def _across(column: str, title: str, zero: bool) -> "alt.X":
    import altair as alt

    return alt.X(f"{column}:Q", title=title, scale=alt.Scale(zero=zero))


def _runs(rows: pl.DataFrame, columns: Sequence[str]) -> "tuple[alt.Chart, alt.Y, list[Any]]":
    """A chart of rows, the axis of their runs, best first, and what is shown of a row."""
    import altair as alt

    first = rows.unique("run", keep="first", maintain_order=True)
    order = first.sort("value", "run", descending=[True, False])["run"].to_list()
    y = alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in columns if name in rows.columns]
    return alt.Chart(alt.InlineData(values=rows.to_dicts())), y, [alt.Tooltip("run:N"), *numbers]


def range_panels(frame: pl.DataFrame, measure: str, x: str = "runs") -> "alt.FacetChart":
    """One thin bar per run from lower to upper, side by side in the order of `place`.

    `frame` has columns panel, place, lower, upper; panels stand one above the other as they come.
    """
    import altair as alt

    step = max(3.0, 620 / max(1, frame["place"].n_unique()))
    values = alt.InlineData(values=frame.drop("run", strict=False).to_dicts())
    place = alt.X("place:Q", title=x, scale=alt.Scale(nice=False, padding=step))
    low = alt.Y("lower:Q", title=measure, scale=alt.Scale(domain=[0, 1]))
    bar = alt.Chart().mark_bar(color=MARK, width=step * 0.7).encode(place, low, y2="upper:Q")
    # An interval may be too short to be seen, so its lower end has a line.
    lying = alt.Chart().mark_tick(color=MARK, orient="horizontal", thickness=1.5, size=step * 0.7)
    end = lying.encode(place, low)
    bars = alt.layer(bar, end, data=values).properties(width=620, height=130)
    drawn: alt.FacetChart = plain(bars.facet(panels_of(frame, "panel"), columns=1))
    return drawn


def falling_lines(frame: pl.DataFrame, x: str, y: str, of: str) -> "alt.Chart":
    """One line for each value of column `of`, on a scale that shows small numbers and 0 as well."""
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    most = max(1, int(frame[y].max() or 1))  # type: ignore[arg-type]
    ticks = [0, *(tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500) if tick <= most)]
    chart = (
        alt.Chart(alt.InlineData(values=frame.to_dicts()))
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X(f"{x}:Q", title=x),
            y=alt.Y(f"{y}:Q", scale=alt.Scale(type="symlog"), axis=alt.Axis(values=ticks), title=y),
            color=colour_of(of, names),
        )
        .properties(width=620, height=330)
    )
    drawn: alt.Chart = plain(chart)
    return drawn
