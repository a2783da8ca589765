"""A run is believed as far as its judged documents speak for it: levels of runs and of lists."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.estimator import list_of
from leadline.estimators.regression import OWN_DEPTH, own_levels
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

LIST_SCALE = 0.5
"""How far from its run's level the level of a list is expected, in logits."""


@dataclass(frozen=True, eq=False)
class ListLevels:
    """What is added to the logits of each list, the grid of runs and topics flattened."""

    level: Floats
    error: Floats

    @classmethod
    def none(cls, runs: Runs) -> "ListLevels":
        """Nothing is added."""
        return cls(np.zeros(runs.start.size), np.zeros(runs.start.size))

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments, logit: Floats, relevant: Bools) -> "ListLevels":
        """Learnt from the judged documents in the first ranks of each run, then of each list.

        `logit` is what the model says of every pair, `relevant` what is true of the judged ones.
        """
        known = np.flatnonzero(judgments.judged[runs.pair] & (runs.entries.rank <= OWN_DEPTH))
        pair, of = runs.pair[known], list_of(runs)[known]
        n_runs, n_topics = runs.start.shape
        run, run_error = own_levels(logit[pair], relevant[pair], of // n_topics, n_runs)
        said = logit[pair] + run[of // n_topics]
        each, error = own_levels(said, relevant[pair], of, runs.start.size, LIST_SCALE)
        total: Floats = np.repeat(run, n_topics) + each
        return cls(total, np.hypot(np.repeat(run_error, n_topics), error))

    def drawn(self, random: np.random.Generator) -> Floats:
        """Levels as they might be too."""
        again: Floats = self.level + self.error * random.standard_normal(len(self.level))
        return again
