"""What lu17 is made from: pooled runs, a deep pool that counts as truth, and errors against it."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from leadline.collection.read import read
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator
from leadline.estimators.evidence import Evidence
from leadline.measures.dcg import SDCG
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.tables.arrays import Bools, Floats
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores

P = 0.95
DEPTHS = (10, 20, 30)
ZERO = 1e-9
"""Errors this small are rounding."""


@dataclass(frozen=True, eq=False)
class Lu17Setup:
    """Runs, also cut to the reference depth, with the judgments of the pool of that depth.

    `everything` are all judgments that the collection has.
    """

    runs: Runs
    cut: Runs
    judgments: Judgments
    everything: Judgments
    depth: int
    notices: tuple[str, ...]

    @property
    def depths(self) -> tuple[int, ...]:
        """Of the shallow pools: 10, 20 and 30, or so many hundredths of the reference depth."""
        usual = tuple(d for d in DEPTHS if d < self.depth)
        return usual or tuple(sorted({max(1, self.depth * d // 100) for d in DEPTHS}))

    @property
    def all_depths(self) -> tuple[int, ...]:
        """From shallow to nearly as deep as the reference, for the figures."""
        step = max(1, self.depth // 10)
        return tuple(sorted({*self.depths, *range(step, self.depth, step)}))

    @property
    def measure(self) -> Weighted:
        """RBP(p=0.95), whose lists end at the reference depth and leave a tail."""
        return RBP(p=P)

    def truth(self, measure: Weighted | None = None) -> Scores:
        """Scores and intervals with the reference judgments."""
        return (measure or self.measure).score(Lists.of(self.cut, self.judgments))

    def shallow(self, depth: int, contributing: Bools | None = None) -> tuple[Pool, Judgments]:
        """The pool of the contributing runs to a depth, and its judgments."""
        runs = self.runs if contributing is None else self.runs.only(contributing)
        pool = Depth(depth).pool(runs)
        return pool, pool.restrict(self.judgments)

    def evidence(
        self,
        pool: Pool,
        judgments: Judgments,
        contributing: Bools | None = None,
    ) -> Evidence:
        """What estimators learn from: whole lists, and the judgments of a pool."""
        return Evidence(self.measure, self.runs, judgments, pool, contributing)

    def scores(self, estimator: Estimator, evidence: Evidence) -> tuple[Scores, EstimatedGains]:
        """Estimates to the reference depth, and the gains behind them.

        Gains are learnt from whole lists and evaluated to the reference depth. The bounds and RM
        speak of a residual, which includes the tail beyond it, as the paper's do.
        """
        if estimator.by_residual:
            gains = estimator.gains(evidence.but(runs=self.cut))
            return gains.scores(str(estimator)), gains
        gains = estimator.gains(evidence)
        return gains.scores(str(estimator), RBP(p=P, k=self.depth)), gains

    def scaled_dcg(self, estimator: Estimator, gains: EstimatedGains) -> Scores:
        """SDCG to the reference depth from gains estimated with RBP."""
        return gains.scores(str(estimator), SDCG(k=self.depth))


def errors(estimates: Floats, truth: Scores) -> Floats:
    """Eq. 3: 0 inside the interval of the truth, else the distance to it."""
    below, above = truth.lower - estimates, estimates - truth.upper
    found: Floats = np.maximum(np.maximum(below, above), 0.0)
    found[found < ZERO] = 0.0
    return found


@lru_cache(maxsize=1)
def setup(folder: str, reference_depth: int, groups: str | None) -> Lu17Setup:
    """The collection, read once in each process."""
    collection = read(Path(folder))
    # Another table may tell the groups, but which runs were pooled is the collection's to say.
    pooled = collection.pooled
    if groups is not None:
        collection = collection.with_groups(Path(groups))
    runs = collection.runs
    notices = collection.notices.lines()
    if not pooled.all():
        runs = runs.only(pooled)
        notices.append(f"{len(runs.names)} of {len(pooled)} runs are marked pooled and used")
    judgments = Depth(reference_depth).pool(runs).restrict(collection.judgments)
    return Lu17Setup(
        runs,
        runs.cut(reference_depth),
        judgments,
        collection.judgments,
        reference_depth,
        tuple(notices),
    )
