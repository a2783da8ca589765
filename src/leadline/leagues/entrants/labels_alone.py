"""A cheap judge's labels taken for judgments."""

from dataclasses import dataclass

from leadline.estimators.evidence import Evidence
from leadline.estimators.judge_alone import JudgeAlone
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply


@entrants.register
@dataclass(frozen=True)
class LabelsAlone(Entrant):
    """Scores by the labels; no human has a say.

    Formula: see JudgeAlone
    """

    tasks = ("cheap",)

    @property
    def title(self) -> str:
        return "judge alone"

    def answer(self, question: Question) -> Reply:
        """It has no idea of its error."""
        evidence = Evidence(question.weighted, question.runs, question.known)
        return Reply.of_scores(JudgeAlone().gains(evidence).scores(self.title), question)
