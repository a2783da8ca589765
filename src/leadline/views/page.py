"""Self-contained pages: frame, sections, tables, sources and embedded data.

Charts are drawn once, as SVG inside the page, so it needs no script and stays small. What is wider
than the screen scrolls, with a shade at the side on which there is more.
"""

import base64
import gzip
import io
import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

import leadline
from leadline.completions.bounds import OpenWeight
from leadline.completions.contributions import Groups
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.problems import Problem
from leadline.io.validate_runs import JudgedByRank
from leadline.stats.board import Board, GroupLeftOut

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class Marked:
    """A table cell that stands out: as it should be, off, best of its column, an aside, or ours."""

    text: str
    kind: Literal["same", "off", "best", "aside", "ours"]


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
    """A heading and what stands under it; a text is a paragraph. `data` are its attributes."""

    title: str
    parts: Sequence[Part] = field(default_factory=tuple)
    data: Mapping[str, str] = field(default_factory=dict)


def can_draw() -> bool:
    """Whether altair and vl-convert, the extra `charts`, are installed."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("leadline.views"),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )


def rendered(template: str, **values: object) -> str:
    """Return a template of `views/templates` filled with values; texts are escaped."""
    return _templates().get_template(template).render(values)


def part_of_page(macro: str, *values: object) -> Markup:
    """Return what a macro of `parts.html` makes of values; texts are escaped."""
    made: Markup = getattr(_templates().get_template("parts.html").module, macro)(*values)
    return made


def page(
    title: str,
    lead: str,
    sections: Sequence[Section],
    template: str = "page.html",
    style: str = "",
    **values: object,
) -> str:
    """Return the page as text; `template` extends page.html, `values` are for it."""
    return rendered(
        template,
        title=title,
        lead=lead,
        sections=sections,
        style=Markup(STYLE + style),
        drawing=_Drawing() if can_draw() else None,
        **values,
    )


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

    def svg(self, chart: "alt.TopLevelMixin") -> Markup:
        out = io.StringIO()
        chart.save(out, format="svg")
        self.n += 1
        text = re.sub(r"\b(clip|gradient)[_-]?(\d+)\b", rf"f{self.n}-\1\2", out.getvalue())
        text = re.sub(r' aria-[a-z]+="[^"]*"| role="[^"]*"', "", text)
        # In a wide font labels would run into legends, ticks and the picture's edge.
        text = re.sub(r'font-size="([\d.]+)px"', _smaller, text)
        # Coordinates to a hundredth of a pixel are fine enough, and a third of the size.
        # Numbers that are text, an axis' labels, stay as they are.
        return Markup(re.sub(r"<[^>]*>", _shorter, text[text.index("<svg") :]))


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
td.best{background:var(--best-back);font-weight:600}.ours{font-weight:700}.aside{color:var(--soft)}
figure{margin:1rem 0}figcaption{color:var(--soft);font-size:.9rem;max-width:46rem}
figure svg{display:block;width:100%;min-width:34rem;max-width:54rem;height:auto}
figure svg text{fill:var(--ink)}
details{margin:.8rem 0}summary{cursor:pointer;color:var(--link)}
"""


def section(name: str, title: str, *parts: Markup) -> Markup:
    """A heading and what stands under it."""
    return part_of_page("section", name, title, parts)


def paragraph(text: str, kind: str = "") -> Markup:
    """A paragraph of plain words."""
    return part_of_page("paragraph", text, kind)


def figure(name: str, caption: str, legend: Sequence[tuple[str, str]] = ()) -> Markup:
    """A place where the script draws a chart; `legend` has (kind, words)."""
    return part_of_page("figure", name, caption, legend)


def by_measure(parts: Iterable[tuple[str, Markup]]) -> Markup:
    """(measure, HTML) of which the script shows the chosen measure's; all without it."""
    return part_of_page("by_measure", parts)


def facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Words and what they stand for."""
    return part_of_page("facts", rows)


def fold(title: str, inner: Markup) -> Markup:
    """HTML that is shown on demand."""
    return part_of_page("fold", title, inner)


def amount(n: int, one: str, many: str = "") -> str:
    """A number with its word.

    >>> amount(1, "run"), amount(2_000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


Kind = Literal["text", "long", "number", "share", "count", "drawn"]


@dataclass(frozen=True)
class Column:
    """A heading, what its cells hold, and what it means."""

    name: str
    kind: Kind = "number"
    title: str = ""
    digits: int = 4

    @property
    def is_text(self) -> bool:
        """Whether its cells hold words."""
        return self.kind in ("text", "long")


@dataclass(frozen=True)
class Drawn:
    """A small picture in a cell, and the number by which to sort it."""

    svg: Markup
    value: float


Cell = str | int | float | None | Drawn


def live_table(
    name: str, caption: str, columns: Sequence[Column], rows: Iterable[Sequence[Cell]]
) -> Markup:
    """The table as HTML; the first column says what a row is."""
    return part_of_page("live_table", name, caption, columns, rows)


def interval_svg(
    lower: float,
    value: float | None,
    upper: float,
    ends: tuple[float, float],
    reference: float | None = None,
) -> Markup:
    """Return a bar from lower to upper, with a mark at the value, on a scale between two ends.

    A dashed line stands at the reference.
    """
    first, last = ends
    scale = 100 / (last - first) if last > first else 0.0
    begin, width = (lower - first) * scale, max(0.5, (upper - lower) * scale)
    mark = None if value is None else min(98.8, max(0.0, (value - first) * scale - 0.6))
    line = None if reference is None else (reference - first) * scale
    return part_of_page("interval", begin, width, mark, line)


@dataclass(frozen=True)
class Origin:
    """Where judgments and runs came from, as named; a digest of the files."""

    judgments: str
    runs: str
    digest: str = ""


def read_section(
    runs: Runs, judgments: Judgments, origin: Origin, notices: Sequence[Problem], pool: str
) -> Markup:
    """Counts of what was read, and all that was noticed."""
    grades = np.bincount(judgments.grade[judgments.judged], minlength=1)
    by_grade = ", ".join(f"{n:,} of grade {grade}" for grade, n in enumerate(grades) if n)
    rows = [
        ("judgments", origin.judgments),
        ("runs", origin.runs),
        ("counted", f"{amount(len(runs.names), 'run')} of {amount(len(set(runs.group)), 'group')}"),
        ("topics", f"{len(runs.pairs.topics):,}"),
        ("list entries", f"{len(runs.pair):,}, {int(runs.length.max(initial=0)):,} in the longest"),
        (
            "judged pairs",
            f"{int(judgments.judged.sum()):,}" + (f": {by_grade}" if by_grade else ""),
        ),
        ("pool", pool),
    ]
    columns = [
        Column("about", "text"),
        Column("line", "count"),
        Column("level", "text"),
        Column("code", "text"),
        Column("notice", "long"),
    ]
    cells: list[list[Cell]] = [
        [each.file or "input", each.line, each.level, each.code, each.message] for each in notices
    ]
    said = paragraph("Nothing was noticed.")
    if cells:
        title = amount(len(cells), "notice")
        said = fold(title, live_table("notices-table", title, columns, cells))
    return section("read", "What was read", facts(rows), said)


def again_section(command: str, seed: int, origin: Origin) -> Markup:
    """The command, the versions and the seed that give this page again."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "polars"))
    rows = [
        ("leadline", leadline.__version__),
        ("seed", str(seed)),
        ("with", f"Python {platform.python_version()}, {packages}"),
    ]
    if origin.digest:
        rows.append(("digest of the input", f"{origin.digest} (BLAKE2b of names and contents)"))
    words = "The same input, options and versions give the same page, to the last byte."
    return section(
        "again",
        "How to reproduce this page",
        Markup("<pre>{}</pre>").format(command),
        facts(rows),
        paragraph(words),
    )


WORDS = ("verdict", "on_these_topics", "certainty", "caveats")
"""Columns of pairs that hold words: numbers stand for them."""

UNIT = 10**7
"""Shared open weight comes in steps of one over this, rounded down: intervals stay certain."""


def numbers(array: npt.ArrayLike, digits: int = 7) -> Any:
    """Nested lists with None for NaN."""
    # Not -0.0, and an array even where it holds one number.
    values = np.asarray(np.round(np.asarray(array, np.float64), digits) + 0.0)
    gone = np.isnan(values)
    if not gone.any():
        return values.tolist()
    with_none = values.astype(object)
    with_none[gone] = None
    return with_none.tolist()


def packed(value: Any) -> str:
    """The value as JSON, compressed, in letters that may stand in a page.

    >>> packed([1]) == packed([1])
    True
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    # Without the time of day, so that the same input gives the same page.
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def page_data(
    boards: Sequence[Board],
    open_weights: Sequence[OpenWeight | None],
    groups: Groups,
    judged: JudgedByRank,
    queries: dict[str, str],
) -> dict[str, Any]:
    """All that the script needs."""
    scores = boards[0].scores
    words = {column: _Words() for column in WORDS}
    return {
        "runs": list(scores.runs),
        "groups": [groups.names[at] for at in groups.of_run],
        "unpooled": (~groups.pooled).tolist(),
        "topics": list(scores.topics),
        "queries": [queries.get(topic, "") for topic in scores.topics],
        "unit": UNIT,
        "measures": [
            _board(board, open_, words) for board, open_ in zip(boards, open_weights, strict=True)
        ],
        "judged": {
            "first": judged.first.tolist(),
            "last": judged.last.tolist(),
            "share": numbers(judged.share, 4),
        },
        "words": {column: list(numbered) for column, numbered in words.items()},
    }


class _Words(dict[str, int]):
    """A number for every text, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        return self.setdefault(text, len(self))


def _board(board: Board, open_: OpenWeight | None, words: dict[str, _Words]) -> dict[str, Any]:
    scores = board.scores
    data: dict[str, Any] = {
        "name": scores.measure,
        "order": board.order.tolist(),
        "mean": numbers(board.mean, 6),
        "lower": numbers(board.lower, 6),
        "upper": numbers(board.upper, 6),
        "value": numbers(scores.value),
        "left_out": None if board.left_out is None else [_left_out(row) for row in board.left_out],
    }
    if board.adjusted is not None:
        made, place = board.adjusted, list(board.adjusted_place)
        ends = np.stack([made.adjusted, made.pred_lower, made.pred_upper], axis=1)
        data["adjusted"] = [[run, *numbers(row, 6)] for run, row in zip(place, ends, strict=True)]
    if open_ is not None:
        data |= _open(open_)
    if open_ is not None and board.ideals is not None:
        least, most = board.ideals
        data["ideal"] = {"least": numbers(least, 12), "most": most}
    if board.has_interval and (open_ is None or board.ideals is not None):
        data |= {
            "low": numbers(scores.lower),
            "high": numbers(scores.upper),
            "alike": board.alike.tolist(),
        }
    pairs = board.pairwise
    if pairs is not None and board.tiers is not None:
        data["pairs"] = {
            "difference": numbers(pairs.difference, 6),
            "lower": numbers(pairs.lower, 6),
            "upper": numbers(pairs.upper, 6),
            "p": numbers(pairs.p, 6),
            "corrected": numbers(pairs.p_corrected, 6),
            **{
                column: [numbered[text] for text in getattr(pairs, column)]
                for column, numbered in words.items()
            },
        }
        data["tiers"] = {by: tier.tolist() for by, tier in board.tiers.items()}
    if board.estimates:
        data["orderings"] = [
            {"name": each.name, "value": numbers(each.value, 6), "place": each.places}
            for each in board.estimates
        ]
    return data


def _left_out(row: GroupLeftOut) -> dict[str, Any]:
    """The row with its numbers as a page has them."""
    fields = asdict(row)
    return {
        name: numbers(value, 6) if isinstance(value, float) else value
        for name, value in fields.items()
    }


def _open(open_: OpenWeight) -> dict[str, Any]:
    own = np.ceil(open_.own * UNIT - 1e-3) / UNIT
    shared = np.floor(open_.shared * UNIT + 1e-3).astype(np.int64)
    rows = [
        row.tolist() if some else None
        for row, some in zip(shared, np.atleast_1d(shared.any(axis=1)), strict=True)
    ]
    return {"own": numbers(own), "shared": rows}
