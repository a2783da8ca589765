"""Charts as altair objects: how they look, lines, ranges, bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

if TYPE_CHECKING:
    import altair as alt


BAR, MARK, GREY, WARM, DARK = "#9ecae1", "#3b8bd0", "#888888", "#e07b39", "#08306b"
"""Seen on light and on dark paper."""


def colour_of(column: str, names: list[Any], columns: int = 5) -> "alt.Color":
    """A colour for each name of a column, told below the chart in so many columns."""
    import altair as alt

    scheme: Any = "tableau20" if len(names) > 10 else "tableau10"
    legend = alt.Legend(orient="bottom", columns=columns, title=None, symbolStrokeWidth=3)
    return alt.Color(
        f"{column}:N",
        sort=names,
        scale=alt.Scale(domain=names, scheme=scheme),
        legend=legend if len(names) > 1 else None,
    )


def panels_of(frame: "pl.DataFrame", column: str) -> "alt.Facet":
    """A panel for each value of a column, as they come."""
    import altair as alt

    order = frame[column].unique(maintain_order=True).to_list()
    head = alt.Header(labelAnchor="start")
    return alt.Facet(f"{column}:N", sort=order, title=None, header=head)


def plain(chart: Any) -> Any:
    """The chart without background, in greys that are seen on light and dark paper."""
    return (
        chart.configure(background="transparent", aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=GREY,
            gridOpacity=0.25,
            domainColor=GREY,
            tickColor=GREY,
            labelFontSize=12,
            titleFontSize=12,
            # A label that is pushed inside runs into its neighbour.
            labelFlush=False,
        )
        .configure_axisQuantitative(labelOverlap=True, labelSeparation=4)
        .configure_header(labelFontSize=13, labelFontWeight="bold")
        .configure_legend(labelFontSize=12, labelLimit=240)
    )


def numbers(*names: str) -> list[Any]:
    """What is shown of a mark when it is pointed at, to four digits."""
    import altair as alt

    return [alt.Tooltip(f"{name}:Q", format=".4f") for name in names]


def title(text: str, below: str | list[str] = "") -> Any:
    """A heading, with a line below it that says how to read the picture."""
    import altair as alt

    return alt.TitleParams(
        text, anchor="start", color=GREY, subtitle=below or alt.Undefined, subtitleColor=GREY
    )


def stacked(charts: "Sequence[alt.TopLevelMixin]") -> "alt.TopLevelMixin":
    """The charts one above the other, each with its own scales."""
    import altair as alt

    if len(charts) == 1:
        return charts[0]
    parts = [chart.copy(deep=False) for chart in charts]  # type: ignore[attr-defined]
    look = parts[0]._get("config")
    for part in parts:
        # A chart inside another must not say how it looks: the outer one does.
        part.config = alt.Undefined
    whole: alt.TopLevelMixin = alt.vconcat(*parts, config=look).resolve_scale(color="independent")
    return whole


def plotted(
    frame: pl.DataFrame,
    x: str,
    y: str,
    of: str,
    panel: str | None = None,
    *,
    scale: Literal["linear", "log"] = "linear",
    nominal: bool = False,
    band: tuple[str, str] | None = None,
    dashed: Sequence[str] = (),
    zero: bool = True,
    columns: int = 2,
    levels: Sequence[float] = (),
) -> "alt.TopLevelMixin":
    """A line for each value of column `of`, over `x`; a panel for each value of `panel`.

    `nominal` takes x as names in the order in which they come. `band` names two columns between
    which the line may lie. Lines of names in `dashed` are. Without `zero`, axes begin where lines
    do. `levels` are heights at which a thin rule runs across.
    """
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    places = frame[x].unique(maintain_order=True).to_list()
    kind = "N" if nominal else "Q"
    sloping = alt.Axis(labelLimit=240, labelAngle=-60, labelOverlap=False)
    across = alt.X(
        f"{x}:{kind}",
        title=x,
        sort=places if nominal else None,
        axis=sloping if nominal else alt.Axis(),
        scale=alt.Undefined if zero else alt.Scale(nice=False, zero=False),
    )
    colour = colour_of(of, names, columns=4)
    up = alt.Y(
        f"{y}:Q",
        title=y,
        scale=alt.Scale(type=scale, nice=scale == "linear", zero=alt.Undefined if zero else False),
    )
    base = alt.Chart()
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=22)).encode(
        across, up, colour
    )
    if dashed:
        dash = [[5, 3] if name in dashed else [1, 0] for name in names]
        style = alt.Scale(domain=names, range=dash)
        line = line.encode(strokeDash=alt.StrokeDash(f"{of}:N", scale=style, legend=None))
    layers = [line]
    if band is not None:
        # Grey, because the legend of a colour would show the band instead of the line.
        area = base.mark_area(color=GREY, opacity=0.25).encode(
            across, alt.Y(f"{band[0]}:Q", title=y), alt.Y2(f"{band[1]}:Q"), alt.Detail(f"{of}:N")
        )
        layers.insert(0, area)
    rules = base.mark_rule(color=GREY, opacity=0.6).encode
    layers[:0] = [rules(alt.YDatum(level)) for level in levels]
    shown = {x, y, of, *([panel] if panel else []), *(band or ())}
    values = alt.InlineData(values=frame.select(shown).to_dicts())
    n_panels = 1 if panel is None else frame[panel].n_unique()
    width = 620 if n_panels == 1 else 580 // columns
    drawn = alt.layer(*layers, data=values).properties(width=width, height=300)
    whole: alt.TopLevelMixin = plain(drawn)
    if panel is None:
        return whole
    side_by_side: alt.TopLevelMixin = plain(drawn.facet(panels_of(frame, panel), columns=columns))
    return side_by_side


def interval_marks(
    base: "alt.Chart",
    y: "alt.Y",
    names: tuple[str, str, str],
    *,
    title: str,
    tips: list[Any],
    scale: Any = None,
    axis: Any = None,
    height: int = 9,
    colour: Any = None,
) -> "tuple[alt.Chart, alt.Chart]":
    """Return a bar from the lower to the upper end, and a mark at the value.

    `names` are the columns of lower end, value and upper end.
    """
    import altair as alt

    lower, value, upper = names
    across: dict[str, Any] = {"title": title} | ({"scale": scale} if scale else {})
    across |= {"axis": axis} if axis else {}
    bar = base.mark_bar(height=height, cornerRadius=2).encode(
        y=y,
        x=alt.X(f"{lower}:Q", **across),
        x2=f"{upper}:Q",
        color=alt.value(BAR) if colour is None else colour,
        tooltip=tips,
    )
    mark = base.mark_tick(thickness=3, size=height + 6, color=DARK).encode(
        y=y, x=alt.X(f"{value}:Q", **across), tooltip=tips
    )
    return bar, mark


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
    scale = alt.Scale(zero=zero)
    bar, mark = interval_marks(
        base, y, ("lower", "value", "upper"), title=measure, tips=shown, scale=scale
    )
    below: str | list[str] = (
        "mark: score if no unjudged document is relevant; bar: guaranteed bounds"
    )
    layers = [bar, mark]
    if "ci_lower" in rows.columns and rows["ci_lower"].is_not_null().any():
        # Another doubt, so another colour and another shape.
        line = base.mark_rule(strokeWidth=2, color=WARM).encode(
            y=y,
            x=alt.X("ci_lower:Q", title=measure, scale=scale),
            x2="ci_upper:Q",
            tooltip=shown,
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
    colour = alt.Color(
        "estimator:N",
        sort=names,
        scale=alt.Scale(domain=names, scheme="tableau10"),
        legend=alt.Legend(orient="bottom", title=None),
    )
    bar, mark = interval_marks(
        base,
        y,
        ("lower", "value", "upper"),
        title=measure,
        tips=[alt.Tooltip("estimator:N"), *shown],
        scale=alt.Scale(zero=zero),
    )
    mark = mark.encode(color=colour)
    title = alt.TitleParams(f"{measure}: estimates and guaranteed bounds", anchor="start")
    return alt.layer(bar, mark).properties(width=560, height=alt.Step(18), title=title)


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


def count_bars(frame: pl.DataFrame, of: str, by: str, heading: str) -> "alt.Chart":
    """A bar for each value of column `of`, as long as there are rows, in colours of column `by`.

    Values come in their order; a row without one counts as none.
    """
    import altair as alt

    words = [pl.col(name).cast(pl.String).fill_null("none") for name in (of, by)]
    counted = frame.select(*words).group_by(of, by).len("rows").sort(of, by)
    names = counted[by].unique(maintain_order=True).to_list()
    chart = (
        alt.Chart(alt.InlineData(values=counted.to_dicts()))
        .mark_bar(cornerRadius=2)
        .encode(
            y=alt.Y(f"{of}:N", title=of, axis=alt.Axis(labelLimit=260)),
            x=alt.X("rows:Q", title="how many", axis=alt.Axis(format="d", tickMinStep=1)),
            color=colour_of(by, names),
            tooltip=[f"{of}:N", f"{by}:N", "rows:Q"],
        )
        .properties(width=420, height=alt.Step(22), title=title(heading))
    )
    drawn: alt.Chart = plain(chart)
    return drawn


MOST_WORDS = 5
"""Of a rank, where nobody says how many."""


def word_bars(frame: pl.DataFrame, title: str, n_words: int = MOST_WORDS) -> "alt.FacetChart":
    """A panel for each rank that has a gain, a bar for what each word adds to it, longest first.

    `frame` is what `explain` gives; a rank has its first `n_words`.
    """
    import altair as alt

    words = ~pl.col("word").str.starts_with("(") & (pl.col("part") > 0)
    rows = frame.filter(words & (pl.col("gain") > 0)).group_by("rank", maintain_order=True)
    shown = rows.head(n_words).with_columns(
        panel=pl.format("rank {}: {}, gain {}", "rank", "doc", pl.col("gain").round(4))
    )
    values = alt.InlineData(values=shown.to_dicts())
    bars = (
        alt.Chart(values)
        .mark_bar(cornerRadius=2, color=MARK)
        .encode(
            y=alt.Y("word:N", sort="-x", title=None, axis=alt.Axis(labelLimit=200)),
            x=alt.X("part:Q", title="what the word adds to the gain"),
            tooltip=["doc:N", "word:N", "subtopic:N", alt.Tooltip("part:Q", format=".4f")],
        )
    )
    chart = bars.properties(width=420, height=alt.Step(16))
    chart = chart.facet(panels_of(shown, "panel"), columns=1)
    chart = chart.resolve_scale(y="independent").properties(title=title)
    drawn: alt.FacetChart = plain(chart)
    return drawn


AGAINST = {"rmse": "error, times that of the best", "tau": "tau, less than the best"}
BELOW = (
    "mark: against the best on the same draws, the best against the next; bar: 95%; number: tier"
)


def benchmark_chart(tiers: pl.DataFrame) -> "alt.TopLevelMixin":
    """A row for each method and a panel for each task and measure; `tiers` as `benchmark`
    has them.
    """
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
    ends = ("lower", "to_best", "upper")
    bar, mark = interval_marks(base, y, ends, title=told, tips=tips, scale=scale)
    level = alt.InlineData(values=[{"level": 1.0 if loss == "rmse" else 0.0}])
    line = alt.Chart(level).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x="level:Q")
    chart = alt.layer(bar, mark, line).properties(
        width=520, height=alt.Step(22), title=title(name, [BELOW])
    )
    drawn: alt.TopLevelMixin = plain(chart)
    return drawn
