"""Expected gains by models that never saw the pair's own judgment: cross-fitting."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.estimators.logistic import DATA_WEIGHT, fit_logistic, sigmoid
from leadline.estimators.pair_weights import N_FOLDS
from leadline.tables.arrays import Bools, Floats, Int64s

DRAWN_WEIGHT = 1.0
"""Of a drawn pair against the penalty: few are drawn, and each for what it tells."""

N_CELLS = 5
PRIOR_DRAWS = 3.0
"""As many draws with the overall spread are added to every cell."""


@dataclass(frozen=True, eq=False)
class DrawnPairs:
    """What was drawn from the pairs that a measure looks at, with which chance, and its grade.

    All columns have a row a pair: `feature`, `topic` (ascending), `drawn`, the chance `inclusion`
    with which it was to be drawn, its `grade` where it was, and its `fold`. `table` has the gain
    of each grade.
    """

    feature: Floats
    topic: Int64s
    n_topics: int
    drawn: Bools
    inclusion: Floats
    grade: Int64s
    fold: Int64s
    table: Floats

    @cached_property
    def gain(self) -> Floats:
        """The gain of what was drawn, 0 elsewhere."""
        return np.where(self.drawn, self.table[self.grade], 0.0)

    def fit(self, rows: Int64s) -> Floats:
        """The expected gain of every pair, by a model of these rows, each counted 1 / inclusion."""
        weight = 1 / self.inclusion[rows]
        weight *= DRAWN_WEIGHT / (DATA_WEIGHT * weight.mean()) if len(rows) else 1.0
        expected = np.zeros(len(self.topic))
        for least in np.flatnonzero(np.diff(self.table) > 0) + 1:
            model = fit_logistic(
                self.feature[rows],
                self.topic[rows],
                self.grade[rows] >= least,
                self.n_topics,
                weight,
            )
            rise = float(self.table[least] - self.table[least - 1])
            expected += rise * sigmoid(model.logit(self.feature, self.topic))
        return expected

    @cached_property
    def by_fold(self) -> Floats:
        """[folds, pairs]: expected gains by what was drawn outside each fold."""
        outside = [np.flatnonzero(self.drawn & (self.fold != fold)) for fold in range(N_FOLDS)]
        return np.stack([self.fit(rows) for rows in outside])

    @cached_property
    def expected(self) -> Floats:
        """The expected gain of every pair, by what was drawn outside its own fold."""
        chosen: Floats = self.by_fold[self.fold, np.arange(len(self.fold))]
        return chosen

    def error(self, expected: Floats, counted: Bools) -> Floats:
        """(gain - expected) / inclusion of what was drawn and counts, 0 elsewhere.

        A sum of it over pairs, each with its weight, is what the model's sum lacks, without bias.
        """
        return np.divide(
            self.gain - expected,
            self.inclusion,
            out=np.zeros(len(expected)),
            where=self.drawn & counted,
        )

    def spread(self, expected: Floats, counted: Bools) -> Floats:
        """How far the gain of a pair lies from what is expected: root mean square by cell.

        Cells are fifths of the pairs by expected gain. Each is drawn towards the overall spread,
        as if it had been seen three times.
        """
        rows = np.flatnonzero(self.drawn & counted)
        if not len(rows):
            return np.full(len(expected), float(np.ptp(self.table)) / 2)
        ends = np.quantile(expected, np.linspace(0, 1, N_CELLS + 1)[1:-1])
        cell = np.searchsorted(ends, expected)
        square = (self.gain[rows] - expected[rows]) ** 2
        overall = np.average(square, weights=1 / self.inclusion[rows])
        total = np.bincount(cell[rows], square, N_CELLS) + PRIOR_DRAWS * overall
        seen = np.bincount(cell[rows], minlength=N_CELLS) + PRIOR_DRAWS
        return np.sqrt(total / seen)[cell]
