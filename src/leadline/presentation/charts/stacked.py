"""Charts of several measures as one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import altair as alt


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
