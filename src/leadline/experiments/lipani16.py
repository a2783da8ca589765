"""The curious incidence of bias corrections in the pool: Table 1 and Figures 1-3, with Predicted.

Leave one organisation out of the pool, put its runs right, compare with the whole pool.

Lipani, Lupu and Hanbury, ECIR 2016.
"""

from pathlib import Path
from typing import Any

import polars as pl

from leadline.experiments.lipani16_page import claims, report
from leadline.experiments.lipani16_plan import cells, forget
from leadline.experiments.lipani16_tables import frames
from leadline.experiments.papers import Setting

__all__ = ["OPTIONS", "cells", "files", "forget", "lines"]

OPTIONS: tuple[str, ...] = ("reference_depth", "groups")


def files(results: dict[str, Any], setting: Setting) -> dict[str, str]:
    """Every file's text by its name."""
    made = frames(results, setting)
    exact = pl.col(pl.Float64).round(6)
    texts = {f"{key}.csv": frame.with_columns(exact).write_csv() for key, frame in made.items()}
    texts["report.html"] = report(results, made, Path(setting.folder).name, setting)
    return texts


def lines(results: dict[str, Any], setting: Setting) -> list[str]:
    """What was noticed, and the paper's claims with our numbers."""
    return [*results["sizes"]["notices"], *claims(frames(results, setting))]
