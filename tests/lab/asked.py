"""Questions on the bundled collection, small enough to be answered at once."""

import logging

from leadline.io.datasets import COLLECTION
from leadline.lab.benchmark.play import task_of
from leadline.lab.benchmark.question import CollectionPart, DrawSize, Question, part_of
from leadline.lab.benchmark.tasks import DiversityScores, SubtopicQuestion
from leadline.measures.measure import parse_measure

SMALL = DrawSize(0.25, 12)


def part(draw: int = 0, subtopics: bool = False) -> CollectionPart:
    logging.getLogger("leadline").addHandler(logging.NullHandler())
    return part_of(str(COLLECTION), draw, 0, SMALL, None, subtopics)


def question(task: str, budget: int, measure: str = "RBP(p=0.8)") -> Question:
    """The first question that the task asks."""
    return next(task_of(task).questions(part(), parse_measure(measure), budget))


def subtopic_question(budget: int, measure: str = "ERR_IA@20") -> SubtopicQuestion:
    """One about diversity, from a share of the subtopic judgments."""
    on = part(0, subtopics=True)
    asked = next(DiversityScores().questions(on, parse_measure(measure), budget))
    assert isinstance(asked, SubtopicQuestion)
    return asked


def everything(measure: str = "RBP(p=0.8)") -> Question:
    """One whose budget pays for every pair."""
    on = part()
    return Question(parse_measure(measure), on.runs, on.answers, len(on.runs.pairs), on.seed)
