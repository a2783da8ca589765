"""Joint intervals of differences: what the unjudged documents can do to two runs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, frozen

if TYPE_CHECKING:
    from leadline.tables.judgments import Judgments
    from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class Differences:
    """score_run - score_reference per run and topic: value now, least and most it can become.

    Tails beyond the ends of the lists are left out, because no judgment can close them.
    """

    runs: tuple[str, ...]
    reference: str
    topics: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats

    def __post_init__(self) -> None:
        shape = (len(self.runs), len(self.topics))
        for name in ("value", "lower", "upper"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, shape, name))

    def mean(self) -> tuple[Floats, Floats, Floats]:
        """Value, lower and upper end of the difference of the means over topics."""
        return self.value.mean(axis=1), self.lower.mean(axis=1), self.upper.mean(axis=1)


def joint_differences(
    runs: Runs, judgments: Judgments, measure: Weighted, reference: int
) -> Differences:
    """Every run's difference to one of them, over all completions of the judgments.

    score_s - score_ref lies between value - r * sum max(0, w_ref - w_s) and
    value + r * sum max(0, w_s - w_ref). The sums are over unjudged documents, w is the weight of a
    document's rank (0 where it is not listed), r the largest gain. Both ends are reached: unjudged
    documents that move the difference up are as good as can be, those that move it down worthless,
    and they do not depend on each other. The interval is never wider than what the two runs'
    own intervals imply.
    """
    n_runs, n_topics = runs.start.shape
    gain = measure.gain(judgments.max_grade)
    lengths = (runs.stop - runs.start).ravel()
    order = np.argsort(runs.start.ravel(), kind="stable")
    cell = np.repeat(order, lengths[order])
    weight = measure.weights(int(runs.entries.rank.max(initial=1)))[runs.entries.rank - 1]
    known = gain[: judgments.max_grade + 1][judgments.grade]

    def total(amount: Floats) -> Floats:
        sums = np.bincount(cell, weights=amount, minlength=n_runs * n_topics)
        return sums.astype(np.float64, copy=False).reshape(n_runs, n_topics)

    of_reference = np.zeros(len(runs.pairs))
    mine = cell // max(n_topics, 1) == reference
    of_reference[runs.pair[mine]] = weight[mine]
    open_: Bools = ~judgments.judged[runs.pair]
    theirs = of_reference[runs.pair]
    base = total(weight * known[runs.pair])
    above = total(np.where(open_, np.maximum(weight - theirs, 0.0), 0.0))
    # What the reference holds open and a run does not return at all is lost to the run in full.
    shared = total(np.where(open_, np.minimum(weight, theirs), 0.0))
    below = shared[reference] - shared
    value = base - base[reference]
    most = float(gain.max())
    return Differences(
        runs.names,
        runs.names[reference],
        runs.pairs.topics,
        value,
        value - most * np.maximum(below, 0.0),
        value + most * above,
    )
