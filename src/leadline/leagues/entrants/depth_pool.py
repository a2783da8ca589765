"""The first ranks judged, and an estimator for what lies below."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from leadline.estimators.estimator import estimators
from leadline.estimators.evidence import Evidence
from leadline.leagues.development import developed_on
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.as_judged import as_judged
from leadline.leagues.question import Question, Reply
from leadline.tables.draw import draw_pairs
from leadline.tables.pool import Pool
from leadline.tables.runs import UNRANKED


@entrants.register
@dataclass(frozen=True)
class DepthPool(Entrant):
    """The pairs with the best ranks, of equals as chance has it; then an estimator, or none.

    Formula: see the estimator
    """

    tasks = ("scores", "best", "five")

    estimator: str = "Regression"

    @property
    def title(self) -> str:
        return f"depth pool + {self.estimator}" if self.estimator else "depth pool, as judged"

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.estimator)

    @classmethod
    def variants(cls) -> list[Self]:
        """With Regression, with the bootstrap, and with nothing."""
        return [cls(), cls("Bootstrapped"), cls("")]

    def answer(self, question: Question) -> Reply:
        """Scores as the estimator has them."""
        pool = first_pairs(question, question.budget)
        if not self.estimator:
            return as_judged(question)
        evidence = Evidence(question.measure, question.runs, pool.restrict(question.known), pool)
        estimated = estimators.parse(self.estimator).estimated(evidence)
        return Reply.of_scores(estimated.scores(self.estimator), question)


def first_pairs(question: Question, n: int) -> Pool:
    """The n pairs with the best ranks, of equals as chance has it, judged."""
    runs = question.looked_at
    pair = np.flatnonzero(runs.best_rank < UNRANKED)
    luck = draw_pairs(question.seed, runs.pairs, pair)
    question.judge(pair[np.lexsort((luck, runs.best_rank[pair]))[:n]])
    member = question.known.judged
    stratum = np.where(member, 0, -1).astype(np.int16)
    return Pool(runs.pairs, member, member.astype(np.float64), stratum, f"the first {n} pairs")
