"""The first ranks judged, a sample of those below, with xinfAP and infNDCG."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.prior_sample import told
from leadline.leagues.question import Question, Reply
from leadline.measures.inf_ndcg import infNDCG
from leadline.measures.measure import Measure
from leadline.measures.xinf_ap import xinfAP
from leadline.pools.depth import Depth
from leadline.pools.stratified import Sampled, TwoStrata
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

MOST_RANKS = 20
"""The first stratum goes no deeper."""


@entrants.register
@dataclass(frozen=True)
class InferredStrata(Entrant):
    """Half of the budget on the first ranks, the rest sampled from those below.

    Formula: see TwoStrata, xinfAP and infNDCG

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "TwoStrata + xinfAP, infNDCG"

    def answer(self, question: Question) -> Reply:
        """Of AP and of nDCG."""
        measure = inferred(question)
        pool = half_first(question.looked_at, question.budget, question.seed)
        question.judge(np.flatnonzero(pool.member))
        return told(question, pool, measure)


def inferred(question: Question) -> Measure:
    """What infers the measure from strata; a ValueError if nothing does."""
    rel, measure = question.ap_rel, question.measure
    if rel is not None:
        return xinfAP(rel=rel)
    asked: Any = measure
    if measure.registered_name() == "nDCG":
        return infNDCG(asked.k, asked.rel, asked.gains, asked.max_grade)
    raise ValueError(f"xinfAP and infNDCG infer AP and nDCG, not {measure}")


def half_first(runs: Runs, n: int, seed: int) -> Pool:
    """The first ranks with half of the budget, and an even sample of the rest.

    Where the first rank alone is dearer than that, an even sample of all.
    """
    deepest = int(runs.length.max(initial=1))
    sizes = [len(Depth(depth).pool(runs)) for depth in range(1, min(MOST_RANKS, deepest) + 1)]
    depth = min(int(np.searchsorted(sizes, n / 2, side="right")), deepest - 1)
    whole = len(Depth(deepest).pool(runs))
    if not depth:
        return Sampled(deepest, min(1.0, n / whole)).pool(runs, seed)
    rate = min(1.0, (n - sizes[depth - 1]) / (whole - sizes[depth - 1]))
    return TwoStrata(depth, deepest, rate).pool(runs, seed)
