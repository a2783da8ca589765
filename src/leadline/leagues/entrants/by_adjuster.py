"""Every registered adjuster, plug-ins too."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from leadline.adjusters.adjuster import adjusters
from leadline.adjusters.pool_bias import PoolBias
from leadline.leagues.development import developed_on
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply

USUAL = {"Lipani": "Lipani(merge=replace)"}
"""With the parameters that have no default."""


@entrants.register
@dataclass(frozen=True)
class ByAdjuster(Entrant):
    """A registered adjuster, by its name, with its defaults.

    Formula: what the adjuster adds to the score as judged
    """

    tasks = ("newcomer",)

    adjuster: str = "Predicted"

    @property
    def title(self) -> str:
        return self.adjuster

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.adjuster)

    @classmethod
    def variants(cls) -> list[Self]:
        """All but those that need trusted judgments of common topics."""
        known = adjusters.classes().items()
        return [cls(USUAL.get(name, name)) for name, each in known if not each.takes_trusted]

    def answer(self, question: Question) -> Reply:
        """As `leadline adjust` has it."""
        evidence = question.given
        assert isinstance(evidence, PoolBias)
        random = np.random.default_rng(question.seed)
        adjusted = adjusters.parse(self.adjuster).adjust(evidence, random=random)
        if np.isnan(adjusted.pred_lower).any():
            return Reply(adjusted.adjusted)
        return Reply(adjusted.adjusted, adjusted.pred_lower, adjusted.pred_upper)
