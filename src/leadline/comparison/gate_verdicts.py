"""Verdicts of a gate: what was shown of each difference, several questions allowed for."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from leadline.comparison.correction import Correct, corrected
from leadline.comparison.mean_doubt import MeanDoubt
from leadline.tables.arrays import Bools

Verdict = Literal["not_worse", "worse", "equivalent", "different", "undecided"]
Asked = Literal["not_worse", "equivalent"]
"""Non-inferiority: not worse by more than the margin; or equivalence: neither worse nor better."""


def verdicts(
    doubts: Sequence[MeanDoubt], margin: float, confidence: float, correct: Correct, asked: Asked
) -> list[Verdict]:
    """For each of a family of differences what holds with this confidence.

    not_worse: it is at least -margin; worse: at most -margin. equivalent: both at least -margin and
    at most margin; different: at most -margin or at least margin. Each is a test with one tail,
    so that a verdict is wrong with 1 - confidence at most; without a correction it says where the
    bounds of that confidence lie.

    >>> from leadline.comparison.mean_doubt import TopicChance
    >>> one = TopicChance(0.02, 0.01, 49)
    >>> [round(bound, 3) for bound in one.bounds(0.95)]
    [0.003, 0.037]
    >>> verdicts([one], 0.01, 0.95, "holm", "not_worse")
    ['not_worse']
    >>> verdicts([one], 0.01, 0.95, "holm", "equivalent")
    ['undecided']
    """
    level = 1 - confidence

    def shown(p: list[float]) -> Bools:
        with np.errstate(invalid="ignore"):
            low: Bools = corrected(np.array(p), correct) < level
        return low

    above = shown([each.p_above(-margin) for each in doubts])
    below = shown([each.p_below(-margin) for each in doubts])
    if asked == "not_worse":
        return [
            "not_worse" if a else "worse" if b else "undecided"
            for a, b in zip(above, below, strict=True)
        ]
    less = shown([each.p_below(margin) for each in doubts])
    more = shown([each.p_above(margin) for each in doubts])
    return [
        "equivalent"
        if above[at] and less[at]
        else "different"
        if below[at] or more[at]
        else "undecided"
        for at in range(len(doubts))
    ]
