"""The task of diversity: scores by subtopics, of which few documents were judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from leadline.experiments.hui17_sampling import sample
from leadline.experiments.hui17_setup import Hui17Setup
from leadline.formats.document_files import documents_in
from leadline.leagues.part import CollectionPart
from leadline.leagues.question import BudgetError, Question
from leadline.leagues.task import Task, has_subtopics
from leadline.measures.measure import Measure
from leadline.tables.arrays import Bools, Int16s
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists


@dataclass(eq=False, kw_only=True)
class SubtopicQuestion(Question):
    """What are the mean scores by subtopics, when only documents that are `kept` were judged?

    Nothing more can be judged; `lists` have the judgments per subtopic that there are, and texts.
    """

    on: Hui17Setup
    kept: Bools

    def judge(self, pairs: object) -> Int16s:
        """Nobody judges for subtopics here."""
        raise BudgetError("the judgments of this question are given: look at its lists")

    def afresh(self) -> Self:
        """Itself: nothing can be judged."""
        return self

    @property
    def judgments(self) -> int:
        """How many documents were judged for the subtopics of their topic."""
        return int(self.kept.sum())

    @property
    def known(self) -> Judgments:
        """The judgments of the documents that are kept."""
        pairs = self.runs.pairs
        number = self.on.grades.find(pairs.topic.astype(np.int64), pairs.doc_name.series)
        return self.hidden.only((number >= 0) & self.kept[number])

    @cached_property
    def lists(self) -> Lists:
        """The lists as those see them who have only these judgments."""
        return self.on.judged_only(self.kept)

    @property
    def true_lists(self) -> Lists:
        """The lists with all judgments per subtopic."""
        return self.on.lists


class DiversityScores(Task):
    """Diversity scores from a share of the subtopic judgments."""

    name, letter, unit = "diversity", "f", "percent of the documents judged"
    title = "diversity scores from a share of the subtopic judgments"
    loss = "tau"
    measures = ("alpha_nDCG@20", "ERR_IA@20", "NRBP")
    budgets = (1, 2, 5, 10, 20, 30)
    subtopics = True

    def plays_on(self, source: str) -> bool:
        """Judgments per subtopic and texts are needed."""
        return has_subtopics(source) and documents_in(Path(source)) is not None

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        """Of every topic's relevant documents `budget` percent, one at least, and of its others.

        As the paper of the measures that read has it: see hui17.
        """
        assert part.diverse is not None
        if budget >= 100:
            return
        random = np.random.default_rng([part.seed, budget])
        (kept,) = sample(part.diverse, budget, 1, random)
        yield SubtopicQuestion(
            measure, part.runs, part.answers, budget, part.seed, on=part.diverse, kept=kept
        )
