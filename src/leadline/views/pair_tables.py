"""Pairs of runs and tiers, for the terminal and for papers."""

import string
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from leadline.stats.pairwise import CAVEATS, CUT, Pairwise
from leadline.views.tables import CERTAINTY_STYLES, titled_table

MOST_PAIRS = 45
"""More pairs than those of ten runs are not read one by one."""

STYLES = {"better": "green", "worse": "red", "equal": "dim", "undecided": ""}

READING = (
    "in general: by the test, for topics like these; on these topics: once all is judged; "
    "bounds: the difference over every completion of the judgments"
)
"""What the columns of the pairs answer."""

ANYTIME_READING = (
    "anytime-valid: the difference on these topics, by sampled batches; it holds at all looks"
)


def pairs_tables(compared: list[Pairwise]) -> RenderableType:
    """For each measure the tiers of the runs, then the pairs; of many, those with the best run."""
    parts: list[RenderableType] = []
    for pairs in compared:
        if len(pairs.scores.runs) > 2:
            parts += [tiers_table(pairs.tier_frame()), Text()]
        parts.append(_pairs(pairs))
    return Group(*parts)


def _pairs(pairs: Pairwise) -> RenderableType:
    frame = pairs.frame()
    what = f"{pairs.scores.measure}: {pairs.test}, {pairs.unjudged_as}, {pairs.tails}-tailed"
    table = titled_table(f"{what}, {pairs.correction}")
    below = []
    best = pairs.scores.runs[int(pairs.order[0])]
    if len(frame) > MOST_PAIRS:
        rows = led_by(frame, best)
        names = {"run_b": f"{best} against"}
        hidden = len(frame) - len(rows)
        below.append(f"... and {hidden:,} pairs without the best run: -o pairs.csv writes them all")
    else:
        rows, names = frame, {"run_a": "run a", "run_b": "run b"}
    for name in names.values():
        table.add_column(Text(name), no_wrap=True)
    for name in ("difference", "bounds", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("in general", "on these topics"):
        table.add_column(name, no_wrap=True)
    anytime = "anytime_lower" in rows.columns
    if anytime:
        table.add_column("anytime-valid 95%", justify="right", no_wrap=True)
    below += [READING, ANYTIME_READING] if anytime else [READING]
    numbers, marks = _numbered(rows["caveats"].to_list())
    if numbers:
        table.add_column("caveats", no_wrap=True)
        below.append("caveats: " + ", ".join(f"{at} {caveat}" for caveat, at in numbers.items()))
    for row, mark in zip(rows.iter_rows(named=True), marks, strict=True):
        cells: list[str | Text] = [
            *(Text(row[name]) for name in names),
            "" if row["difference"] is None else f"{row['difference']:+.4f}",
            Text(_ends(row, "lower", "upper")),
            probability(row["p_corrected"]),
            Text(row["verdict"], style=STYLES[row["verdict"]]),
            Text(settled(row), style=CERTAINTY_STYLES[row["certainty"]]),
        ]
        if anytime:
            cells.append(Text(_ends(row, "anytime_lower", "anytime_upper")))
        table.add_row(*cells, *([mark] if numbers else []))
    return Group(table, *(Text(line, style="dim") for line in below))


def _ends(row: dict[str, float | None], lower: str, upper: str) -> str:
    """Return both ends of an interval, nothing where there is none."""
    return "" if row[lower] is None else f"[{row[lower]:+.4f}, {row[upper]:+.4f}]"


def led_by(frame: pl.DataFrame, best: str) -> pl.DataFrame:
    """The pairs of one run, turned so that it comes first, those hardest to tell apart on top."""
    second = pl.col("run_b") == best
    turned = {"better": "worse", "worse": "better"}
    opposite = {"difference": "difference", "lower": "upper", "upper": "lower"}
    opposite |= {"anytime_lower": "anytime_upper", "anytime_upper": "anytime_lower"}
    signed = [
        pl.when(second).then(-pl.col(other)).otherwise(pl.col(name)).alias(name)
        for name, other in opposite.items()
        if name in frame.columns
    ]
    return (
        frame.filter(second | (pl.col("run_a") == best))
        .with_columns(
            *signed,
            pl.when(second).then(pl.col("run_a")).otherwise(pl.col("run_b")).alias("run_b"),
            *(
                pl.when(second)
                .then(pl.col(name).replace(turned))
                .otherwise(pl.col(name))
                .alias(name)
                for name in ("verdict", "on_these_topics")
            ),
        )
        .sort("difference", maintain_order=True)
    )


def settled(row: dict[str, str]) -> str:
    """What is settled on these topics, in words.

    >>> settled({"on_these_topics": "better", "certainty": "likely"})
    'better, likely'
    >>> settled({"on_these_topics": "undecided", "certainty": "open"})
    'undecided'
    """
    if row["certainty"] == "open":
        return row["on_these_topics"]
    return f"{row['on_these_topics']}, {row['certainty']}"


def _numbered(caveats: list[str]) -> tuple[dict[str, int], list[str]]:
    """A number for every caveat, and the numbers of each row.

    >>> _numbered(["few topics", "sign could flip; few topics"])
    ({'sign could flip': 1, 'few topics': 2}, ['2', '1 2'])
    """
    rows = [text.split("; ") if text else [] for text in caveats]
    used = [caveat for caveat in CAVEATS if any(caveat in row for row in rows)]
    numbers = {caveat: at for at, caveat in enumerate(used, 1)}
    return numbers, [" ".join(str(numbers[caveat]) for caveat in row) for row in rows]


def probability(p: float | None) -> str:
    """A p-value in four digits.

    >>> probability(0.03125), probability(0.00001), probability(None)
    ('0.0312', '<.0001', '')
    """
    if p is None or np.isnan(p):
        return ""
    return "<.0001" if p < 0.00005 else f"{p:.4f}"


def details_table(frame: pl.DataFrame) -> RenderableType:
    """How large each difference is, over other topics and for what is judged, and what it takes."""
    parts: list[RenderableType] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        table = titled_table(str(measure))
        for name in ("run a", "run b"):
            table.add_column(name, no_wrap=True)
        for name in (
            "difference",
            "effect",
            "confidence interval",
            "topics",
            "needed",
            "judgments",
        ):
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows.iter_rows(named=True):
            low, high = row["ci_lower"], row["ci_upper"]
            known = {key: row[key] for key in ("n_topics", "topics_needed", "judgments_needed")}
            table.add_row(
                Text(row["run_a"]),
                Text(row["run_b"]),
                "" if row["difference"] is None else f"{row['difference']:+.4f}",
                "" if row["effect"] is None else f"{row['effect']:+.2f}",
                Text("" if low is None else f"[{low:+.3f}, {high:+.3f}]"),
                *("" if value is None else f"{value:,}" for value in known.values()),
            )
        parts.append(table)
    legend = "topics: there are, and would be needed; judgments: needed for a certain sign"
    return Group(*parts, Text(legend, style="dim"))


UNTESTED = "no tiers by significance: with a baseline the other pairs are not tested"


def tiers_table(frame: pl.DataFrame) -> RenderableType:
    """Runs best first, with the tiers that the judgments and the test tell apart."""
    parts: list[RenderableType] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        table = titled_table(str(measure))
        table.add_column("run", no_wrap=True)
        tested = rows["tier_significance"].is_not_null().any()
        tiers = ("tier by certainty", *(["by significance"] if tested else []))
        for name in ("score", "bounds", *tiers):
            table.add_column(name, justify="right", no_wrap=name in ("score", "bounds"))
        places = [name for name in rows.columns if name.endswith(" score")]
        for name in places:
            table.add_column(Text(name.removesuffix(" score")), justify="right")
        before = None
        for row in rows.iter_rows(named=True):
            tier = row["tier_significance"]
            ends = "" if row["lower"] is None else f"[{row['lower']:.4f}, {row['upper']:.4f}]"
            table.add_row(
                Text(row["run"]),
                "undefined" if row["value"] is None else f"{row['value']:.4f}",
                Text(ends),
                str(row["tier_certainty"]),
                *([Text(str(tier), style="dim" if tier == before else "")] if tested else []),
                *("" if row[name] is None else f"{row[name]:.4f}" for name in places),
            )
            before = tier
        if not tested:
            table.caption = UNTESTED
        parts.append(table)
    return Group(*parts, Text(CUT, style="dim"))


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
    how = (
        f"{first.test}, {first.unjudged_as}, {first.tails}-tailed, {first.correction}, "
        f"{first.alpha:g}"
    )
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
