"""Score adjustment for correction of pooling bias: Figure 1 and Tables 1-4, with Predicted.

Pools of few runs are drawn again and again, and all other runs put right, from the pooled runs
and from common topics.

Webber and Park, SIGIR 2009.
"""

from pathlib import Path
from typing import Any

import polars as pl

from leadline.experiments.papers import Setting
from leadline.experiments.webber09_page import claims, report
from leadline.experiments.webber09_plan import cells
from leadline.experiments.webber09_setup import forget
from leadline.experiments.webber09_tables import by_width, frames

__all__ = ["OPTIONS", "cells", "files", "forget", "lines"]

OPTIONS: tuple[str, ...] = ("groups", "newcomers")


def files(results: dict[str, Any], setting: Setting) -> dict[str, str]:
    """Every file's text by its name."""
    made = frames(results)
    exact = pl.col(pl.Float64).round(6)
    texts = {f"{key}.csv": frame.with_columns(exact).write_csv() for key, frame in made.items()}
    texts["report.html"] = report(results, made, Path(setting.folder).name, setting.quick)
    return texts


def lines(results: dict[str, Any], setting: Setting) -> list[str]:
    """What was noticed, and what the numbers say."""
    _, _, cell = by_width(results)[0]
    return [*cell["notices"], *claims(results, frames(results))]
