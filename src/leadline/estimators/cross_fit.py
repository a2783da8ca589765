"""Expected gains by models that never saw the pair's own judgment: cross-fitting."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from leadline.estimators.fold_fits import fit_folds
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

    All columns have a row a pair: `feature` (each of mean 0 and deviation 1 over all pairs),
    `topic` (ascending), `drawn`, the chance `inclusion` with which it was to be drawn, its `grade`
    where it was, and its `fold`. `table` has the gain of each grade.
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

    @cached_property
    def rows(self) -> Int64s:
        """The numbers of what was drawn."""
        return np.flatnonzero(self.drawn)

    @cached_property
    def row_weight(self) -> Floats:
        """[folds, drawn]: 1 / pi of what lies outside each fold, 1 on average."""
        outside = self.fold[self.rows] != np.arange(N_FOLDS)[:, None]
        weight = np.where(outside, 1 / self.inclusion[self.rows], 0.0)
        mean = weight.sum(axis=1) / np.maximum(outside.sum(axis=1), 1)
        return weight * (DRAWN_WEIGHT / np.where(mean > 0, mean, 1.0)[:, None])

    def regressed(self, share: Floats) -> Floats:
        """[folds, pairs]: what is expected of every pair where drawn ones say this, from 0 to 1."""
        rows, weight = self.rows, self.row_weight
        fits = fit_folds(self.feature[rows], self.topic[rows], share, weight, self.n_topics)
        return fits.share(self.feature, self.topic)

    @cached_property
    def by_fold(self) -> Floats:
        """[folds, pairs]: expected gains by what was drawn outside each fold.

        One regression a fold, of the gain as a share of the largest, each row counted 1 / pi.
        """
        least, reach = float(self.table.min()), float(np.ptp(self.table))
        return least + reach * self.regressed((self.gain[self.rows] - least) / (reach or 1.0))

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

    def spread(self) -> Floats:
        """How far the gain of a pair lies from what is expected, by what other folds drew."""
        chosen: Floats = self.spread_by_fold[self.fold, np.arange(len(self.fold))]
        return chosen

    @cached_property
    def spread_by_fold(self) -> Floats:
        """[folds, pairs]: root mean square of gain - expected by cell, by what other folds drew.

        Cells are fifths of the fold's own pairs by expected gain. Each is drawn towards the overall
        spread, as if seen three times.
        """
        rows = self.rows
        spread = np.full((N_FOLDS, len(self.fold)), float(np.ptp(self.table)) / 2)
        for fold, expected in enumerate(self.by_fold):
            mine = self.fold == fold
            other = rows[~mine[rows]]
            if not len(other) or not mine.any():
                continue
            ends = np.quantile(expected[mine], np.linspace(0, 1, N_CELLS + 1)[1:-1])
            cell = np.searchsorted(ends, expected[other])
            square = (self.gain[other] - expected[other]) ** 2
            overall = np.average(square, weights=1 / self.inclusion[other])
            total = np.bincount(cell, square, N_CELLS) + PRIOR_DRAWS * overall
            seen = np.bincount(cell, minlength=N_CELLS) + PRIOR_DRAWS
            spread[fold] = np.sqrt(total / seen)[np.searchsorted(ends, expected)]
        return spread
