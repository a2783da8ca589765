"""Small collections as what estimators and adjusters learn from: a shallow pool, all judged."""

import numpy as np

from leadline.adjusters.pool_bias import PoolBias
from leadline.diversity.texts import Reader
from leadline.diversity.tokens import Tokeniser
from leadline.estimators.evidence import Evidence
from leadline.files.problems import Notices
from leadline.formats.document_files import documents_from
from leadline.measures.measure import Measure
from leadline.pools.depth import Depth
from leadline.pools.strategy import PoolStrategy
from leadline.pools.stratified import TwoStrata
from leadline.pools.without import DrawnPool
from leadline.tables.arrays import Bools
from leadline.testing.small_collection import SmallCollection
from leadline.testing.small_lists import TEXTS, all_judged

POOL = Depth(d=2)
SAMPLED_POOL = TwoStrata(d=2, deep=6, rate=0.5)


def evidence_of(
    measure: Measure,
    small: SmallCollection,
    strategy: PoolStrategy = POOL,
    contributing: Bools | None = None,
) -> Evidence:
    """What a pool of the runs, all of them without a mask, tells once it is judged."""
    runs, judgments = all_judged(small).tables()
    pool = strategy.pool(runs if contributing is None else runs.only(contributing))
    docs = runs.pairs.docs
    words = Reader(documents_from(TEXTS)).words(docs, Tokeniser(), Notices()) if len(docs) else None
    return Evidence(measure, runs, pool.restrict(judgments), pool, contributing, words)


def bias_of(measure: Measure, small: SmallCollection, new: list[str]) -> PoolBias:
    """The same where some runs had no part in the pool; everything may be looked up as trusted."""
    runs, judgments = all_judged(small).tables()
    contributing = np.array([name not in new for name in runs.names])
    pooled = runs.only(contributing)
    common = np.arange(len(runs.pairs.topics)) % 2 == 0
    return PoolBias(
        measure,
        runs,
        judgments.only(POOL.pool(pooled).member),
        contributing=contributing,
        drawn=DrawnPool(POOL, pooled),
        trusted=judgments,
        common=common,
    )
