"""Can deep effectiveness metrics be evaluated using shallow pools? Tables 1 to 3, Figures 3 to 6.

Every estimator, ours included, from pools of depth 10, 20 and 30 and from two-strata pools, against
what the pool of the reference depth says. Gains are estimated with RBP(p=0.95).

Lu, Moffat and Culpepper, SIGIR 2017.
"""

from typing import Any

from leadline.experiments.lu17_page import compared, is_rob04, report
from leadline.experiments.lu17_plan import cells, forget
from leadline.experiments.lu17_tables import frames
from leadline.experiments.papers import Frames

__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("reference_depth", "groups")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What is worth saying: what was noticed in the input, and how much is as printed."""
    said = list(results["everything"]["notices"])
    if is_rob04(results):
        same, total = compared(frames)
        said.append(f"Tables 1 to 3: {same} of {total} numbers as printed")
    return said
