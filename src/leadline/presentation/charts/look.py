"""How charts look: colours, headings, axes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

BAR, MARK, GREY, WARM = "#9ecae1", "#3b8bd0", "#888888", "#e07b39"
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
