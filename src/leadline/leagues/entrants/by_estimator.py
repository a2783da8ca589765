"""Every registered estimator, plug-ins too."""

from dataclasses import dataclass
from typing import Self

from leadline.estimators.estimator import estimators
from leadline.leagues.development import developed_on
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply

OUT_OF_PLACE = ("LB", "Assisted", "InfRBP")
"""LB is what is judged, by another name; the others estimate from samples, not from pools."""


@entrants.register
@dataclass(frozen=True)
class ByEstimator(Entrant):
    """A registered estimator, by its name, with its defaults.

    Formula: what the estimator says of unjudged documents
    """

    tasks = ("shallow", "newcomer")
    version = "2"

    estimator: str = "Regression"

    @property
    def title(self) -> str:
        return self.estimator

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.estimator)

    @classmethod
    def variants(cls) -> list[Self]:
        """All but those that live by labels, by samples, by texts, or by what nobody named."""
        chosen = []
        for name, each in estimators.classes().items():
            if each.needs_labels or name in OUT_OF_PLACE:
                continue
            try:
                estimator = estimators.parse(name)
            except ValueError:
                continue
            if not estimator.reads:
                chosen.append(cls(name))
        return chosen

    def answer(self, question: Question) -> Reply:
        """As `leadline estimate` has it; where it is in doubt of its error, without an interval."""
        estimator = estimators.parse(self.estimator)
        estimated = estimator.estimated(question.given)
        return Reply.of_scores(estimated.scores(self.estimator), question)
