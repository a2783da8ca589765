"""Dealing with incomplete judgments in cascade measures: Tables 1-4, Figures 1 and 2.

The collection needs documents and judgments per subtopic. The paper's ClueWeb09 is not to be had,
so what it printed is shown beside ours as context.

Hui, Berberich and Mele, ICTIR 2017.
"""

from pathlib import Path
from typing import Any

import polars as pl

from leadline.experiments.hui17_page import report
from leadline.experiments.hui17_plan import (
    QUICK_REPEATS,
    QUICK_SPLITS,
    REPEATS,
    SPLITS,
    cells,
)
from leadline.experiments.hui17_setup import forget
from leadline.experiments.hui17_tables import frames
from leadline.experiments.papers import Setting

__all__ = ["OPTIONS", "cells", "files", "forget", "lines"]

OPTIONS: tuple[str, ...] = ()


def files(results: dict[str, Any], setting: Setting) -> dict[str, str]:
    """Every file's text by its name."""
    made = frames(results)
    exact = pl.col(pl.Float64).round(6)
    texts = {f"{key}.csv": frame.with_columns(exact).write_csv() for key, frame in made.items()}
    counts = (QUICK_REPEATS, QUICK_SPLITS) if setting.quick else (REPEATS, SPLITS)
    texts["report.html"] = report(results, made, Path(setting.folder).name, *counts)
    return texts


def lines(results: dict[str, Any], setting: Setting) -> list[str]:
    """What is worth saying."""
    return list(results["everything"]["notices"])
