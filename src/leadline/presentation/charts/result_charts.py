"""Charts of what adjust, pool, order, correlate and plan give, each from its frame.

What evaluate and estimate give is drawn by `range_charts`, tiers by `critical_difference`.
"""

from typing import TYPE_CHECKING, Any

import polars as pl

from leadline.presentation.charts.look import BAR, GREY, MARK, WARM, numbers, plain, title
from leadline.presentation.charts.range_charts import falling_lines

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
    bar = base.mark_bar(height=9, color=BAR, cornerRadius=2).encode(
        y=y, x=alt.X("pred_lower:Q", title=measure, scale=zoomed), x2="pred_upper:Q"
    )
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
    below = "if all were drawn at once by what is known now; rule: drawn so far"
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
    heading = title("what the budget buys", "in worlds drawn by a model of relevance")
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
