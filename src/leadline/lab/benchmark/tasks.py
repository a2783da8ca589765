"""The tasks: judgments to choose, judgments of a depth pool, diversity with few judgments."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from leadline.completions.adjuster import UnpooledRuns
from leadline.completions.estimator import TrainingData
from leadline.data.arrays import Bools, Int16s
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.io.documents import documents_in
from leadline.lab.benchmark.question import (
    WEIGHTED,
    BudgetError,
    CollectionPart,
    Question,
    Task,
    has_subtopics,
    judge_files,
    n_pairs,
)
from leadline.lab.papers.hui17_plan import Hui17Setup, sample
from leadline.measures.measure import Measure, parse_measure
from leadline.pooling.strategies import Depth
from leadline.pooling.without import DrawnPool


class FromJudgments(Task):
    """Scores and differences from n judgments of any design."""

    name, letter, unit = "scores", "c", "judgments"
    title = "scores and differences from n judgments of any design"
    measures: ClassVar[tuple[str, ...]] = (*WEIGHTED, "nDCG@10", "AP")
    budgets: ClassVar[tuple[int, ...]] = (200, 400, 800, 1600)

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        question = Question(measure, part.runs, part.answers, budget, part.seed)
        # Who may judge nearly everything has no choice to make.
        if 2 * budget <= n_pairs(question.looked_at):
            yield question


class BestRuns(FromJudgments):
    """The best run from n judgments."""

    name, letter = "best", "d"
    title = "the best run from n judgments"
    loss = "regret"
    asks_as = "scores"


class BestFive(BestRuns):
    """The best five runs from n judgments."""

    name = "five"
    title = "the best five runs from n judgments"
    loss = "regret_five"


class WithLabels(FromJudgments):
    """A noisy judge's labels of all pairs, and n judgments."""

    name, letter = "labels", "e"
    title = "scores from a noisy judge's labels and n judgments"
    measures = (*WEIGHTED, "nDCG@10", "AP", "SDCG(gains=linear)@10")
    budgets = (200, 400, 800)

    def judges(self, source: str) -> tuple[str | None, ...]:
        return judge_files(source)

    def plays_on(self, source: str) -> bool:
        return bool(judge_files(source)) and super().plays_on(source)


DEPTHS = (5, 10, 20, 30)

ANY = parse_measure("P@10")
"""In the place of a measure, which comes later."""


class Shallow(Task):
    """Deep scores from a pool of all runs to a depth."""

    name, letter, unit = "shallow", "a", "depth of the pool"
    title = "deep scores from a shallow pool"
    measures = (*WEIGHTED, "nDCG@10", "AP")
    budgets = DEPTHS

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        if measure.depth is not None and measure.depth <= budget:
            return
        evidence = _of_pool(part, budget).but(measure=measure)
        yield Question(measure, part.runs, part.answers, budget, part.seed, evidence)


class LeftOutGroup(Task):
    """The scores of a group's runs by a pool that it had no part in."""

    name, letter, unit = "newcomer", "b", "depth of the pool"
    title = "a newcomer's score, its group left out of the pool"
    measures = (*WEIGHTED, "nDCG@10", "AP")
    budgets = DEPTHS
    n_groups = 2

    def questions(self, part: CollectionPart, measure: Measure, budget: int) -> Iterator[Question]:
        runs = part.runs
        random = np.random.default_rng(part.seed)
        for name in random.permutation(sorted(runs.groups))[: self.n_groups].tolist():
            new: Bools = np.array([group == name for group in runs.group], np.bool_)
            if new.all():
                return
            evidence = _without(part, budget, name).but(measure=measure)
            yield Question(measure, runs, part.answers, budget, part.seed, evidence, new)


# Measures and methods share what follows from ranks and pools; a draw has a few of each.
@lru_cache(maxsize=len(DEPTHS))
def _of_pool(part: CollectionPart, depth: int) -> TrainingData:
    pool = Depth(depth).pool(part.runs)
    return TrainingData(ANY, part.runs, pool.restrict(part.answers), pool)


@lru_cache(maxsize=2 * len(DEPTHS))
def _without(part: CollectionPart, depth: int, group: str) -> UnpooledRuns:
    runs = part.runs
    new: Bools = np.array([each == group for each in runs.group], np.bool_)
    judgments = Depth(depth).pool(runs.only(~new)).restrict(part.answers)
    drawn = DrawnPool(Depth(depth), runs)
    return UnpooledRuns(ANY, runs, judgments, contributing=~new, new=new, drawn=drawn)


def forget_pools() -> None:
    """Let go of what was shared."""
    for kept in (_of_pool, _without):
        kept.cache_clear()


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
