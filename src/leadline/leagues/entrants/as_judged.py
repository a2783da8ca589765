"""The usual practice: what nobody judged is not relevant."""

from dataclasses import dataclass

from leadline.leagues.entrant import Entrant, entrants
from leadline.leagues.question import Question, Reply


@entrants.register
@dataclass(frozen=True)
class AsJudged(Entrant):
    """Scores by the judgments that there are; unjudged documents are not relevant.

    Formula: the measure itself, gain 0 where nobody judged

    What trec_eval does, and what everything else must beat.
    """

    tasks = ("shallow", "newcomer", "diversity")

    @property
    def title(self) -> str:
        return "as judged"

    def answer(self, question: Question) -> Reply:
        """Without intervals: what is certain is no 95% interval."""
        return as_judged(question)


def as_judged(question: Question) -> Reply:
    """The scores by what is known of a question."""
    scores = question.measure.score(question.lists)
    return Reply(question.of_asked(scores.mean()), by_topic=question.of_asked(scores.value))
