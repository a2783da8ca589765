"""How many rows there are of each kind: findings by code, labels by grade."""

from typing import TYPE_CHECKING

import polars as pl

from leadline.presentation.charts.look import colour_of, plain, title

if TYPE_CHECKING:
    import altair as alt


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
