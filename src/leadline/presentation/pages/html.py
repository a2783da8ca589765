"""One self-contained page from sections with text, tables and charts: no network, light and dark.

Charts are drawn once, as SVG inside the page, so it needs no script and stays small. What is wider
than the screen scrolls, with a shade at the side on which there is more.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class Marked:
    """A table cell that stands out: as it should be, off, the best of its column, or an aside."""

    text: str
    kind: Literal["same", "off", "best", "aside"]


@dataclass(frozen=True)
class Table:
    """Rows of cells; the first `n_labels` columns say what a row is. A rule goes above `groups`."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str | Marked]]
    n_labels: int = 1
    groups: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Figure:
    """A chart, drawn when the page is made."""

    caption: str
    chart: "Any"


@dataclass(frozen=True)
class Fold:
    """Parts that are shown on demand."""

    title: str
    parts: "Sequence[Part]"


Part = str | Table | Figure | Fold


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it; a text is a paragraph."""

    title: str
    parts: Sequence[Part] = field(default_factory=tuple)


def can_draw() -> bool:
    """Whether altair and vl-convert, the extra `charts`, are installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """The page as text."""
    drawing = _Drawing()
    links = "".join(
        f'<a href="#s{at}">{escape(section.title)}</a>' for at, section in enumerate(sections)
    )
    body = "".join(
        f'<section id="s{at}"><h2>{escape(section.title)}</h2>'
        + "".join(_part(part, drawing) for part in section.parts)
        + "</section>"
        for at, section in enumerate(sections)
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>"
        f"<h1>{escape(title)}</h1><p class=lead>{escape(lead)}</p><nav>{links}</nav>{body}"
        "</main></body></html>\n"
    )


def _part(part: Part, drawing: "_Drawing") -> str:
    if isinstance(part, str):
        return f"<p>{escape(part)}</p>"
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Fold):
        inner = "".join(_part(each, drawing) for each in part.parts)
        return f"<details><summary>{escape(part.title)}</summary>{inner}</details>"
    if not can_draw():
        return f"<p class=note>{escape(part.caption)} (not drawn: needs leadline[charts])</p>"
    return (
        f'<figure><div class="wide">{drawing.svg(part.chart)}</div>'
        f"<figcaption>{escape(part.caption)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    head = "".join(
        f"<th{' class=label' if at < table.n_labels else ''}>{escape(name)}</th>"
        for at, name in enumerate(table.head)
    )
    rows = []
    for number, row in enumerate(table.rows):
        cells = "".join(_cell(cell, at < table.n_labels) for at, cell in enumerate(row))
        rows.append(f"<tr{' class=group' if number in table.groups else ''}>{cells}</tr>")
    return (
        f'<p class="caption">{escape(table.caption)}</p><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _cell(cell: str | Marked, label: bool) -> str:
    tag = "th" if label else "td"
    if isinstance(cell, Marked):
        return f'<{tag} class="{cell.kind}">{escape(cell.text)}</{tag}>'
    return f"<{tag}>{escape(cell)}</{tag}>"


WIDEST = 1.16
"""How much wider a reader's font may be than the one in which charts are laid out."""


def _shorter(tag: re.Match[str]) -> str:
    return re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0])


def _smaller(size: re.Match[str]) -> str:
    return f'font-size="{float(size[1]) / WIDEST:.2f}px"'


class _Drawing:
    """Draws charts; each gets names of its own, because one page holds many."""

    def __init__(self) -> None:
        self.n = 0

    def svg(self, chart: "alt.TopLevelMixin") -> str:
        out = io.StringIO()
        chart.save(out, format="svg")
        self.n += 1
        text = re.sub(r"\b(clip|gradient)[_-]?(\d+)\b", rf"f{self.n}-\1\2", out.getvalue())
        text = re.sub(r' aria-[a-z]+="[^"]*"| role="[^"]*"', "", text)
        # In a wide font labels would run into legends, ticks and the picture's edge.
        text = re.sub(r'font-size="([\d.]+)px"', _smaller, text)
        # Coordinates to a hundredth of a pixel are fine enough, and a third of the size.
        # Numbers that are text, an axis' labels, stay as they are.
        return re.sub(r"<[^>]*>", _shorter, text[text.index("<svg") :])


STYLE = """
:root{--ink:#1b2733;--soft:#5c6b7a;--line:#d5dde5;--back:#fff;--head:#f3f6f9;--link:#0b5cad;
--same:#176b3a;--off:#8a4b00;--off-back:#fff1dc;--best-back:#e3f1ff;--shade:#0006}
@media(prefers-color-scheme:dark){:root{--ink:#e4eaf0;--soft:#9fb0c0;--line:#34424f;--back:#121a22;
--head:#1b2630;--link:#7db8f5;--same:#6fd09a;--off:#ffc37a;--off-back:#3d2c14;--best-back:#17344f;
--shade:#fff5}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:62rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.25rem;margin:2.2rem 0 .4rem;border-top:1px solid var(--line);padding-top:1rem}
p{margin:.5rem 0;max-width:46rem}.lead{color:var(--soft)}.note{color:var(--soft);font-size:.9rem}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;margin:.8rem 0}a{color:var(--link)}
.wide{overflow-x:auto;margin:.8rem 0;
background:linear-gradient(90deg,var(--back) 40%,transparent) 0/3rem 100% no-repeat local,
linear-gradient(270deg,var(--back) 40%,transparent) 100%/3rem 100% no-repeat local,
linear-gradient(90deg,var(--shade),transparent) 0/.9rem 100% no-repeat scroll,
linear-gradient(270deg,var(--shade),transparent) 100%/.9rem 100% no-repeat scroll}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
.caption{font-weight:600;margin-bottom:-.5rem}
th,td{padding:.2rem .6rem;text-align:right;white-space:nowrap}
thead th{background:var(--head);border-bottom:1px solid var(--line);font-weight:600}
tbody th,th.label{text-align:left;font-weight:400;padding-left:0}
tr.group>*{border-top:1px solid var(--line)}
td.same{color:var(--same)}td.off{color:var(--off);background:var(--off-back)}
td.best{background:var(--best-back);font-weight:600}.aside{color:var(--soft)}
figure{margin:1rem 0}figcaption{color:var(--soft);font-size:.9rem;max-width:46rem}
figure svg{display:block;width:100%;min-width:34rem;max-width:54rem;height:auto}
figure svg text{fill:var(--ink)}
details{margin:.8rem 0}summary{cursor:pointer;color:var(--link)}
"""
