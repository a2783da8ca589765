"""Strategic system comparisons via targeted relevance judgments: Tables 2-5, Figures 1-3, and more.

Twice: in the paper's reading (runs as listed, weights refreshed after every 250 pairs) and in ours
(by score, after every judgment). Beyond the paper: how many judgments each order needs until the
best runs are certain.

Moffat, Webber and Zobel, SIGIR 2007.
"""

from typing import Any

from leadline.experiments.moffat07_page import TABLES, is_trec8, report
from leadline.experiments.moffat07_plan import cells, forget
from leadline.experiments.moffat07_tables import frames
from leadline.experiments.papers import Frames

__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS: tuple[str, ...] = ()


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying: what was noticed in the input, and how much is as printed."""
    said = list(results["ours everything"]["notices"])
    if is_trec8(results):
        for title, make in TABLES.items():
            table = make(results, frames)
            said.append(f"{title}: {table.same} of {table.compared} numbers as printed")
    return said
