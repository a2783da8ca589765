"""Designed pools with Assisted: ours for scores and differences from few judgments."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from leadline.designs.designed import Designed
from leadline.designs.drawn_so_far import DrawnSoFar
from leadline.estimators.assisted import Assisted
from leadline.estimators.evidence import Evidence
from leadline.estimators.pair_weights import PairWeights
from leadline.leagues.development import developed_on
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply


@entrants.register
@dataclass(frozen=True)
class DesignedSample(Entrant):
    """All batches of Designed, and Assisted, shrunk or not.

    Formula: see Designed and Assisted

    Ours: see docs/methods/few.md.
    """

    tasks = ("scores", "best", "five", "cheap")

    shrink: bool = False
    aim: Literal["differences", "scores"] = "differences"

    @property
    def title(self) -> str:
        design = "Designed" if self.aim == "differences" else f"Designed(aim={self.aim})"
        return f"{design} + Assisted" + (", shrunk" if self.shrink else "")

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("Designed")

    @classmethod
    def variants(cls) -> list[Self]:
        """As it is, shrunk, and with the aim that `plan` gives it for the question scores."""
        return [cls(), cls(shrink=True), cls(aim="scores")]

    def answer(self, question: Question) -> Reply:
        """Of weighted measures and of nDCG."""
        weighted, seed = question.measure.numerator, question.seed
        if weighted is None:
            raise ValueError(f"{question.measure} is neither a sum of weights and gains nor nDCG@k")
        weights = PairWeights.of(question.runs, weighted)
        design = Designed(question.budget, str(question.measure), self.aim)
        before = DrawnSoFar.nothing(len(weights.pair))
        for batch in range(design.batches):
            # A generator's numbers are as good as hashes, and sooner there.
            luck = np.random.default_rng([seed, batch]).random(len(weights.pair))
            before = design.extended(weights, seed, question.known, before, luck=luck)
            question.judge(weights.pair[before.drawn])
        pool = before.pool(weights, str(design), seed)
        known = pool.restrict(question.known)
        evidence = Evidence(question.measure, question.runs, known, pool)
        estimated = Assisted(self.shrink, seed).estimated(evidence)
        return Reply.of_scores(estimated.scores(self.title), question)
