"""Orders that pick what to judge next; scores by what they picked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.as_judged import as_judged
from leadline.leagues.question import Question, Reply
from leadline.orders.order import Stepper, orders

PLAIN = ("MoveToFront", "MaxMean", "Random", "Pooling", "MethodC", "Difference", "Thompson")


def spend(
    stepper: Stepper, question: Question, at_once: int = 1, larger: Sequence[Question] = ()
) -> None:
    """Judge what the stepper asks for until the budget is spent or it asks for nothing more.

    What is judged for a question is judged for those with larger budgets.
    """
    while (left := question.budget - question.judgments) > 0:
        chosen = [choice.pair for choice in stepper.next(min(at_once, left))]
        if not chosen:
            return
        for other in larger:
            other.judge(chosen)
        for pair, grade in zip(chosen, question.judge(chosen).tolist(), strict=True):
            stepper.tell(pair, grade)


@entrants.register
@dataclass(frozen=True)
class ByOrder(Entrant):
    """A registered order, by its name; unjudged documents are not relevant.

    Formula: see the order

    What an order picks is not like the rest, so no estimator is put on top of it.
    """

    tasks = ("scores", "best", "five")
    on_and_on = True

    order: str = "MoveToFront"

    @property
    def title(self) -> str:
        return self.order

    @classmethod
    def variants(cls) -> list[Self]:
        """The orders that know no model."""
        return [cls(name) for name in PLAIN if name in orders.classes()]

    def answer(self, question: Question) -> Reply:
        """The order judges by the question's own measure where it has a choice."""
        return next(self.in_turn([question]))

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """One order for all budgets."""
        stepper = self._start(questions[0])
        for at, question in enumerate(questions, 1):
            spend(stepper, question, larger=questions[at:])
            yield as_judged(question)

    def _start(self, question: Question) -> Stepper:
        cls = orders.classes()[self.order]
        fields = cls.__dataclass_fields__  # type: ignore[attr-defined]
        given: dict[str, object] = {}
        if "measure" in fields:
            given["measure"] = str(question.measure)
        elif "p" in fields:
            given["p"] = getattr(question.measure, "p", 0.8)
        if "seed" in fields:
            given["seed"] = question.seed
        return cls(**given).start(question.looked_at if cls.exhaustive else question.runs)
