"""The page of `leadline plan`: what to do, the curve of budget against error, and every plan."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from leadline.views.page import Figure, Section, Table, page


def plan_page(frame: pl.DataFrame, chart: Any, advice: Sequence[str]) -> str:
    """The page; `frame` is what `plan` gives, the plan to take first."""
    rows = [[_cell(cell) for cell in row] for row in frame.drop("question").iter_rows()]
    table = Table("the plan to take comes first", frame.columns[1:], rows)
    curve = Figure("the error to expect; of the first plan at half and twice the budget too", chart)
    return page(
        "How to spend the judgments",
        f"Question: {frame['question'][0]}. Tried in completions drawn by the relevance model.",
        [
            Section("What to do", tuple(advice)),
            Section("Budget against error", (curve,)),
            Section("All plans", (table,)),
        ],
    )


def _cell(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
