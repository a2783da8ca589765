"""A run is believed as far as its judged documents speak for it: effects of runs and of lists."""

from dataclasses import dataclass

import numpy as np

from leadline.completions.logistic import fit_levels
from leadline.data.arrays import Bools, Floats, Int32s, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs

EFFECT_DEPTH = 100
"""Effects are learnt from judged documents down to this rank where no pool's depth is known."""

LEAST_EFFECT_DEPTH = 10
"""And at least down to this rank where one is."""

RUN_SCALE = 1.0
"""How far from 0 the effects of runs are expected, in logits."""

RUN_MISFIT = 0.3
"""How far the effect of a run on its unjudged documents lies from that on its judged ones."""

LIST_SCALE = 0.5
"""How far from its run's effect the effect of a list is expected, in logits."""

UNJUDGED_LEVEL = 2.0
"""Judged are those of a new run's documents that others have too: its own differ so much more."""

NEW_RUN_MISFIT = 0.5
"""How far the level of a new run's unjudged documents lies from that, besides as far again, where
nothing shows how far those of other runs do."""


def judged_tops(
    runs: Runs, judgments: Judgments, depth: int = EFFECT_DEPTH
) -> tuple[Int32s, Int32s]:
    """The judged documents in the first ranks of every run: their pairs, and the lists they are in.

    >>> from leadline.data.pairs import Pairs
    >>> pairs = Pairs.of(["1", "1"], ["a", "b"])
    >>> runs = Runs(pairs, ("x",), np.array([1, 0]), np.array([[0]]), np.array([[2]]))
    >>> known = Judgments(pairs, np.array([True, False]), np.array([1, 0]))
    >>> [column.tolist() for column in judged_tops(runs, known)]
    [[0], [0]]
    """
    top = runs.cut(depth)
    judged = np.flatnonzero(judgments.judged[top.pair])
    return top.pair[judged], top.entries.list[judged]


def run_levels(
    logit: Floats, relevant: Bools, of: Int32s | Int64s, n: int, *, new: bool
) -> tuple[Floats, Floats]:
    """How much better than the model says the unjudged documents of n runs are, in logits.

    By the judged ones, `of` a run each; behind it the error. Those of `new` runs differ from their
    judged ones by more: as far again as these lie from what the model says, and by a misfit, which
    is not in the error.
    """
    level, error = fit_levels(logit, relevant, of, n, RUN_SCALE)
    if not new:
        return level, np.hypot(error, RUN_MISFIT)
    return UNJUDGED_LEVEL * level, np.hypot(UNJUDGED_LEVEL * error, level)


@dataclass(frozen=True, eq=False)
class ListEffects:
    """What is added to the logits of each list, the grid of runs and topics flattened.

    `run_error` is what all lists of a run share of its error, `error` what each has of its own.
    """

    effect: Floats
    run_error: Floats
    error: Floats

    @classmethod
    def none(cls, runs: Runs) -> "ListEffects":
        """Nothing is added."""
        return cls(np.zeros(runs.start.size), np.zeros(len(runs.names)), np.zeros(runs.start.size))

    @classmethod
    def of(
        cls, runs: Runs, judgments: Judgments, logit: Floats, relevant: Bools, depth: int
    ) -> "ListEffects":
        """Learnt from each run's judged documents down to a depth, then from each list's.

        Those of lists are learnt down to rank 100 and have a mean of 0 over the lists of a run:
        what is judged below the pool's depth is what other runs have higher, and so tells topics
        apart but says little of this run. `logit` is what the model says of every pair, `relevant`
        what is true of the judged ones.
        """
        n_runs, n_topics = runs.start.shape
        pair, of = judged_tops(runs, judgments, depth)
        run, run_error = fit_levels(logit[pair], relevant[pair], of // n_topics, n_runs, RUN_SCALE)
        pair, of = judged_tops(runs, judgments)
        said = logit[pair] + run[of // n_topics]
        own, error = fit_levels(said, relevant[pair], of, runs.start.size, LIST_SCALE)
        grid = own.reshape(n_runs, n_topics)
        effect: Floats = (run[:, None] + grid - grid.mean(axis=1, keepdims=True)).ravel()
        return cls(effect, np.hypot(run_error, RUN_MISFIT), error)

    def drawn(self, names: tuple[str, ...], n: int, random: np.random.Generator) -> Floats:
        """[draws, lists]: how far effects might lie from these; runs may come in any order."""
        place = np.argsort(np.argsort(np.array(names, object), kind="stable"))
        n_runs = len(names)
        shared = random.standard_normal((n, n_runs, 1))[:, place]
        own = random.standard_normal((n, n_runs, len(self.error) // max(1, n_runs)))[:, place]
        moved = shared * self.run_error[:, None] + own * self.error.reshape(own.shape[1:])
        return moved.reshape(n, -1)
