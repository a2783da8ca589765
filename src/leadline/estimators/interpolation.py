"""Interpolation: what is unjudged is as good as what is judged."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimator import (
    Estimated,
    Estimator,
    entry_weights,
    estimators,
    filled,
    known_gains,
    list_of,
    list_sums,
)
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs


@estimators.register
@dataclass(frozen=True)
class RM(Estimator):
    """Unjudged documents gain as much, weight for weight, as the judged ones of the same list.

    Formula: M / (1 - residual), where the weights sum to 1

    The gain of all that is open in a list, its tail included, is its known gain over its judged
    weight. Where a list holds no judged document, it is the mean gain of all judged documents of
    the collection.

    Ravana and Moffat, Score estimation, incomplete judgments, and significance testing in IR
    evaluation, AIRS 2010.
    """

    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """One rate a list."""
        known, _ = known_gains(measure, judgments)
        weight = entry_weights(measure, runs)
        base = list_sums(runs, weight * known[runs.pair])
        seen = list_sums(runs, np.where(judgments.judged[runs.pair], weight, 0.0))
        background = float(known[judgments.judged].mean()) if judgments.judged.any() else 0.0
        rate = np.divide(base, seen, out=np.full(base.shape, background), where=seen > 1e-12)
        return filled(measure, runs, judgments, rate.ravel()[list_of(runs)], rate)
