"""Score adjustment for correction of pooling bias: Figure 1 and Tables 1-4, with Predicted.

Pools of few runs are drawn again and again, and all other runs put right, from the pooled runs
and from common topics.

Webber and Park, SIGIR 2009.
"""

from typing import Any

from leadline.experiments.papers import Frames
from leadline.experiments.webber09_page import claims, report
from leadline.experiments.webber09_plan import cells
from leadline.experiments.webber09_setup import forget
from leadline.experiments.webber09_tables import by_width, frames

__all__ = ["OPTIONS", "cells", "forget", "frames", "lines", "report"]

OPTIONS = ("groups", "newcomers")


def lines(results: dict[str, Any], frames: Frames) -> list[str]:
    """What was noticed, and what the numbers say."""
    _, _, cell = by_width(results)[0]
    return [*cell["notices"], *claims(results, frames)]
