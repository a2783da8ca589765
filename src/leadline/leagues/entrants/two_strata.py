"""The first ranks judged, a sample of those below, and InfRBP."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.inferred_rbp import InfRBP
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.pools.depth import Depth
from leadline.pools.stratified import TwoStrata


@entrants.register
@dataclass(frozen=True)
class InferredBelow(Entrant):
    """Half of the budget on the first ranks, the rest sampled from those below, with InfRBP.

    Formula: see TwoStrata and InfRBP

    Yilmaz, Kanoulas and Aslam, A simple and efficient sampling method for estimating AP and NDCG,
    SIGIR 2008, as Lu, Moffat and Culpepper, IRJ 2017, have it for RBP.
    """

    tasks = ("scores", "best", "five")

    @property
    def title(self) -> str:
        return "TwoStrata + InfRBP"

    def answer(self, question: Question) -> Reply:
        """Of weighted measures, where the budget pays for the first ranks."""
        runs, n = question.looked_at, question.budget
        deep = int(runs.length.max())
        sizes = [len(Depth(d).pool(runs)) for d in range(1, deep + 1)]
        d = max(1, int(np.searchsorted(sizes, n / 2, side="right")))
        if sizes[0] >= n or d >= deep:
            raise ValueError("the budget does not pay for two strata")
        rate = min(1.0, (n - sizes[d - 1]) / (sizes[-1] - sizes[d - 1]))
        pool = TwoStrata(d, deep, rate).pool(runs, question.seed)
        question.judge(np.flatnonzero(pool.member))
        known = pool.restrict(question.known)
        evidence = Evidence(question.weighted, question.runs, known, pool)
        return Reply.of_scores(InfRBP().gains(evidence).scores("InfRBP"), question)
