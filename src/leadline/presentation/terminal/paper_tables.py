"""Tables for papers, in LaTeX and Markdown: any frame; runs, who is better than whom, tiers."""

import string
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import polars as pl

from leadline.comparison.pairwise import Pairwise
from leadline.comparison.tiers import CUT

LETTERS = string.ascii_lowercase
"""Runs beyond the 26th have no letter; tiers still tell who can be told apart."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def latex(compared: Sequence[Pairwise]) -> str:
    """A tabular with booktabs' rules, and a comment that says what the marks mean."""
    head, rows = _cells(compared, _superscript, latex_text)
    comment = "".join(f"% {line}\n" for line in legend(compared))
    return comment + _tabular("ll" + "r" * (len(head) - 2), list(map(latex_text, head)), rows)


def markdown(compared: Sequence[Pairwise]) -> str:
    """A pipe table, and a paragraph that says what the marks mean."""
    head, rows = _cells(compared, lambda marks: f"<sup>{marks}</sup>", markdown_text)
    rule = ["---", "---", *(["---:"] * (len(head) - 2))]
    return "\n".join(
        [_pipes(list(map(markdown_text, head)), rule, rows), *legend(compared, markdown_text), ""]
    )


def typeset_frame(frame: pl.DataFrame, kind: Literal["markdown", "latex"]) -> str:
    """Any table for a paper: numbers with four digits, what is not there left empty.

    >>> print(typeset_frame(pl.DataFrame({"run": ["a_1"], "P@10": [0.5]}), "markdown"))
    | run | P@10 |
    |---|---:|
    | a\\_1 | 0.5000 |
    <BLANKLINE>
    """
    safe = latex_text if kind == "latex" else markdown_text
    head = [safe(name) for name in frame.columns]
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    rows = [
        [f"{cell:.4f}" if isinstance(cell, float) else safe(_text(cell)) for cell in row]
        for row in frame.iter_rows()
    ]
    if kind == "latex":
        return _tabular("".join("r" if number else "l" for number in numeric), head, rows)
    rule = ["---:" if number else "---" for number in numeric]
    return _pipes(head, rule, rows)


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)


def _tabular(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A tabular with booktabs' rules; all text must be harmless already."""
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _pipes(head: Sequence[str], rule: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table; all text must be harmless already."""
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(rule) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def legend(compared: Sequence[Pairwise], safe: Callable[[str], str] = str) -> list[str]:
    """What the table shows, in sentences."""
    first = compared[0]
    how = f"{first.test}, {first.basis}, {first.tails}-tailed, {first.correct}, {first.level:g}"
    lines = []
    if len(first.scores.runs) <= len(LETTERS):
        lines.append(f"Letters: runs than which it is significantly better ({how}).")
        lines.append("In brackets: better by the test, with a caveat (leadline compare lists it).")
    elif first.all_tested:
        lines.append(f"Tiers by significance: {how}.")
    lines.append("Bounds: where the score lies whatever the unjudged documents are.")
    if first.all_tested:
        lines.append("Tier: runs of a tier cannot be told apart by the judgments / by the test;")
    else:
        baseline = first.scores.runs[int(first.second[0])]
        lines.append(f"Only pairs with {safe(baseline)} were tested: no tiers by significance.")
        lines.append("Tier: runs of a tier cannot be told apart by the judgments;")
    lines.append(f"{CUT}.")
    return lines


def _cells(
    compared: Sequence[Pairwise], raised: Callable[[str], str], safe: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    first = compared[0]
    order = first.order.tolist()
    letters = dict(zip(order, LETTERS, strict=False)) if len(order) <= len(LETTERS) else {}
    head = ["", "run"]
    columns: list[list[str]] = []
    for pairs in compared:
        head += [pairs.scores.measure, "bounds", "tier"]
        columns += _columns(pairs, order, letters, raised)
    rows = [
        [letters.get(run, ""), safe(first.scores.runs[run]), *(column[at] for column in columns)]
        for at, run in enumerate(order)
    ]
    return head, rows


def _columns(
    pairs: Pairwise, order: list[int], letters: dict[int, str], raised: Callable[[str], str]
) -> list[list[str]]:
    """Score with marks, bounds, tiers."""
    marks: dict[int, list[tuple[str, bool]]] = {run: [] for run in order}
    rows = zip(
        pairs.first.tolist(), pairs.second.tolist(), pairs.verdict, pairs.caveats, strict=True
    )
    for a, b, verdict, caveats in rows:
        if letters and verdict in ("better", "worse"):
            winner, loser = (a, b) if verdict == "better" else (b, a)
            marks[winner].append((letters[loser], bool(caveats)))
    mean, low, high = pairs.scores.mean(), pairs.scores.mean_lower(), pairs.scores.mean_upper()
    certain, significant = pairs.tiers("certainty"), pairs.tiers("significance")
    columns: list[list[str]] = [[], [], []]
    for run in order:
        sure = "".join(sorted(letter for letter, doubt in marks[run] if not doubt))
        doubted = "".join(sorted(letter for letter, doubt in marks[run] if doubt))
        text = sure + (f"({doubted})" if doubted else "")
        score = "--" if np.isnan(mean[run]) else f"{mean[run]:.4f}"
        columns[0].append(score + (raised(text) if text else ""))
        columns[1].append("" if np.isnan(low[run]) else f"[{low[run]:.3f}, {high[run]:.3f}]")
        tiers = [tier for tier in (certain, significant) if tier is not None]
        columns[2].append(" / ".join(str(tier[run]) for tier in tiers))
    return columns


def _superscript(marks: str) -> str:
    return rf"$^{{\mathrm{{{marks}}}}}$"


def latex_text(text: str) -> str:
    r"""The text with LaTeX's special characters columns harmless.

    >>> print(latex_text("run_1 & 50%"))
    run\_1 \& 50\%
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def markdown_text(text: str) -> str:
    r"""The text with Markdown's special characters columns harmless.

    >>> print(markdown_text("run_1|x"))
    run\_1\|x
    """
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]<>#|" else sign for sign in text)
