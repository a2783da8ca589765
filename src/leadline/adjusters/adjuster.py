"""What every adjuster is: a named thing that tells what to add to the scores of new runs."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.measures.measure import Measure
from leadline.naming.registry import Named, Registry
from leadline.tables.arrays import Floats

Progress = Callable[[int, int], None]


class Adjuster(Named):
    """A frozen dataclass with fields as parameters; a subclass says what it adds to each run."""

    def check(self, measure: Measure, case: PoolBias) -> None:
        """A ValueError if it cannot put right this measure, or has nothing to learn from."""

    @abstractmethod
    def amounts(self, measure: Measure, case: PoolBias) -> Floats:
        """What to add to the mean score of each new run."""

    @abstractmethod
    def explain(self, measure: Measure, case: PoolBias) -> list[str]:
        """What is assumed, and what the correction is made of."""


adjusters: Registry[Adjuster] = Registry("adjuster", "leadline.adjusters")


def mean_scores(scores: Floats) -> Floats:
    """Mean of each run over the topics on which it is defined."""
    defined = ~np.isnan(scores)
    n = defined.sum(axis=1)
    total = np.where(defined, scores, 0.0).sum(axis=1)
    mean: Floats = np.divide(total, n, out=np.full(len(scores), np.nan), where=n > 0)
    return mean


def evaluation_depth(measure: Measure) -> int | None:
    """How deep lists must be for a measure; None for whole lists, which condensed ones need."""
    return None if measure.judged_only else measure.depth
