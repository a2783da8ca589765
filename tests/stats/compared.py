"""Pairs of runs compared: of the demo, judged in part, and of small collections."""

from dataclasses import replace
from functools import cache

import numpy as np

import leadline
from leadline.data.judgments import Judgments
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from leadline.stats.pairwise import Pairwise, compare_pairs
from tests.collections import Small


@cache
def sea() -> Collection:
    """The demo collection, judged as deep as a pool of depth 5."""
    read = leadline.read(COLLECTION)
    inside = Depth(d=5).pool(read.runs).member & read.judgments.judged
    grade = np.where(inside, read.judgments.grade, 0)
    top = read.judgments.max_grade
    return replace(read, judgments=Judgments(read.runs.pairs, inside, grade, max_grade=top))


def compared(name: str = "RBP(p=0.8)", **options: object) -> Pairwise:
    return compare_pairs(sea().runs, sea().judgments, parse_measure(name), **options)  # type: ignore[arg-type]


def small(
    runs: dict[str, dict[str, list[str]]],
    grades: dict[str, dict[str, int]],
    name: str = "P@2",
    **options: object,
) -> Pairwise:
    made = Small(runs, grades, 1).tables()
    return compare_pairs(*made, parse_measure(name), **options)  # type: ignore[arg-type]
