"""Condensed lists: what nobody judged is left out."""

from dataclasses import dataclass, fields, replace
from typing import Any

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply


@entrants.register
@dataclass(frozen=True)
class Condensed(Entrant):
    """Scores of the lists without their unjudged documents.

    Formula: the measure with judged_only=true

    Sakai, Alternatives to bpref, SIGIR 2007.
    """

    tasks = ("shallow", "newcomer", "diversity")

    @property
    def title(self) -> str:
        return "condensed lists"

    def answer(self, question: Question) -> Reply:
        """Those who look at whole lists only; there are no intervals."""
        measure: Any = question.measure
        if "judged_only" not in {each.name for each in fields(measure)}:
            raise ValueError(f"{measure} has no form that leaves unjudged documents out")
        scores = replace(measure, judged_only=True).score(question.lists)
        return Reply(question.of_asked(scores.mean()), by_topic=question.of_asked(scores.value))
