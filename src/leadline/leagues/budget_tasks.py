"""Tasks in which every entrant has the same number of judgments and chooses which."""

from collections.abc import Iterator
from typing import ClassVar

from leadline.leagues.part import CollectionPart
from leadline.leagues.question import Question, n_pairs
from leadline.leagues.task import WEIGHTED, Task, judge_files
from leadline.measures.measure import Measure


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
    """A cheap judge's labels of all pairs, and n judgments."""

    name, letter = "cheap", "e"
    title = "scores from a cheap judge's labels and n judgments"
    measures = (*WEIGHTED, "nDCG@10", "AP", "SDCG(gains=linear)@10")
    budgets = (200, 400, 800)

    def judges(self, source: str) -> tuple[str | None, ...]:
        return judge_files(source)

    def plays_on(self, source: str) -> bool:
        return bool(judge_files(source)) and super().plays_on(source)
