"""Tables of a page: plain HTML that its script makes sortable and filterable."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Literal

Kind = Literal["text", "long", "number", "share", "count", "drawn"]


@dataclass(frozen=True)
class Column:
    """A heading, what its cells hold, and what it means."""

    name: str
    kind: Kind = "number"
    title: str = ""
    digits: int = 4


@dataclass(frozen=True)
class Drawn:
    """A small picture in a cell, and the number by which to sort it."""

    svg: str
    value: float


Cell = str | int | float | None | Drawn


def live_table(
    name: str, caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Cell]]
) -> str:
    """The table as HTML; the first column says what a row is."""
    head = "".join(_head(column) for column in columns)
    body = "".join(
        "<tr>" + "".join(_cell(*each) for each in zip(row, columns, _is_first(), strict=False))
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{escape(caption)}">'
        f'<table class="live" id="{name}"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _is_first() -> Iterable[bool]:
    yield True
    while True:
        yield False


def _head(column: Column) -> str:
    kind = ' class="text"' if column.kind in ("text", "long") else ""
    drawn = ' data-drawn="sorted"' if column.kind == "drawn" else ""
    title = f' title="{escape(column.title)}"' if column.title else ""
    return f'<th scope="col"{kind}{drawn}{title}>{escape(column.name)}</th>'


def _cell(cell: Cell, column: Column, first: bool) -> str:
    if isinstance(cell, Drawn):
        return f'<td data-v="{cell.value:.6g}">{cell.svg}</td>'
    kind = f' class="{column.kind}"' if column.kind in ("text", "long") else ""
    if first:
        return f'<th scope="row"{kind} title="{escape(str(cell))}">{escape(str(cell))}</th>'
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return f"<td{kind}></td>"
    if isinstance(cell, str):
        return f"<td{kind}>{escape(cell)}</td>"
    if column.kind == "share":
        return f'<td data-v="{cell:.6g}" data-csv="{cell:.6g}">{cell:.0%}</td>'
    if column.kind == "count" or isinstance(cell, int):
        return f'<td data-csv="{cell:.0f}">{cell:,.0f}</td>'
    return f'<td data-v="{cell:.7g}" data-csv="{cell:.7g}">{cell:.{column.digits}f}</td>'


def interval_svg(lower: float, value: float, upper: float, ends: tuple[float, float]) -> str:
    """A bar from lower to upper with a mark at the value, on a scale from one end to the other."""
    first, last = ends
    scale = 100 / (last - first) if last > first else 0.0
    begin, width = (lower - first) * scale, max(0.5, (upper - lower) * scale)
    mark = min(98.8, max(0.0, (value - first) * scale - 0.6))
    return (
        '<svg class="cell" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="iv" x="{begin:.2f}" y="2" width="{width:.2f}" height="4"/>'
        f'<rect class="mk" x="{mark:.2f}" width="1.2" height="8"/></svg>'
    )
