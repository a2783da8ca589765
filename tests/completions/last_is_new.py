"""Small collections of which the last run is new, as tables and as the twins want them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from leadline.completions.adjuster import UnpooledRuns
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool
from tests.collections import Small
from tests.reference import adjusters as plain
from tests.reference import measures as plain_measures

Score = Callable[[list[str], dict[str, int]], float]

MEASURES: dict[str, tuple[Score, bool]] = {
    "P@3": (lambda ranking, judged: plain_measures.precision(ranking, judged, 3), False),
    "P(judged_only=true)@3": (
        lambda ranking, judged: plain_measures.precision(ranking, judged, 3),
        True,
    ),
    "RBP(p=0.8)": (lambda ranking, judged: plain_measures.rbp(ranking, judged, 0.8), False),
}

SMALL = Small(
    {
        "a": {"1": ["v", "w", "x"], "2": ["v", "w"]},
        "b": {"1": ["w", "y"], "2": ["x", "v"]},
        "new": {"1": ["z", "x", "v"], "2": ["w", "y"]},
    },
    {"1": {"v": 1, "w": 0}, "2": {"v": 0, "x": 1}},
    1,
)


def as_dicts(small: Small) -> tuple[dict[str, plain.Run], plain.Run]:
    """The pooled runs, and the new one."""
    *pooled, new = small.runs
    return {name: small.runs[name] for name in pooled}, small.runs[new]


def pool_bias(small: Small, measure: str, depth: int, **more: Any) -> UnpooledRuns:
    """All runs but the last are pooled to a depth."""
    runs, judgments = small.tables()
    pooled = np.arange(len(runs.names)) < len(runs.names) - 1
    drawn = DrawnPool(Depth(depth), runs)
    by = parse_measure(measure)
    return UnpooledRuns(by, runs, judgments, contributing=pooled, drawn=drawn, **more)
