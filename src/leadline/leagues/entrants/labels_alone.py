"""A cheap judge's labels taken for judgments."""

from dataclasses import dataclass

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.judge_alone import JudgeAlone
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.measures.weighted import Weighted
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists


@entrants.register
@dataclass(frozen=True)
class LabelsAlone(Entrant):
    """Scores by the labels; no human has a say.

    Formula: see JudgeAlone; measures that are no sums of gains by the labels as judgments
    """

    tasks = ("cheap",)

    @property
    def title(self) -> str:
        return "judge alone"

    def answer(self, question: Question) -> Reply:
        """It has no idea of its error."""
        if isinstance(question.measure, Weighted):
            evidence = Evidence(question.measure, question.runs, question.known)
            return Reply.of_scores(JudgeAlone().gains(evidence).scores(self.title), question)
        scores = question.measure.score(Lists.of(question.runs, labelled(question)))
        return Reply(scores.mean(), by_topic=scores.value)


def labelled(question: Question) -> Judgments:
    """The labels as judgments, on the scale of the people who judge, to the nearest grade."""
    share, most = question.runs.pairs.labels.share, question.max_grade
    grade = np.rint(np.nan_to_num(share) * most).astype(np.int16)
    return Judgments(question.runs.pairs, ~np.isnan(share), grade, max_grade=most)
