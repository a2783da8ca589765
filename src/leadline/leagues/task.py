"""What every task is: a question with a truth, at several budgets."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from leadline.collection.inputs import collection_inputs
from leadline.files.source import is_side_file
from leadline.leagues.part import CollectionPart
from leadline.leagues.question import Question
from leadline.leagues.simulated import SIMULATED
from leadline.measures.measure import Measure

WEIGHTED = ("P@10", "P@30", "RBP(p=0.8)", "RBP(p=0.95)", "SDCG@100")


class Task(ABC):
    """A question with a truth.

    `loss` is the figure that entrants are told apart by, smaller is better; `budgets` are depths of
    pools or numbers of judgments, as `unit` says. `asks_as` names the task that asks the very same
    questions and is told apart by another figure: what is played for one is played for both.
    `subtopics` says that judgments per subtopic and texts are to be read.
    """

    name: ClassVar[str]
    letter: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[str]
    loss: ClassVar[str] = "rmse"
    measures: ClassVar[tuple[str, ...]] = WEIGHTED
    budgets: ClassVar[tuple[int, ...]]
    asks_as: ClassVar[str] = ""
    subtopics: ClassVar[bool] = False

    def judges(self, source: str) -> tuple[str | None, ...]:
        """The cheap judges to ask with, one after the other; None for none at all."""
        return (None,)

    def plays_on(self, source: str) -> bool:
        """Whether a collection has what the task needs: judgments of documents as a whole."""
        return source in SIMULATED or "ndeval" not in _qrels_name(source, subtopics=False)

    @abstractmethod
    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        """The questions of a draw; none where the budget makes no sense there."""


def has_subtopics(source: str) -> bool:
    """Whether a collection has judgments per subtopic."""
    return source not in SIMULATED and "ndeval" in _qrels_name(source, subtopics=True)


def _qrels_name(source: str, subtopics: bool) -> str:
    qrels, _ = collection_inputs(source, subtopics=subtopics)
    assert qrels is not None
    return qrels.name


def judge_files(source: str) -> tuple[str, ...]:
    """Labels of cheap judges that a collection's folder has."""
    files = sorted((Path(source) / "judges").glob("*.qrels*"))
    return tuple(str(file) for file in files if not is_side_file(file))
