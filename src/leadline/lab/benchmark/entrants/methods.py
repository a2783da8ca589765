"""Entrants made of registered estimators, adjusters, orders and of labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from leadline.completions.adjuster import UnpooledRuns, adjusters
from leadline.completions.baselines import LabelsAsJudgments
from leadline.completions.estimator import TrainingData, estimators
from leadline.completions.lara import LARAEstimator
from leadline.completions.winner import WinnerModel
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.judging.lara import LARA
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.order import Stepper, orders
from leadline.lab.benchmark.entrants.pools import as_judged
from leadline.lab.benchmark.play import developed_on
from leadline.lab.benchmark.question import Entrant, Question, Reply, entrants
from leadline.lab.benchmark.tasks import SubtopicQuestion
from leadline.lab.papers.hui17_plan import READING, SHORT
from leadline.measures.measure import Weighted, measures
from leadline.measures.text_diversity import Divergence

USUAL = {"Lipani": "Lipani(merge=replace)"}
"""With the parameters that have no default."""


@entrants.register
@dataclass(frozen=True)
class ByAdjuster(Entrant):
    """A registered adjuster, by its name, with its defaults.

    Formula: what the adjuster adds to the score as judged
    """

    tasks = ("newcomer",)

    adjuster: str = "Regression"

    @property
    def title(self) -> str:
        return self.adjuster

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.adjuster)

    @classmethod
    def variants(cls) -> list[Self]:
        """Return all that need no common topics and are not estimators too."""
        estimate = estimators.classes()
        return [
            cls(USUAL.get(name, name))
            for name, adjuster in adjusters.classes().items()
            if not adjuster.needs_common and name not in estimate
        ]

    def answer(self, question: Question) -> Reply:
        """As `leadline adjust` has it."""
        evidence = question.given
        assert isinstance(evidence, UnpooledRuns)
        random = np.random.default_rng(question.seed)
        adjusted = adjusters.parse(self.adjuster).adjust(evidence, random=random)
        if np.isnan(adjusted.pred_lower).any():
            return Reply(adjusted.adjusted)
        return Reply(adjusted.adjusted, adjusted.pred_lower, adjusted.pred_upper)


OUT_OF_PLACE = ("LowerBound", "ModelAssisted", "InfRBP")
"""LowerBound is what is judged, by another name; the others estimate from samples, not from
pools.
"""


@entrants.register
@dataclass(frozen=True)
class ByEstimator(Entrant):
    """A registered estimator, by its name, with its defaults.

    Formula: what the estimator says of unjudged documents
    """

    tasks = ("shallow", "newcomer")
    version = "2"

    estimator: str = "Regression"

    @property
    def title(self) -> str:
        return self.estimator

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on(self.estimator)

    @classmethod
    def variants(cls) -> list[Self]:
        """All but those that live by labels, by samples, by texts, or by what nobody named.

        TwoStage is played with both of its fits.
        """
        chosen = []
        for name, each in estimators.classes().items():
            if each.needs_labels or name in OUT_OF_PLACE:
                continue
            try:
                estimator = estimators.parse(name)
            except ValueError:
                continue
            if not estimator.reads:
                chosen.append(cls(name))
        return [*chosen, cls("TwoStage(fit=scores)")]

    def answer(self, question: Question) -> Reply:
        """As `leadline estimate` has it; where it is in doubt of its error, without an interval."""
        estimator = estimators.parse(self.estimator)
        estimated = estimator.estimated(question.given)
        return Reply.of_scores(estimated.scores(self.estimator), question)


PLAIN = ("MoveToFront", "MaxMean", "Random", "DepthFirst", "MoffatC", "CertainWinner", "Thompson")


def spend(
    stepper: Stepper, question: Question, at_once: int = 1, larger: Sequence[Question] = ()
) -> None:
    """Judge what the stepper asks for until the budget is spent or it asks for nothing more.

    What is judged for a question is judged for those with larger budgets.
    """
    while (left := question.budget - question.judgments) > 0:
        chosen = [choice.pair for choice in stepper.next(min(at_once, left))]
        if not chosen:
            return
        for other in larger:
            other.judge(chosen)
        for pair, grade in zip(chosen, question.judge(chosen).tolist(), strict=True):
            stepper.tell(pair, grade)


@entrants.register
@dataclass(frozen=True)
class ByOrder(Entrant):
    """A registered order, by its name; unjudged documents are not relevant.

    Formula: see the order

    What an order picks is not like the rest, so no estimator is put on top of it.
    """

    tasks = ("scores", "best", "five")
    on_and_on = True

    order: str = "MoveToFront"

    @property
    def title(self) -> str:
        return self.order

    @classmethod
    def variants(cls) -> list[Self]:
        """The orders that know no model."""
        return [cls(name) for name in PLAIN if name in orders.classes()]

    def answer(self, question: Question) -> Reply:
        """The order judges by the question's own measure where it has a choice."""
        return next(self.in_turn([question]))

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """One order for all budgets."""
        stepper = self._start(questions[0])
        for at, question in enumerate(questions, 1):
            spend(stepper, question, larger=questions[at:])
            yield as_judged(question)

    def _start(self, question: Question) -> Stepper:
        cls = orders.classes()[self.order]
        fields = cls.__dataclass_fields__  # type: ignore[attr-defined]
        given: dict[str, object] = {}
        if "measure" in fields:
            given["measure"] = str(question.measure)
        elif "p" in fields:
            given["p"] = getattr(question.measure, "p", 0.8)
        if "seed" in fields:
            given["seed"] = question.seed
        return cls(**given).start(question.looked_at if cls.exhaustive else question.runs)


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


@entrants.register
@dataclass(frozen=True)
class ByLikelyWinner(Entrant):
    """Pairs in the order LikelyWinner, and the scores that its model expects.

    Formula: see LikelyWinner

    Ours: see docs/methods/likely.md.
    """

    tasks = ("scores", "best", "five")
    on_and_on = True
    name_in_tables = "LikelyWinner"

    @property
    def developed_on(self) -> tuple[str, ...]:
        return developed_on("LikelyWinner")

    def answer(self, question: Question) -> Reply:
        """The posterior's means; it promises nothing of single scores."""
        return next(self.in_turn([question]))

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """One order for all budgets, where no batch is cut short by a smaller one."""
        first = questions[0]
        measure: Any = first.weighted
        if "max_grade" in {each.name for each in fields(measure)}:
            measure = replace(measure, max_grade=first.max_grade)
        order = LikelyWinner(measure=str(measure), seed=first.seed)
        together = all(question.budget % order.batch == 0 for question in questions[:-1])
        stepper = order.start(first.runs)
        for at, question in enumerate(questions):
            if at and not together:
                stepper = order.start(first.runs)
            spend(stepper, question, order.batch, questions[at + 1 :] if together else ())
            # A model of its own: one that was fitted before begins elsewhere.
            yield Reply(WinnerModel(first.runs, first.weighted).posterior(question.known).mean)


ASKED_AT_ONCE = 20
"""Pairs that LARA chooses before it learns from them; its authors' program takes 32."""


@entrants.register
@dataclass(frozen=True)
class DoubtfulLabels(Entrant):
    """The most doubtful labels judged, the others calibrated and cut at one half.

    Formula: see LARA and LARA

    Takehi, Voorhees, Sakai and Soboroff, LLM-assisted relevance assessments, SIGIR 2025.
    """

    tasks = ("labels",)
    name_in_tables = "LARA"

    def answer(self, question: Question) -> Reply:
        """It has no idea of its error."""
        order = LARA(top=question.max_grade, seed=question.seed)
        spend(order.start(question.looked_at), question, ASKED_AT_ONCE)
        evidence = TrainingData(question.weighted, question.runs, question.known)
        return Reply.of_scores(LARAEstimator().gains(evidence).scores(self.title), question)


@entrants.register
@dataclass(frozen=True)
class LabelsAlone(Entrant):
    """Scores by the labels; no human has a say.

    Formula: see LabelsAsJudgments; measures that are no sums of gains by the labels as judgments
    """

    tasks = ("labels",)
    name_in_tables = "judge alone"

    def answer(self, question: Question) -> Reply:
        """It has no idea of its error."""
        if isinstance(question.measure, Weighted):
            evidence = TrainingData(question.measure, question.runs, question.known)
            return Reply.of_scores(LabelsAsJudgments().gains(evidence).scores(self.title), question)
        scores = question.measure.score(Lists.of(question.runs, labelled(question)))
        return Reply(scores.mean(), by_topic=scores.value)


def labelled(question: Question) -> Judgments:
    """The labels as judgments, on the scale of the people who judge, to the nearest grade."""
    share, most = question.runs.pairs.needed_labels.share, question.max_grade
    grade = np.rint(np.nan_to_num(share) * most).astype(np.int16)
    return Judgments(question.runs.pairs, ~np.isnan(share), grade, max_grade=most)
