"""Small pieces of a page: paragraphs, figures, what changes with the measure."""

from collections.abc import Iterable
from html import escape


def section(name: str, title: str, *parts: str) -> str:
    """A heading and what stands under it."""
    return f'<section id="{name}"><h2>{escape(title)}</h2>{"".join(parts)}</section>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain words."""
    mark = f' class="{kind}"' if kind else ""
    return f"<p{mark}>{escape(text)}</p>"


def figure(name: str, caption: str, legend: Iterable[tuple[str, str]] = ()) -> str:
    """A place where the script draws a chart; `legend` has (kind, words)."""
    keys = "".join(
        f'<li><svg viewBox="0 0 10 8" aria-hidden="true"><rect class="{kind}" width="10" '
        f'height="8"/></svg>{escape(words)}</li>'
        for kind, words in legend
    )
    shown = f'<ul class="legend">{keys}</ul>' if keys else ""
    return (
        f'<figure id="{name}"><div class="plot"></div>{shown}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def by_measure(parts: Iterable[tuple[str, str]]) -> str:
    """(measure, HTML) of which the script shows the chosen measure's; all without it."""
    return "".join(
        f'<div data-measure="{at}"><h3>{escape(name)}</h3>{inner}</div>'
        for at, (name, inner) in enumerate(parts)
    )


def options(names: Iterable[tuple[int, str]]) -> str:
    """Choices of a list."""
    return "".join(f'<option value="{value}">{escape(name)}</option>' for value, name in names)


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Words and what they stand for."""
    inner = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in rows)
    return f"<dl>{inner}</dl>"


def fold(title: str, inner: str) -> str:
    """HTML that is shown on demand."""
    return f"<details><summary>{escape(title)}</summary>{inner}</details>"


def amount(n: int, one: str, many: str = "") -> str:
    """A number with its word.

    >>> amount(1, "run"), amount(2_000, "run")
    ('1 run', '2,000 runs')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"
