"""Pairs of runs and tiers for the terminal."""

import numpy as np
import polars as pl
from rich.console import Group, RenderableType
from rich.text import Text

from leadline.comparison.pairwise import Pairwise
from leadline.comparison.tiers import CUT
from leadline.comparison.trust import REASONS
from leadline.presentation.sureness_look import SURENESS_STYLES
from leadline.presentation.terminal.tables import titled_table

MOST_PAIRS = 45
"""More pairs than those of ten runs are not read one by one."""

STYLES = {"better": "green", "worse": "red", "equal": "dim", "undecided": ""}


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
    what = f"{pairs.scores.measure}: {pairs.test}, {pairs.basis}, {pairs.tails}-tailed"
    table = titled_table(f"{what}, {pairs.correct}")
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
    for name in ("difference", "interval", "p"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("sure", no_wrap=True)
    numbers, doubts = _numbered(rows["trust"].to_list())
    if numbers:
        table.add_column("trust", no_wrap=True)
        below.append(
            "not to be trusted: " + ", ".join(f"{at} {reason}" for reason, at in numbers.items())
        )
    for row, doubt in zip(rows.iter_rows(named=True), doubts, strict=True):
        ends = "" if row["lower"] is None else f"[{row['lower']:+.4f}, {row['upper']:+.4f}]"
        cells: list[str | Text] = [
            *(Text(row[name]) for name in names),
            "" if row["difference"] is None else f"{row['difference']:+.4f}",
            Text(ends),
            probability(row["p_corrected"]),
            Text(row["verdict"], style=STYLES[row["verdict"]]),
            Text(row["sure"], style=SURENESS_STYLES[row["sure"]]),
        ]
        table.add_row(*cells, *([doubt] if numbers else []))
    return Group(table, *(Text(line, style="dim") for line in below))


def led_by(frame: pl.DataFrame, best: str) -> pl.DataFrame:
    """The pairs of one run, turned so that it comes first, those hardest to tell apart on top."""
    second = pl.col("run_b") == best
    turned = {"better": "worse", "worse": "better"}
    signed = [
        pl.when(second).then(-pl.col(other)).otherwise(pl.col(name)).alias(name)
        for name, other in (("difference", "difference"), ("lower", "upper"), ("upper", "lower"))
    ]
    return (
        frame.filter(second | (pl.col("run_a") == best))
        .with_columns(
            *signed,
            pl.when(second).then(pl.col("run_a")).otherwise(pl.col("run_b")).alias("run_b"),
            pl.when(second)
            .then(pl.col("verdict").replace(turned))
            .otherwise(pl.col("verdict"))
            .alias("verdict"),
        )
        .sort("difference", maintain_order=True)
    )


def _numbered(trust: list[str]) -> tuple[dict[str, int], list[str]]:
    """A number for every reason not to trust a row, and the numbers of each row.

    >>> _numbered(["few topics", "sign could flip; few topics"])
    ({'sign could flip': 1, 'few topics': 2}, ['2', '1 2'])
    """
    each = [text.split("; ") if text else [] for text in trust]
    used = [reason for reason in REASONS if any(reason in row for row in each)]
    numbers = {reason: at for at, reason in enumerate(used, 1)}
    return numbers, [" ".join(str(numbers[reason]) for reason in row) for row in each]


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
        for name in ("difference", "effect", "over topics", "topics", "needed", "judgments"):
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows.iter_rows(named=True):
            low, high = row["topic_lower"], row["topic_upper"]
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


def tiers_table(frame: pl.DataFrame) -> RenderableType:
    """Runs best first, with the tiers that the judgments and the test tell apart."""
    parts: list[RenderableType] = []
    for (measure,), rows in frame.group_by("measure", maintain_order=True):
        table = titled_table(str(measure))
        table.add_column("run", no_wrap=True)
        for name in ("score", "interval", "tier by certainty", "by significance"):
            table.add_column(name, justify="right", no_wrap=name in ("score", "interval"))
        before = None
        for row in rows.iter_rows(named=True):
            tier = row["tier_significance"]
            ends = "" if row["lower"] is None else f"[{row['lower']:.4f}, {row['upper']:.4f}]"
            table.add_row(
                Text(row["run"]),
                "undefined" if row["value"] is None else f"{row['value']:.4f}",
                Text(ends),
                str(row["tier_certainty"]),
                str(tier) if tier != before else Text(str(tier), style="dim"),
            )
            before = tier
        parts.append(table)
    return Group(*parts, Text(CUT, style="dim"))
