"""How far new runs' own documents lie from what is told, by pooled groups taken for new."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp

from leadline.completions.adjuster import GroupsInTurn, PoolBias
from leadline.completions.logistic import log_loss
from leadline.completions.prediction import Prediction
from leadline.completions.run_effects import NEW_RUN_MISFIT
from leadline.data.arrays import Bools, Floats, Int16s
from leadline.data.scores import SCORE_NOISE
from leadline.io.parallel import current_workforce
from leadline.io.problems import Progress

MOST_GROUPS = 20
"""So many are taken for new where there are more: enough to tell how far off levels are."""

FEWEST_GROUPS = 3
"""With fewer nothing is known of how groups differ."""

DEGREES = 4.0
"""Of freedom, of the Student's t that levels of new runs have: a few lie much further off."""

MISFITS = np.geomspace(0.05, 5.0, 41)
"""How far levels may lie from what is told, in logits."""

MISFIT_SCALE = 0.7
"""Before any group is seen, how far the logarithm of the misfit may lie from that of .5."""

LEVELS = np.linspace(-10.0, 10.0, 401)
"""Of a run's own documents, beyond what is told."""


@dataclass(frozen=True, eq=False)
class PooledGroup:
    """A pooled group taken for new: what the documents that it alone brought say of levels.

    `likelihood` has the logarithm of how likely they are by each of MISFITS; `unseen` is the most
    that documents which no other group's run returns weigh in the mean score of one of its runs.
    """

    likelihood: Floats
    unseen: float


@dataclass(frozen=True, eq=False)
class LevelSpread:
    """What pooled groups show of the levels of new runs: how far these lie from what is told."""

    groups: Sequence[PooledGroup]

    @classmethod
    def of(cls, evidence: PoolBias, progress: Progress | None = None) -> "LevelSpread":
        """By the groups that brought documents of their own, at most 20, evenly by their order."""
        n_groups = len(evidence.contributors.runs.groups)
        if n_groups < 2:
            return cls(())
        some = np.unique(np.linspace(0, n_groups - 1, min(n_groups, MOST_GROUPS)).round())
        shared, pieces = GroupsInTurn.of(evidence), some.astype(int).tolist()
        found: list[PooledGroup | None] = [None] * len(pieces)
        with closing(current_workforce().results(_left_out, shared, pieces)) as coming:
            for n_done, (at, group) in enumerate(coming, 1):
                found[at] = group
                if progress is not None:
                    progress(n_done, len(pieces))
        return cls([group for group in found if group is not None])

    @cached_property
    def probability(self) -> Floats:
        """That of each of MISFITS: lognormal around .5 before, times what every group says.

        >>> round(LevelSpread([]).misfit, 1)
        0.5
        """
        log = -0.5 * (np.log(MISFITS / NEW_RUN_MISFIT) / MISFIT_SCALE) ** 2
        for group in self.groups:
            log = log + group.likelihood
        probability: Floats = np.exp(log - logsumexp(log))
        return probability

    @property
    def misfit(self) -> float:
        """The median, in logits."""
        return float(MISFITS[np.searchsorted(self.probability.cumsum(), 0.5)])

    def drawn(self, n: int, random: np.random.Generator) -> Floats:
        """Misfits as they might be: the fewer groups, the less is known of it."""
        drawn: Floats = random.choice(MISFITS, n, p=self.probability)
        return drawn

    def words(self) -> list[str]:
        """What was seen of the levels."""
        n = len(self.groups)
        if not n:
            return ["no other group brought documents of its own, so nothing checks its error"]
        return [
            f"new runs' own documents are taken to lie {self.misfit:.2f} from what is told of "
            f"them, in logits, by {n} pooled group{'s' * (n > 1)} taken for new in turn "
            f"({NEW_RUN_MISFIT:.2f} before)"
        ]

    def doubts(self, unseen: float) -> list[str]:
        """Why not to trust the error of a run in which unseen documents weigh so much."""
        n = len(self.groups)
        if n < FEWEST_GROUPS:
            return [f"only {n} pooled groups brought documents of their own to check its error by"]
        most = max(group.unseen for group in self.groups)
        # The same sums may differ in the last digit.
        if unseen <= most + SCORE_NOISE:
            return []
        return [
            f"documents that no pooled run returns weigh more in its score ({unseen:.3f}) than in "
            f"any run's of {n} pooled groups, each taken for new ({most:.3f}): its error was not "
            "checked for such a run"
        ]


def unseen_weight(evidence: PoolBias, among: Bools) -> Floats:
    """What documents that no contributing run returns weigh in the mean score of each new run.

    Of those that are so marked, down to the pool's depth.
    """
    runs = evidence.new_runs(evidence.drawn.depth).cut(evidence.weighted.depth)
    entry = np.flatnonzero(among[runs.pair])
    ends = evidence.contributors.postings_of(runs.pair[entry].astype(np.int64)).start
    nobody = ends[1:] == ends[:-1]
    weights = evidence.weighted.weights(int(runs.length.max(initial=1)))
    unseen = weights[runs.entries.rank[entry] - 1] * nobody
    total = np.bincount(runs.entries.run[entry], unseen, len(runs.names))
    weight: Floats = total / evidence.n_topics
    return weight


def _left_out(groups: GroupsInTurn, group: int) -> PooledGroup | None:
    """That group taken for new; None if it brought nothing that the measure sees."""
    left, lost = groups.new(group)
    own = Prediction.of(left, among=lost)
    some = own.mean(1.0) > 0
    if not some.any():
        return None
    told = _likelihood(own, groups.evidence.judgments.grade)[some]
    # Runs of a group are much alike: together they count as one.
    return PooledGroup(told.mean(axis=0), float(unseen_weight(left, lost).max()))


def _likelihood(own: Prediction, grade: Int16s) -> Floats:
    """[runs, misfits]: the logarithm of how likely the grades of the entries are.

    The level of a run is Student's t around what is told, its scale the root of misfit^2 and the
    error^2 of the level. Documents count by their weight, and all of a run as so many as would,
    with equal weights, tell as much. Where the gain rises at several grades, each has its share,
    but for those of which the others' judged documents know nothing.
    """
    run, n_runs = own.run, len(own.names)
    weight = own.entries.weight
    sums, squares = (np.bincount(run, weight**power, n_runs) for power in (1, 2))
    count = weight * (sums / np.maximum(squares, 1e-300))[run]
    total = np.zeros((n_runs, len(MISFITS)))
    rises = sum(step.rise for step in own.model.steps if step.knows)
    for step, (level, error) in zip(own.model.steps, own.levels, strict=True):
        if not step.knows:
            continue
        logit = step.logit[own.entries.row] + level[run]
        reached = grade[own.pair] >= step.least
        fit = np.stack(
            [-np.bincount(run, count * log_loss(logit + by, reached), n_runs) for by in LEVELS],
            axis=1,
        )
        square = MISFITS**2 + error[:, None] ** 2
        ratio = LEVELS**2 / (DEGREES * square[..., None])
        prior = -0.5 * (DEGREES + 1) * np.log1p(ratio) - 0.5 * np.log(square)[..., None]
        total += step.rise / rises * logsumexp(fit[:, None, :] + prior, axis=2)
    return total
