"""Charts of what verbs, papers and audits give, each from its frame.

What evaluate and estimate give is drawn by `range_charts`, tiers by `critical_difference`.
"""

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from leadline.views.charts import (
    BAR,
    GREY,
    MARK,
    WARM,
    colour_of,
    falling_lines,
    interval_marks,
    numbers,
    panels_of,
    plain,
    title,
)

if TYPE_CHECKING:
    import altair as alt


def adjusted_arrows(frame: pl.DataFrame, measure: str) -> "alt.LayerChart":
    """An arrow for each run from its score as judged to the adjusted one, over its interval.

    `frame` is what `adjust` gives; the best adjusted score comes first.
    """
    import altair as alt

    rows = frame.filter(pl.col("measure") == measure)
    order = rows.sort("adjusted", "run", descending=[True, False])["run"].to_list()
    base = alt.Chart(alt.InlineData(values=rows.to_dicts()))
    y = alt.Y("run:N", sort=order, title=None, axis=alt.Axis(labelLimit=260))
    zoomed = alt.Scale(zero=False)
    shown = [alt.Tooltip("run:N"), *numbers("unadjusted", "adjusted", "pred_lower", "pred_upper")]
    ends = ("pred_lower", "adjusted", "pred_upper")
    bar, _ = interval_marks(base, y, ends, title=measure, tips=shown, scale=zoomed)
    line = base.mark_rule(strokeWidth=2, color=WARM).encode(
        y=y, x=alt.X("unadjusted:Q", scale=zoomed), x2="adjusted:Q"
    )
    # The wedge points the way that the score moved.
    head = base.mark_point(filled=True, size=90, color=WARM, opacity=1).encode(
        y=y,
        x=alt.X("adjusted:Q", scale=zoomed),
        tooltip=shown,
        angle=alt.condition(
            "datum.adjusted >= datum.unadjusted", alt.value(90), alt.value(270), empty=False
        ),
        shape=alt.value("triangle-up"),
    )
    below = "arrow: from the score as judged to the adjusted one; bar: 95% prediction interval"
    return _drawn(alt.layer(bar, line, head), title(f"{measure}: adjusted scores", below))


def budget_curve(errors: dict[int, float], n_drawn: int, of: str) -> "alt.LayerChart":
    """The standard error to expect of something, by judgments; a rule at what is drawn so far."""
    import altair as alt

    rows = [{"judgments": n, "error": error} for n, error in errors.items()]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("judgments:Q", scale=alt.Scale(zero=True)),
        y=alt.Y("error:Q", title="standard error to expect"),
        tooltip=[alt.Tooltip("judgments:Q", format=","), *numbers("error")],
    )
    now = alt.Chart(alt.InlineData(values=[{"judgments": n_drawn}])).mark_rule(color=GREY)
    lines = alt.layer(
        base.mark_line(color=BAR),
        base.mark_point(filled=True, size=60, color=MARK, opacity=1),
        now.encode(x="judgments:Q"),
    )
    below = "if all were sampled at once given the judgments so far; rule: sampled so far"
    heading = title(f"what the budget buys: standard error of {of}", below)
    curve: alt.LayerChart = plain(lines.properties(width=420, height=220, title=heading))
    return curve


def plan_curves(frame: pl.DataFrame) -> "alt.LayerChart":
    """A line for each plan: the error to expect by how many judgments it takes.

    `frame` has the columns plan, judgments, expected_error, probability_right.
    """
    import altair as alt

    rows = frame.select("plan", "judgments", "expected_error", "probability_right")
    base = alt.Chart(alt.InlineData(values=rows.to_dicts())).encode(
        x=alt.X("judgments:Q", scale=alt.Scale(zero=True)),
        y=alt.Y("expected_error:Q", title="error to expect"),
        color=alt.Color("plan:N", legend=alt.Legend(orient="bottom", title=None)),
        tooltip=[
            alt.Tooltip("plan:N"),
            alt.Tooltip("judgments:Q", format=","),
            *numbers("expected_error", "probability_right"),
        ],
    )
    lines = alt.layer(base.mark_line(), base.mark_point(filled=True, size=60, opacity=1))
    heading = title("what the budget buys", "in completions drawn by the relevance model")
    curves: alt.LayerChart = plain(lines.properties(width=420, height=220, title=heading))
    return curves


def pool_sizes(frame: pl.DataFrame) -> "alt.Chart":
    """A bar for each topic: how many pairs the pool holds, judged ones apart where that is told.

    `frame` is what `pool` gives; topics come as there.
    """
    import altair as alt

    told = "judged" in frame.columns
    state = pl.when("judged").then(pl.lit("judged")).otherwise(pl.lit("to judge"))
    counted = (
        frame.with_columns(state=state if told else pl.lit("to judge"))
        .group_by("topic", "state", maintain_order=True)
        .len("pairs")
    )
    topics = frame["topic"].unique(maintain_order=True).to_list()
    width = max(240, min(900, 14 * len(topics)))
    chart = (
        alt.Chart(alt.InlineData(values=counted.to_dicts()))
        .mark_bar()
        .encode(
            x=alt.X("topic:N", sort=topics, axis=alt.Axis(labelOverlap=True, labelAngle=-60)),
            y=alt.Y("pairs:Q", title="pairs in the pool"),
            color=alt.Color(
                "state:N",
                scale=alt.Scale(domain=["judged", "to judge"], range=[BAR, MARK]),
                legend=alt.Legend(orient="bottom", title=None) if told else None,
            ),
            tooltip=["topic:N", "state:N", "pairs:Q"],
        )
        .properties(width=width, height=220, title=title(f"Pool of {len(frame):,} pairs"))
    )
    drawn: alt.Chart = plain(chart)
    return drawn


def certainty_course(frame: pl.DataFrame) -> "alt.Chart":
    """How many runs can still turn out better than the leader, by judgments made.

    `frame` has the columns judged, contenders: one row for every judgment of `order`.
    """
    y = "runs that can still be better than the leader"
    rows = frame.select(pl.col("judged").alias("judgments"), pl.col("contenders").alias(y))
    drawn = falling_lines(rows.with_columns(of=pl.lit("order")), "judgments", y, "of")
    heading = title("Until the best run is certain")
    return drawn.properties(width=560, height=260, title=heading)


def place_agreement(frame: pl.DataFrame) -> "alt.LayerChart":
    """A dot for each run at its place by two evaluations; on the line both agree.

    `frame` has the column run and two of scores, named by what they are scores of.
    """
    import altair as alt

    a, b = frame.columns[1:]
    # Names of measures hold dots, which are paths to Vega.
    places = frame.select(
        "run",
        *(
            pl.col(name).rank("min", descending=True).cast(pl.Int64).alias(short)
            for name, short in ((a, "x"), (b, "y"))
        ),
    )
    last = len(frame) + 0.5
    scale, axis = alt.Scale(domain=[0.5, last], reverse=True, nice=False), alt.Axis(format="d")
    x = alt.X("x:Q", title=f"place by {a}", scale=scale, axis=axis)
    y = alt.Y("y:Q", title=f"place by {b}", scale=scale, axis=axis)
    ends = alt.InlineData(values=[{"x": at, "y": at} for at in (0.5, last)])
    line = alt.Chart(ends).mark_line(color=GREY, strokeWidth=1).encode(x, y)
    dots = (
        alt.Chart(alt.InlineData(values=places.to_dicts()))
        .mark_circle(size=45, opacity=0.85)
        .encode(
            x,
            y,
            tooltip=["run:N", alt.Tooltip("x:Q", title=a), alt.Tooltip("y:Q", title=b)],
            color=alt.condition("datum.x != datum.y", alt.value(WARM), alt.value(MARK)),
        )
    )
    below = "best at the top right; on the line: the same place in both"
    heading = title("Places of the runs", below)
    chart = alt.layer(line, dots).properties(width=380, height=380, title=heading)
    drawn: alt.LayerChart = plain(chart)
    return drawn


def _drawn(chart: Any, heading: Any) -> "alt.LayerChart":
    """Rows of bars under a title."""
    import altair as alt

    drawn: alt.LayerChart = plain(chart.properties(width=560, height=alt.Step(18), title=heading))
    return drawn


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


def dots(
    frame: pl.DataFrame,
    of: str,
    x: str,
    spread: str,
    colour: str,
    panel: str,
    scale: Literal["linear", "log"] = "linear",
) -> "alt.FacetChart":
    """A dot for every row beside its value of column `of`, with a bar of `spread` each way.

    For names that have no order: nothing joins them. A panel for each value of `panel`.
    """
    import altair as alt

    names = frame[of].unique(maintain_order=True).to_list()
    colours = frame[colour].unique(maintain_order=True).to_list()
    ends = frame.select(
        of, x, colour, panel, low=pl.col(x) - pl.col(spread), high=pl.col(x) + pl.col(spread)
    )
    place = alt.Y(f"{of}:N", sort=names, title=None, axis=alt.Axis(labelLimit=260))
    beside = alt.YOffset(f"{colour}:N", sort=colours)
    ends = ends.with_columns(low=pl.max_horizontal("low", pl.col(x) / 10))
    kind = alt.Scale(type=scale, zero=False)
    across = alt.X(f"{x}:Q", title=x, scale=kind)
    base = alt.Chart()
    told = colour_of(colour, colours)
    bar = base.mark_rule(strokeWidth=2).encode(
        place, alt.X("low:Q", title=x, scale=kind), alt.X2("high:Q"), told, beside
    )
    mark = base.mark_circle(size=34, opacity=1).encode(
        place, across, told, beside, tooltip=[alt.Tooltip(f"{of}:N"), *numbers(x)]
    )
    values = alt.InlineData(values=ends.to_dicts())
    drawn = alt.layer(bar, mark, data=values).properties(width=250, height=alt.Step(10))
    whole: alt.FacetChart = plain(drawn.facet(panels_of(frame, panel), columns=2))
    return whole


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


MOST_ROWS = 40
"""Of a chart: more are shown by both ends of the order."""

LETTER = 7.5
"""Width of a letter of the axis, in pixels, about."""


def favours(frame: pl.DataFrame, kind: str) -> "alt.TopLevelMixin":
    """Return a chart of the favour of each group, family or run; significant ones are coloured."""
    named = frame.filter(pl.col("section").is_in(["favoured", "marked down"]))
    items = named["item"].str.strip_prefix(f"{kind} ").to_list()
    below = "mark: favour; bar: simultaneous interval; coloured: significant"
    mine = frame.filter(pl.col("section") == f"favour by {kind}").drop_nulls("value")
    if mine["ci_lower"].null_count():
        below += "; no bar: not tested"
    return around_zero(frame, f"favour by {kind}", "score", below, items)


def around_zero(
    frame: pl.DataFrame, section: str, unit: str, below: str, marked: list[str] | None = None
) -> "alt.TopLevelMixin":
    """Return a chart of a section of an audit: a bar for the interval, a mark for the value.

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
    colour: Any = alt.condition("datum.named", alt.value(WARM), alt.value(BAR))
    shown = [alt.Tooltip("item:N"), *numbers("value", "ci_lower", "ci_upper")]
    ends = ("ci_lower", "value", "ci_upper")
    bar, mark = interval_marks(
        base, y, ends, title=unit, tips=shown, axis=alt.Axis(tickCount=7), colour=colour
    )
    nothing = alt.Chart(alt.InlineData(values=[{"at": 0}])).mark_rule(color=GREY)
    layers = alt.layer(nothing.encode(x="at:Q"), bar, mark)
    heading = title(section.capitalize(), below)
    drawn: alt.TopLevelMixin = plain(
        layers.properties(width=520, height=alt.Step(18), title=heading)
    )
    return drawn
