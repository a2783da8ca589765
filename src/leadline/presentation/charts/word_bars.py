"""A picture of the words behind a score."""

from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import MARK, panels_of, plain

if TYPE_CHECKING:
    import altair as alt

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
