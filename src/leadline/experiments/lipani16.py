"""The curious incidence of bias corrections in the pool: Table 1 and Figures 1-3, with Predicted.

Leave one organisation out of the pool, put its runs right, compare with the whole pool.

Lipani, Lupu and Hanbury, ECIR 2016.
"""

from typing import Any

from leadline.experiments.lipani16_page import claims, report
from leadline.experiments.lipani16_plan import cells, forget
from leadline.experiments.lipani16_tables import frames
from leadline.experiments.papers import Frames

__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("reference_depth", "groups")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What was noticed, and the paper's claims with our numbers."""
    return [*results["sizes"]["notices"], *claims(frames)]
