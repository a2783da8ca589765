"""Designed pools with Assisted: ours for scores and differences from few judgments."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from leadline.designs.designed import Designed
from leadline.designs.drawn_so_far import DrawnSoFar
from leadline.estimators.assisted import FEWEST_DRAWN, assisted, shrunk
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

    tasks = ("scores", "best", "cheap")

    shrink: bool = False

    @property
    def title(self) -> str:
        return "Designed + Assisted" + (", shrunk" if self.shrink else "")

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("Designed")

    @classmethod
    def variants(cls) -> list[Self]:
        """As it is, and shrunk."""
        return [cls(), cls(shrink=True)]

    def answer(self, question: Question) -> Reply:
        """Of weighted measures."""
        weights, seed = question.weights, question.seed
        design = Designed(n=question.budget, measure=str(question.measure))
        before = DrawnSoFar.nothing(len(weights.pair))
        for batch in range(design.batches):
            # A generator's numbers are as good as hashes, and sooner there.
            luck = np.random.default_rng([seed, batch]).random(len(weights.pair))
            before = design.extended(weights, seed, question.known, before, luck=luck)
            question.judge(weights.pair[before.drawn])
        sample = design.sample(weights, question.known, before, seed)
        if self.shrink:
            return Reply.of_mean(shrunk(weights, sample))
        mean = assisted(weights, sample)
        offered = int(before.drawn.sum()) >= FEWEST_DRAWN
        return Reply.of_mean(mean) if offered else Reply(mean.value)
