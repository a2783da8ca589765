"""Doubt: ours for the best run from few judgments."""

from collections.abc import Iterator, Sequence
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

    tasks = ("scores", "best", "five")
    on_and_on = True

    @property
    def title(self) -> str:
        return "Doubt"

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("Doubt")

    def answer(self, question: Question) -> Reply:
        """The posterior's means; it promises nothing of single scores."""
        return next(self.in_turn([question]))

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """One order for all budgets, where no batch is cut short by a smaller one."""
        first = questions[0]
        measure: Any = first.weighted
        if "max_grade" in {each.name for each in fields(measure)}:
            measure = replace(measure, max_grade=first.max_grade)
        order = Doubt(measure=str(measure), seed=first.seed)
        together = all(question.budget % order.batch == 0 for question in questions[:-1])
        stepper = order.start(first.runs)
        for at, question in enumerate(questions):
            if at and not together:
                stepper = order.start(first.runs)
            spend(stepper, question, order.batch, questions[at + 1 :] if together else ())
            # A model of its own: one that was fitted before begins elsewhere.
            model = ScoreModel(first.runs, first.weighted)
            known, pair = question.known, model.weights.pair
            table = first.weighted.gain(first.max_grade)
            judged = known.judged[pair]
            yield Reply(model.posterior(judged, table[known.grade[pair]] * judged).mean)
