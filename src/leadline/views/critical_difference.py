"""The critical-difference diagram: runs by score, bars over those that cannot be told apart."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from leadline.stats.pairwise import By, Pairwise

if TYPE_CHECKING:
    import altair as alt


STEP = 17
BAR = 7
GREY = "#7a8087"
"""Seen on light and on dark paper."""

VERDICTS = {
    "better": "#3b8bd0",
    "undecided": GREY,
    "equal": "#b3b7bb",
    "worse": "#e07b39",
    "baseline": "#b03a9b",
}


def diagram_data(pairs: Pairwise, by: By = "significance") -> tuple[pl.DataFrame, pl.DataFrame]:
    """Columns run, place, value, tier, verdict of runs; group, first, last (places) of bars.

    Where a baseline left pairs untested there are no tiers and bars; `verdict` is then each run's
    against the baseline.
    """
    mean = pairs.scores.mean()
    order = pairs.order
    place = {int(run): at + 1 for at, run in enumerate(order)}
    tier = pairs.tiers(by)
    against = dict(zip(pairs.first.tolist(), pairs.verdict, strict=True))
    runs = pl.DataFrame(
        {
            "run": [pairs.scores.runs[run] for run in order],
            "place": np.arange(1, len(order) + 1),
            "value": pl.Series(mean[order]).fill_nan(None),
            "tier": pl.repeat(None, len(order), dtype=pl.Int64, eager=True)
            if tier is None
            else tier[order],
            "verdict": ["" if tier is not None else against.get(run, "baseline") for run in order],
        }
    )
    level = [] if tier is None else pairs.level_runs(by)
    groups = [(at, place[group[0]], place[group[-1]]) for at, group in enumerate(level)]
    schema = {"group": pl.Int64, "first": pl.Int64, "last": pl.Int64}
    return runs, pl.DataFrame(groups, schema=schema, orient="row")


def critical_difference(pairs: Pairwise, by: By = "significance") -> "alt.HConcatChart":
    """Runs down the page, best first, with their score; a bar joins runs that are not apart.

    `by` significance takes the test that compared the pairs, `by` certainty their bounds. With a
    baseline only its own pairs are tested: colours show each run's verdict against it.
    """
    import altair as alt

    from leadline.views.charts import MARK, WARM, plain

    runs, groups = diagram_data(pairs, by)
    tested = pairs.all_tested or by == "certainty"
    lanes = _lanes(groups)
    height = STEP * len(runs)
    scale = alt.Scale(domain=[0.4, len(runs) + 0.6], reverse=True, nice=False)
    places = alt.Y("place:Q", scale=scale, axis=None)
    points = alt.Chart(alt.InlineData(values=runs.to_dicts()))
    shown = [
        alt.Tooltip("run:N"),
        alt.Tooltip("value:Q", format=".4f"),
        alt.Tooltip("tier:O", title="tier") if tested else alt.Tooltip("verdict:N"),
    ]
    values = runs["value"].drop_nulls()
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)  # type: ignore[arg-type]
    x = alt.X(
        "value:Q",
        title=pairs.scores.measure,
        scale=alt.Scale(domain=[low, high] if high > low else [low - 0.1, low + 0.1], padding=8),
        axis=alt.Axis(labelColor=GREY, titleColor=GREY),
    )
    dots = points.mark_circle(size=52, color=MARK, opacity=1).encode(x, places, tooltip=shown)
    if not tested:
        shown_verdicts = [name for name in VERDICTS if name in set(runs["verdict"])]
        colours = alt.Scale(
            domain=shown_verdicts, range=[VERDICTS[name] for name in shown_verdicts]
        )
        legend = alt.Legend(orient="bottom", labelColor=GREY)
        dots = dots.encode(alt.Color("verdict:N", scale=colours, title=None, legend=legend))
    scores = alt.layer(dots).properties(width=300, height=height)
    names = (
        points.mark_text(align="right", dx=-4, fontSize=12, limit=230, color=GREY)
        .encode(places, text="run:N", x=alt.value(230), tooltip=shown)
        .properties(width=232, height=height)
    )
    bars = (
        alt.Chart(alt.InlineData(values=lanes.to_dicts()))
        .mark_rule(strokeWidth=4, color=WARM, strokeCap="round")
        .encode(
            alt.X("lane:Q", axis=None, scale=alt.Scale(domain=[-0.5, max(_n_lanes(lanes), 1)])),
            alt.Y("first:Q", scale=scale, axis=None),
            y2="last:Q",
        )
        .properties(width=max(BAR * 2, BAR * _n_lanes(lanes)), height=height)
    )
    how = (
        "bounds over every completion"
        if by == "certainty"
        else ", ".join([pairs.test] + [pairs.correction] * (pairs.correction != "none"))
    )
    said = f"a bar joins neighbours of which no two can be told apart ({how})"
    if not tested:
        baseline = pairs.scores.runs[int(pairs.second[0])]
        said = f"colour: against {baseline} ({how}); other pairs are not tested"
    title = alt.TitleParams(
        f"{pairs.scores.measure}: which runs differ",
        subtitle=said,
        anchor="start",
        color=GREY,
        subtitleColor=GREY,
    )
    chart = alt.hconcat(names, bars, scores, spacing=4).properties(title=title)
    drawn: alt.HConcatChart = plain(chart)
    return drawn


def _lanes(groups: pl.DataFrame) -> pl.DataFrame:
    """Bars side by side where they overlap, as few lanes as will do."""
    ends: list[int] = []
    lane = []
    for _, first, last in groups.iter_rows():
        free = next((at for at, end in enumerate(ends) if end < first), len(ends))
        if free == len(ends):
            ends.append(last)
        ends[free] = last
        lane.append(free)
    # A bar reaches a little past the middle of its first and last run.
    return groups.with_columns(
        pl.Series("lane", lane, dtype=pl.Int64),
        pl.col("first") - 0.25,
        pl.col("last") + 0.25,
    )


def _n_lanes(lanes: pl.DataFrame) -> int:
    return lanes["lane"].n_unique()
