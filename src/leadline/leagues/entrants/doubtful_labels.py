"""LARA: the most doubtful labels judged, the others calibrated."""

from dataclasses import dataclass

from leadline.estimators.evidence import Evidence
from leadline.estimators.lara_labels import LARALabels
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.entrants.by_order import spend
from leadline.leagues.question import Question, Reply
from leadline.orders.lara import LARA

ASKED_AT_ONCE = 20
"""Pairs that LARA chooses before it learns from them; its authors' program takes 32."""


@entrants.register
@dataclass(frozen=True)
class DoubtfulLabels(Entrant):
    """The most doubtful labels judged, the others calibrated and cut at one half.

    Formula: see LARA and LARALabels

    Takehi, Voorhees, Sakai and Soboroff, LLM-assisted relevance assessments, SIGIR 2025.
    """

    tasks = ("cheap",)

    @property
    def title(self) -> str:
        return "LARA"

    def answer(self, question: Question) -> Reply:
        """It has no idea of its error."""
        order = LARA(top=question.max_grade, seed=question.seed)
        spend(order.start(question.looked_at), question, ASKED_AT_ONCE)
        evidence = Evidence(question.weighted, question.runs, question.known)
        return Reply.of_scores(LARALabels().gains(evidence).scores(self.title), question)
