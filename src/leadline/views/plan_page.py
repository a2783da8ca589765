"""The page of `leadline plan`: the recommended plan, the error by budget, and every plan."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from leadline.views.page import Figure, Section, Table, page


def plan_page(
    frame: pl.DataFrame, chart: Any, advice: Sequence[str], commands: Sequence[str]
) -> str:
    """Return the page; `frame` is the table of `plan`, the recommended one first."""
    rows = [[_cell(cell) for cell in row] for row in frame.drop("question").iter_rows()]
    table = Table("the recommended plan comes first", frame.columns[1:], rows)
    curve = Figure(
        "expected error; of the recommended plan at half and twice the budget too", chart
    )
    return page(
        "Plan of a judging budget",
        f"Question: {frame['question'][0]}. Simulated in completions drawn by the relevance model.",
        [
            Section("Recommendation", tuple(advice)),
            Section("Error by budget", (curve,)),
            Section("All plans", (table,)),
            Section("Commands for this plan", tuple(commands)),
        ],
    )


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
