"""Dealing with incomplete judgments in cascade measures: Tables 1-4, Figures 1 and 2.

The collection needs documents and judgments per subtopic. The paper's ClueWeb09 is not to be had,
so what it printed is shown beside ours as context.

Hui, Berberich and Mele, ICTIR 2017.
"""

from typing import Any

from leadline.experiments.hui17_page import report
from leadline.experiments.hui17_plan import cells
from leadline.experiments.hui17_setup import forget
from leadline.experiments.hui17_tables import frames
from leadline.experiments.papers import Frames

__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS: tuple[str, ...] = ()


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying."""
    return list(results["everything"]["notices"])
