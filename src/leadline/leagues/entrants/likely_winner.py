"""Doubt: ours for the best run from few judgments."""

from dataclasses import dataclass, fields, replace
from typing import Any

from leadline.estimators.score_model import ScoreModel
from leadline.leagues.development import developed_on
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.by_order import spend
from leadline.leagues.question import Question, Reply
from leadline.orders.doubt import Doubt


@entrants.register
@dataclass(frozen=True)
class LikelyWinner(Entrant):
    """Pairs in the order Doubt, and the scores that its model expects.

    Formula: see Doubt

    Ours: see docs/methods/likely.md.
    """

    tasks = ("scores", "best")

    @property
    def title(self) -> str:
        return "Doubt"

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("Doubt")

    def answer(self, question: Question) -> Reply:
        """The posterior's means; it promises nothing of single scores."""
        measure: Any = question.weighted
        if "max_grade" in {each.name for each in fields(measure)}:
            measure = replace(measure, max_grade=question.max_grade)
        order = Doubt(measure=str(measure), seed=question.seed)
        spend(order.start(question.runs), question, order.batch)
        model = ScoreModel(question.runs, question.weighted)
        known, pair = question.known, model.weights.pair
        table = question.weighted.gain(question.max_grade)
        judged = known.judged[pair]
        posterior = model.posterior(judged, table[known.grade[pair]] * judged)
        return Reply(posterior.mean)
