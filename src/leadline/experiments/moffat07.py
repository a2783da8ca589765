"""Strategic system comparisons via targeted relevance judgments: Tables 2-5, Figures 1-3, and more.

Twice: in the paper's reading (runs as listed, weights refreshed after every 250 pairs) and in ours
(by score, after every judgment). Beyond the paper: how many judgments each order needs until the
best runs are certain.

Moffat, Webber and Zobel, SIGIR 2007.
"""

from pathlib import Path
from typing import Any

import polars as pl

from leadline.experiments.moffat07_page import TABLES, is_trec8, report
from leadline.experiments.moffat07_plan import CUTS, QUICK, cells, forget
from leadline.experiments.moffat07_tables import frames
from leadline.experiments.papers import Setting

__all__ = ["OPTIONS", "cells", "files", "forget", "lines"]

OPTIONS: tuple[str, ...] = ()


def files(results: dict[str, Any], setting: Setting) -> dict[str, str]:
    """Every file's text by its name."""
    made = frames(results)
    exact = pl.col(pl.Float64).round(6)
    texts = {f"{key}.csv": frame.with_columns(exact).write_csv() for key, frame in made.items()}
    texts["report.html"] = report(
        results, made, Path(setting.folder).name, QUICK if setting.quick else max(CUTS)
    )
    return texts


def lines(results: dict[str, Any], setting: Setting) -> list[str]:
    """What is worth saying: what was noticed in the input, and how much is as printed."""
    said = list(results["ours everything"]["notices"])
    if is_trec8(results):
        made = frames(results)
        for title, make in TABLES.items():
            table = make(results, made)
            said.append(f"{title}: {table.same} of {table.compared} numbers as printed")
    return said
