"""What an entrant is asked, on which part of a collection, what is true, and how good it is."""

import importlib.util
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights, last_rank
from leadline.data.arrays import Bools, Floats, Int16s, Int64s, freeze
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.runs import UNRANKED, Runs
from leadline.data.scores import Scores
from leadline.io.collection import Collection
from leadline.io.inputs import collection_inputs
from leadline.io.read import read
from leadline.io.source import is_side_file
from leadline.lab.benchmark.simulated import SIMULATED, simulated
from leadline.lab.papers.hui17_plan import Hui17Setup, setup_of
from leadline.measures.measure import Measure, Weighted
from leadline.registry import Named, Registry
from leadline.simulate import digest, seed_of
from leadline.stats.correlation import kendall, tau_ap
from leadline.stats.significance import DEFAULT_TEST, tests

OVERDRAW = 4.0
"""A sample's size is left to chance: so many roots of the budget may be asked beyond it."""


class BudgetError(ValueError):
    """More judgments were asked for than the question allows."""


@dataclass(eq=False)
class Question:
    """What are the mean scores of these runs?

    Either `evidence` has the judgments to answer by, of which some runs may be `asked` about only,
    or pairs are judged on demand, `budget` of them: `judge` gives their grades and counts them.
    Labels by noisy judges lie in `runs.pairs`. What is drawn at random is drawn by `seed`.
    """

    measure: Measure
    runs: Runs
    hidden: Judgments = field(repr=False)
    budget: int
    seed: int
    evidence: TrainingData | None = None
    asked: Bools | None = None

    def __post_init__(self) -> None:
        self._judged: Bools = np.zeros(len(self.runs.pairs), np.bool_)

    def judge(self, pairs: Int64s | Sequence[int]) -> Int16s:
        """The grades of pairs; each counts once against the budget."""
        if self.evidence is not None:
            raise BudgetError("the judgments of this question are given: look at its evidence")
        self._judged[pairs] = True
        if self.judgments > self.budget + OVERDRAW * self.budget**0.5:
            raise BudgetError(f"{self.judgments} judgments, but the budget is {self.budget}")
        return self.hidden.grade[pairs]

    @property
    def judgments(self) -> int:
        """How many pairs were judged."""
        known = self._judged if self.evidence is None else self.evidence.judgments.judged
        return int(np.count_nonzero(known))

    @property
    def known(self) -> Judgments:
        """The judgments so far."""
        return self.evidence.judgments if self.evidence else self.hidden.only(self._judged)

    @property
    def lists(self) -> Lists:
        """The runs' lists as those see them who have only the judgments so far."""
        return Lists.of(self.runs, self.known)

    @property
    def true_lists(self) -> Lists:
        """The same by all judgments."""
        return Lists.of(self.runs, self.hidden)

    @property
    def max_grade(self) -> int:
        """The top of the scale, which whoever judges knows."""
        return self.hidden.max_grade

    @property
    def given(self) -> TrainingData:
        """The evidence of a question that has one."""
        assert self.evidence is not None
        return self.evidence

    @property
    def weighted(self) -> Weighted:
        """The measure; a ValueError if it is no sum of weights and gains."""
        if isinstance(self.measure, Weighted):
            return self.measure
        raise ValueError(f"{self.measure} is no sum of weights and gains")

    @property
    def ap_rel(self) -> int | None:
        """The least grade that counts, where AP of whole lists is asked for; None elsewhere."""
        measure: Any = self.measure
        return measure.rel if measure.registered_name() == "AP" and not measure.depth else None

    @property
    def weights(self) -> PairWeights:
        """What every pair weighs in every run's mean score."""
        return PairWeights.of(self.runs, self.weighted)

    @property
    def looked_at(self) -> Runs:
        """The runs as deep as the measure looks, but for ranks of no weight."""
        longest = int(self.runs.length.max(initial=1))
        if isinstance(self.measure, Weighted):
            return self.runs.cut(last_rank(self.measure, longest))
        return self.runs.cut(self.measure.depth)

    @cached_property
    def truth(self) -> "Truth":
        """What is true."""
        return Truth.of(self)

    def afresh(self) -> Self:
        """The same question for another entrant: nothing judged that was not given."""
        if self.evidence is not None:
            return self
        again = replace(self)
        again.__dict__["truth"] = self.truth
        return again

    def of_asked(self, by_run: Floats) -> Floats:
        """The rows of the runs that are asked about."""
        return by_run if self.asked is None else by_run[self.asked]


@dataclass(frozen=True, eq=False)
class Reply:
    """Mean scores of the runs asked about; what is None is not said.

    `lower` and `upper` are 95% intervals, `gap_margin` [runs, runs] tells how far off each
    difference of two means may be, `by_topic` [runs, topics] the scores of lists. With `own_scale`
    the scores only order the runs: how far off they are makes no sense.
    """

    value: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    gap_margin: Floats | None = None
    by_topic: Floats | None = None
    own_scale: bool = False

    def __post_init__(self) -> None:
        n = len(self.value)
        freeze(self, np.float64, (n,), "value", "lower", "upper")
        freeze(self, np.float64, (n, n), "gap_margin")

    @classmethod
    def of_mean(cls, mean: MeanEstimate, by_topic: Floats | None = None) -> "Reply":
        """Means that were estimated as a whole; intervals only where they are offered."""
        margin = mean.margin()
        if np.isnan(margin).any():
            return cls(mean.value, by_topic=by_topic)
        low, high = mean.value - margin, mean.value + margin
        return cls(mean.value, low, high, mean.difference_margin(), by_topic)

    @classmethod
    def of_scores(cls, scores: Scores, question: Question) -> "Reply":
        """Scores of all runs as an estimator has them, those of the runs asked about."""
        if question.asked is not None:
            scores = scores.of_runs(np.flatnonzero(question.asked).tolist())
        if scores.of_mean is not None:
            return cls.of_mean(scores.of_mean, scores.value)
        error = scores.mean_error()
        if np.isnan(error).any():
            return cls(scores.mean(), by_topic=scores.value)
        # Lists as if they were independent: whoever knows better has `of_mean`.
        return cls.of_mean(MeanEstimate(scores.mean(), np.diag(error**2)), scores.value)


@dataclass(frozen=True, eq=False)
class Truth:
    """The mean scores of the runs asked about, and [runs, topics] those of their lists."""

    value: Floats
    by_topic: Floats

    @classmethod
    def of(cls, question: Question) -> "Truth":
        """By all judgments; a pair that nobody judged is not relevant."""
        scores = question.measure.score(question.true_lists)
        return cls(question.of_asked(scores.mean()), question.of_asked(scores.value))


def n_pairs(runs: Runs) -> int:
    """How many pairs some run returns."""
    return int((runs.best_rank < UNRANKED).sum())


LOOKED_AT = 100
"""Lists are cut to this rank: judgments of most collections reach no deeper."""

FEWEST_TOPICS = 5


@dataclass(frozen=True)
class DrawSize:
    """How parts are drawn: the share of the topics, the most of them, and the most runs."""

    share: float = 0.5
    runs: int = 24
    topics: int = 25

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie above 0 and not above 1, not {self.share}")
        if self.runs < 2:
            raise ValueError(f"runs must be at least 2, not {self.runs}")
        if self.topics < 2:
            raise ValueError(f"topics must be at least 2, not {self.topics}")


@dataclass(frozen=True, eq=False)
class CollectionPart:
    """Runs, and a grade for every pair: one that nobody judged is not relevant.

    `diverse` has the lists with judgments per subtopic and texts, where the task is about these.
    """

    runs: Runs
    answers: Judgments
    seed: int
    diverse: Hui17Setup | None = None


@lru_cache(maxsize=2)
def collection_of(source: str, judge: str | None = None, subtopics: bool = False) -> Collection:
    """A folder, or the name of a simulated collection; with a noisy judge's labels if named."""
    if source in SIMULATED:
        return simulated(source)
    labels = None if judge is None else [judge]
    return read(Path(source), labels=labels, depth=LOOKED_AT, subtopics=subtopics)


@lru_cache(maxsize=2)
def part_of(
    source: str,
    draw: int,
    seed: int,
    how: DrawSize,
    judge: str | None = None,
    subtopics: bool = False,
) -> CollectionPart:
    """The part of a draw: the same for every entrant, task and measure."""
    whole = collection_of(source, judge, subtopics)
    random = np.random.default_rng(seed_of(f"{Path(source).name} {draw}", seed))
    topics = whole.runs.pairs.topics
    n = min(len(topics), how.topics, max(FEWEST_TOPICS, round(how.share * len(topics))))
    kept = np.sort(random.choice(len(topics), n, replace=False))
    half = whole.on(topics[at] for at in kept.tolist())
    n_runs = min(how.runs, len(half.runs.names))
    chosen = np.sort(random.choice(len(half.runs.names), n_runs, replace=False))
    half = replace(half, runs=half.runs.only(chosen))
    known = half.judgments
    everything = np.ones(len(known.grade), np.bool_)
    answers = Judgments(known.pairs, everything, known.grade, max_grade=known.max_grade)
    diverse = setup_of(half, source) if subtopics else None
    return CollectionPart(half.runs, answers, int(random.integers(1 << 31)), diverse)


def forget() -> None:
    """Let go of what was read."""
    for kept in (collection_of, part_of):
        kept.cache_clear()


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
        """The noisy judges to ask with, one after the other; None for none at all."""
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
    """Labels by noisy judges that a collection's folder has."""
    files = sorted((Path(source) / "judges").glob("*.qrels*"))
    return tuple(str(file) for file in files if not is_side_file(file))


class Entrant(Named):
    """A frozen dataclass with fields as parameters; a subclass answers.

    `tasks` names those it takes part in. `version` changes when its answers do: what was played
    with another is played again. `developed_on` names the collections that its authors looked at
    while they made it. An entrant that cannot answer a question raises a ValueError that says why,
    and is left out there. One that goes `on_and_on` picks what to judge without a thought of the
    budget: on its way to a large one it answers the smaller ones, and nothing is done twice.
    """

    tasks: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "1"
    on_and_on: ClassVar[bool] = False
    name_in_tables: ClassVar[str] = ""

    @property
    def title(self) -> str:
        """What the tables call it."""
        return self.name_in_tables or str(self)

    @property
    def developed_on(self) -> tuple[str, ...]:
        """Names of collections."""
        return ()

    @classmethod
    def variants(cls) -> list[Self]:
        """Those that take part: one, without parameters, unless it says otherwise."""
        return [cls()]

    @abstractmethod
    def answer(self, question: Question) -> Reply:
        """The mean scores of the runs asked about, and what it knows of their error."""

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """The answers to questions that differ only in their budgets, the smallest first."""
        for question in questions:
            yield self.answer(question)


entrants: Registry[Entrant] = Registry("entrant", "leadline.lab.benchmark.entrants")


@lru_cache(maxsize=32)
def load_entrants(file: str) -> tuple[type[Entrant], ...]:
    """The entrants that a Python file registers; a ValueError if it has none or cannot be run."""
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file of an entrant")
    name = f"leadline_entrant_{digest([str(path.resolve()).encode()])}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: an entrant is a Python file, whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path}: cannot be run: {type(error).__name__}: {error}") from error
    found = tuple(cls for cls in entrants.classes().values() if cls.__module__ == name)
    if not found:
        raise ValueError(
            f"{path}: registers no entrant: write @entrants.register above a class of Entrant, see "
            "docs/how-to/benchmark.md"
        )
    return found


def entrants_of(task: str, files: tuple[str, ...] = ()) -> list[Entrant]:
    """Everybody who takes part in a task, by title."""
    for file in files:
        load_entrants(file)
    everybody = [each for cls in entrants.classes().values() for each in cls.variants()]
    return sorted((each for each in everybody if task in each.tasks), key=lambda each: each.title)


N_BEST = 20
"""Differences are those among so many of the truly best runs."""

FEWEST_RUNS = 5
"""Fewer runs have no order to speak of."""

LEVEL = 0.05
TOP = 5

FIGURES = (
    "rmse",
    "bias",
    "tau",
    "coverage",
    "width",
    "regret",
    "tau_ap",
    "regret_five",
    "gap_rmse",
    "gap_coverage",
    "list_rmse",
    "list_bias",
    "significance_kept",
)
"""rmse, bias: of the mean scores. tau, tau_ap: of the order of the runs. coverage, width: of 95%
intervals of means. regret: how much worse the run named best is than the best; regret_five: the
mean of the five named against that of the best five. gap_*: of differences among the best runs.
list_*: of single lists. significance_kept: the share of pairs of which a t-test says the same."""


def figures(answer: Reply, truth: Truth) -> dict[str, float | None]:
    """Every figure by name; None where the answer does not tell.

    >>> answer = Reply(np.array([0.5, 0.2]), np.array([0.4, 0.1]), np.array([0.6, 0.3]))
    >>> found = figures(answer, Truth(np.array([0.3, 0.2]), np.array([[0.3], [0.2]])))
    >>> [round(found[name], 3) for name in ("rmse", "bias", "coverage", "width", "regret")]
    [0.141, 0.1, 0.5, 0.2, 0.0]
    """
    off = answer.value - truth.value
    found: dict[str, float] = {}
    if not answer.own_scale:
        found |= {"rmse": _root(off), "bias": float(off.mean())}
    if len(off) >= FEWEST_RUNS:
        found["tau"] = kendall(answer.value, truth.value)
        found["tau_ap"] = tau_ap(truth.value, answer.value)
        found["regret_five"] = _regret(answer, truth, TOP)
    if len(off) > 1:
        found["regret"] = _regret(answer, truth, 1)
        best = np.argsort(-truth.value, kind="stable")[:N_BEST]
        first, second = (best[side] for side in np.triu_indices(len(best), 1))
        gap = off[first] - off[second]
        if not answer.own_scale:
            found["gap_rmse"] = _root(gap)
        if answer.gap_margin is not None:
            found["gap_coverage"] = _held(gap, answer.gap_margin[first, second])
        if answer.by_topic is not None and truth.by_topic.shape[1] > 1:
            found["significance_kept"] = _kept(answer.by_topic, truth.by_topic, first, second)
    if answer.lower is not None and answer.upper is not None:
        slack = 1e-12
        held = (answer.lower <= truth.value + slack) & (truth.value <= answer.upper + slack)
        found["coverage"] = float(held.mean())
        found["width"] = float((answer.upper - answer.lower).mean())
    if answer.by_topic is not None and not answer.own_scale:
        of_lists = (answer.by_topic - truth.by_topic)[~np.isnan(truth.by_topic)]
        found["list_rmse"], found["list_bias"] = _root(of_lists), float(np.nanmean(of_lists))
    # JSON has no NaN.
    return {name: found[name] if np.isfinite(found.get(name, np.nan)) else None for name in FIGURES}


def _root(off: Floats) -> float:
    return float(np.sqrt(np.nanmean(off**2)))


def _held(off: Floats, margin: Floats) -> float:
    return float((np.abs(off) <= margin + 1e-12).mean())


def _regret(answer: Reply, truth: Truth, k: int) -> float:
    """What the k runs that are named fall short of the k best, on average.

    Runs that the answer has equal are named with equal chances: the mean over all ways is told.
    """
    value = np.round(answer.value, 12)
    last = np.sort(value)[-k]
    sure, tied = value > last, value == last
    share = (k - sure.sum()) / tied.sum()
    named = truth.value[sure].sum() + share * truth.value[tied].sum()
    # Sums in another order differ in the last digits.
    return max(0.0, round(float((np.sort(truth.value)[-k:].sum() - named) / k), 12))


def _kept(told: Floats, true: Floats, first: Int64s, second: Int64s) -> float:
    """The share of pairs on which a t-test over topics says the same: better, worse or neither."""
    said, right = (_verdicts(scores, first, second) for scores in (told, true))
    return float((said == right).mean())


def _verdicts(scores: Floats, first: Int64s, second: Int64s) -> Floats:
    difference = scores[first] - scores[second]
    p = tests.parse(DEFAULT_TEST).p(difference, 2, np.random.default_rng(0))
    verdict: Floats = np.where(p <= LEVEL, np.sign(np.nanmean(difference, axis=1)), 0.0)
    return verdict
