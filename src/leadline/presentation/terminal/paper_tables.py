"""Tables of runs for papers, in LaTeX and Markdown: scores, who is better than whom, tiers."""

import string
from collections.abc import Callable, Sequence

import numpy as np

from leadline.comparison.pairwise import Pairwise

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
    numbers = "r" * (len(head) - 2)
    lines = [f"% {line}" for line in legend(compared)]
    lines.append(r"% needs \usepackage{booktabs}")
    lines.append(rf"\begin{{tabular}}{{ll{numbers}}}")
    lines.append(r"\toprule")
    lines.append(" & ".join(map(latex_text, head)) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(row) + r" \\" for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def markdown(compared: Sequence[Pairwise]) -> str:
    """A pipe table, and a paragraph that says what the marks mean."""
    head, rows = _cells(compared, lambda marks: f"<sup>{marks}</sup>", markdown_text)
    lines = ["| " + " | ".join(map(markdown_text, head)) + " |"]
    lines.append("|" + "|".join(["---", "---", *(["---:"] * (len(head) - 2))]) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([*lines, "", *legend(compared)]) + "\n"


def legend(compared: Sequence[Pairwise]) -> list[str]:
    """What the table shows, in sentences."""
    first = compared[0]
    how = f"{first.test}, {first.basis}, {first.tails}-tailed, {first.correct}, {first.level:g}"
    lines = []
    if len(first.scores.runs) <= len(LETTERS):
        lines.append(f"Letters: runs than which it is significantly better ({how}).")
        lines.append("In brackets: better by the test, but not to be trusted as it stands.")
    else:
        lines.append(f"Tiers by significance: {how}.")
    lines.append("Brackets beside a score: the interval that is certain to hold it.")
    lines.append("Tier: runs of a tier cannot be told apart by the judgments / by the test.")
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
        head += [pairs.scores.measure, "interval", "tier"]
        columns += _columns(pairs, order, letters, raised)
    rows = [
        [letters.get(run, ""), safe(first.scores.runs[run]), *(column[at] for column in columns)]
        for at, run in enumerate(order)
    ]
    return head, rows


def _columns(
    pairs: Pairwise, order: list[int], letters: dict[int, str], raised: Callable[[str], str]
) -> list[list[str]]:
    """Score with marks, interval, tiers."""
    marks: dict[int, list[tuple[str, bool]]] = {run: [] for run in order}
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.verdict, pairs.trust, strict=True)
    for a, b, verdict, trust in rows:
        if letters and verdict in ("better", "worse"):
            winner, loser = (a, b) if verdict == "better" else (b, a)
            marks[winner].append((letters[loser], bool(trust)))
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
        columns[2].append(f"{certain[run]} / {significant[run]}")
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
