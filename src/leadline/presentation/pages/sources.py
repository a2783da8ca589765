"""What was read, every notice, and how to make the page again."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import version

import numpy as np

import leadline
from leadline.files.problems import Problem
from leadline.presentation.pages.live_table import Cell, Column, live_table
from leadline.presentation.pages.parts import amount, facts, fold, paragraph, section
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@dataclass(frozen=True)
class Origin:
    """Where judgments and runs came from, as named; a digest of the files."""

    judgments: str
    runs: str
    digest: str = ""


def read_section(
    runs: Runs, judgments: Judgments, origin: Origin, notices: Sequence[Problem], pool: str
) -> str:
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


def again_section(command: str, seed: int, origin: Origin) -> str:
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
        f"<pre>{escape(command)}</pre>",
        facts(rows),
        paragraph(words),
    )
