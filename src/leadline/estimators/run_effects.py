"""A run is believed as far as its judged documents speak for it: effects of runs and of lists."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.logistic import fit_levels
from leadline.tables.arrays import Bools, Floats, Int32s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs

EFFECT_DEPTH = 100
"""Effects are learnt from the judged documents down to this rank."""

RUN_SCALE = 1.0
"""How far from 0 the effects of runs are expected, in logits."""

LIST_SCALE = 0.5
"""How far from its run's effect the effect of a list is expected, in logits."""


def judged_tops(runs: Runs, judgments: Judgments) -> tuple[Int32s, Int32s]:
    """The judged documents in the first ranks of every run: their pairs, and the lists they are in.

    >>> from leadline.tables.pairs import Pairs
    >>> pairs = Pairs.of(["1", "1"], ["a", "b"])
    >>> runs = Runs(pairs, ("x",), np.array([1, 0]), np.array([[0]]), np.array([[2]]))
    >>> known = Judgments(pairs, np.array([True, False]), np.array([1, 0]))
    >>> [column.tolist() for column in judged_tops(runs, known)]
    [[0], [0]]
    """
    top = runs.cut(EFFECT_DEPTH)
    judged = np.flatnonzero(judgments.judged[top.pair])
    return top.pair[judged], top.entries.list[judged]


@dataclass(frozen=True, eq=False)
class ListEffects:
    """What is added to the logits of each list, the grid of runs and topics flattened."""

    effect: Floats
    error: Floats

    @classmethod
    def none(cls, runs: Runs) -> "ListEffects":
        """Nothing is added."""
        return cls(np.zeros(runs.start.size), np.zeros(runs.start.size))

    @classmethod
    def of(cls, runs: Runs, judgments: Judgments, logit: Floats, relevant: Bools) -> "ListEffects":
        """Learnt from the judged documents in the first ranks of each run, then of each list.

        `logit` is what the model says of every pair, `relevant` what is true of the judged ones.
        """
        pair, of = judged_tops(runs, judgments)
        n_runs, n_topics = runs.start.shape
        said, true = logit[pair], relevant[pair]
        run, run_error = fit_levels(said, true, of // n_topics, n_runs, RUN_SCALE)
        said = said + run[of // n_topics]
        own, error = fit_levels(said, true, of, runs.start.size, LIST_SCALE)
        effect: Floats = np.repeat(run, n_topics) + own
        return cls(effect, np.hypot(np.repeat(run_error, n_topics), error))

    def drawn(self, names: tuple[str, ...], random: np.random.Generator) -> Floats:
        """Effects as they might be too; the runs have these names, and may come in any order."""
        place = np.argsort(np.argsort(np.array(names, object), kind="stable"))
        chance = random.standard_normal((len(names), len(self.effect) // max(1, len(names))))
        again: Floats = self.effect + self.error * chance[place].ravel()
        return again
