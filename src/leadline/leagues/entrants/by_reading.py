"""Measures that read: diversity by the texts of what was judged, on a scale of their own."""

from dataclasses import dataclass
from typing import Self

from leadline.diversity.divergence import Divergence
from leadline.experiments.hui17_setup import READING, SHORT
from leadline.leagues.diversity_task import SubtopicQuestion
from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply
from leadline.measures.measure import measures


@entrants.register
@dataclass(frozen=True)
class ByReading(Entrant):
    """How close the text of a list comes to that of the documents judged for each subtopic.

    Formula: see ABSnb, ABSrb, DELTAnb and DELTArb

    measure: one of these, or empty for DELTArb with the parameters that suit short texts.

    Hui, Berberich and Mele, Dealing with incomplete judgments in cascade measures, ICTIR 2017.
    """

    tasks = ("diversity",)

    measure: str = ""

    @property
    def title(self) -> str:
        return self.measure or SHORT

    @property
    def developed_on(self) -> tuple[str, ...]:
        """The parameters for short texts are ours; their mu follows the texts of a collection."""
        return ()

    @classmethod
    def variants(cls) -> list[Self]:
        """The four of the paper, and the one for short texts."""
        return [*(cls(str(each)) for each in READING), cls()]

    def answer(self, question: Question) -> Reply:
        """An order of the runs: the scores are those of another measure."""
        if not isinstance(question, SubtopicQuestion):
            raise ValueError("this is read from documents judged for subtopics")
        measure = measures.parse(self.measure) if self.measure else question.on.short
        assert isinstance(measure, Divergence)
        scores = measure.score(question.lists)
        return Reply(scores.mean(), by_topic=scores.value, own_scale=True)
