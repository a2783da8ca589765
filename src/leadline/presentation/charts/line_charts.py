"""Charts of lines: one for each value of a column, panels side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import polars as pl

from leadline.presentation.charts.look import GREY, colour_of, panels_of, plain

if TYPE_CHECKING:
    import altair as alt


def lines(
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
) -> "alt.TopLevelMixin":
    """A line for each value of column `of`, over `x`; a panel for each value of `panel`.

    `nominal` takes x as names in the order in which they come. `band` names two columns between
    which the line may lie. Lines of names in `dashed` are. Without `zero`, axes begin where lines
    do.
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
