"""What every measure is: lists in, scores with bounds out; gains of grades, weights of ranks."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain
from typing import Any, ClassVar, Literal

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.lists import Block, Lists, cells_of, sketch
from leadline.data.scores import OverTopics, Scores
from leadline.measures.names import (
    ABSENT,
    SYNONYMS,
    canonical,
    expanded,
    ir_measures_name,
    is_spelled,
    separated,
    set_parameters,
    spelled,
)
from leadline.registry import Named, Registry

STEEPEST = 500
"""The best grade for exponential gains: sums of squares of 2^g stay below the largest double."""

BEST_GRADE = 32767
"""Grades have 16 bits."""

Gains = Literal["binary", "grade", "exp2", "linear", "exp2_scaled"] | tuple[tuple[int, float], ...]
"""A rule by name, or (grade, gain) for some grades, the others taking the next lower one's gain."""


def gain_table(gains: Gains, rel: int, max_grade: int) -> Floats:
    """The gain of every grade from 0 to `max_grade`; 0 below `rel`, and never falling.

    binary: 1; grade: g; exp2: 2^g - 1; linear: g / max_grade;
    exp2_scaled: (2^g - 1) / 2^max_grade

    >>> gain_table("exp2", 1, 3).tolist()
    [0.0, 1.0, 3.0, 7.0]
    >>> gain_table(((1, 0.5), (3, 1.0)), 1, 3).tolist()
    [0.0, 0.5, 0.5, 1.0]
    """
    if gains in ("exp2", "exp2_scaled") and max_grade > STEEPEST:
        raise ValueError(
            f"2^g of grade {max_grade} is too large a gain, {STEEPEST} is the best grade for it: "
            "read it as a smaller one with `map_grades`, or choose other gains, for instance "
            "gains=linear"
        )
    grade = np.arange(max_grade + 1, dtype=np.float64)
    match gains:
        case "binary":
            table = np.ones_like(grade)
        case "grade":
            table = grade
        case "exp2":
            table = np.exp2(grade) - 1
        case "linear":
            table = grade / max_grade
        case "exp2_scaled":
            table = (np.exp2(grade) - 1) / np.exp2(max_grade)
        case pairs:
            table = np.zeros_like(grade)
            for least, gain in sorted(pairs):
                table[grade >= least] = gain
    table = np.where((grade >= rel) & (grade > 0), table, 0.0)
    if (np.diff(table) < 0).any():
        raise ValueError(f"a better grade must not have a smaller gain: {gains}")
    return table


def check_gains(gains: Gains) -> None:
    """A ValueError if the gains given by hand fall, repeat a grade or are negative."""
    if isinstance(gains, str):
        return
    grades = [grade for grade, _ in gains]
    values = [gain for _, gain in sorted(gains)]
    if not gains or len(set(grades)) != len(grades) or min(grades) < 1:
        raise ValueError("gains need (grade, gain) for different grades of 1 or more")
    if values != sorted(values) or values[0] < 0:
        raise ValueError(f"gains must not be negative and must not fall with the grade: {values}")


def scale(max_grade: int | None, known: int, rel: int) -> int:
    """The top of the grade scale: as a measure names it, else as the judgments do.

    It reaches `rel` at least: an unjudged document may be the first that is relevant.
    """
    if max_grade is None:
        return max(known, rel)
    if max_grade < known:
        raise ValueError(f"max_grade={max_grade}, but the judgments go up to {known}")
    return max_grade


def at_least(counts: Int64s, max_grade: int) -> Int64s:
    """[lists, max_grade + 1]: judged documents with each grade or a better one."""
    reached: Int64s = np.zeros((len(counts), max_grade + 1), np.int64)
    reached[:, : counts.shape[1]] = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    return reached


DEEPEST = 1_000_000
"""No list is longer, and weights are made for every rank down to the depth."""


Interval = tuple[Floats, Floats, Floats]
"""Value, lower end, upper end: one number a list."""


class Measure(Named):
    """A frozen dataclass with fields as parameters; a subclass says what a block of lists scores.

    `needs` tells what must be known of the documents: a measure that needs the sampling is given
    lists that tell how the judged documents were drawn. `bounded` is false for measures that have
    no interval. `counts` tells of a plain count which relevant documents it counts: those of the
    list or all of the topic. `over_topics` is what the row `all` has of it.
    """

    at: ClassVar[str | None] = "k"
    needs: ClassVar[Literal["judgments", "sampling", "subtopics", "documents"]] = "judgments"
    bounded: ClassVar[bool] = True
    counts: ClassVar[Literal["list", "topic"] | None] = None
    over_topics: ClassVar[OverTopics] = "mean"
    judged_only = False

    def __post_init__(self) -> None:
        """A ValueError if a depth, a least relevant grade or gains make no sense."""
        if self.depth is not None and not 1 <= self.depth <= DEEPEST:
            raise ValueError(f"the depth must be between 1 and {DEEPEST:,}, not {self.depth}")
        rel: int = getattr(self, "rel", 1)
        if rel < 1:
            raise ValueError(f"rel, the least relevant grade, must be at least 1, not {rel}")
        top: int | None = getattr(self, "max_grade", None)
        for name, grade in (("rel", rel), ("max_grade", top or 0)):
            if grade > BEST_GRADE:
                raise ValueError(f"{name}={grade}, but grades go no further than {BEST_GRADE}")
        check_gains(getattr(self, "gains", "binary"))

    @property
    def depth(self) -> int | None:
        """The last rank it looks at; None if it looks at all of them."""
        depth: int | None = getattr(self, "k", None)
        return depth

    @property
    def last_rank(self) -> int | None:
        """The last rank of a list that can matter to it; None if all may.

        Without unjudged documents those below move up.
        """
        whole = self.needs != "judgments" or getattr(self, "judged_only", False)
        return None if whole else self.depth

    @property
    def numerator(self) -> "Weighted | None":
        """The sum of weights and gains that it is, or is a share of; None if there is none."""
        return None

    @property
    def averaged(self) -> "Weighted | None":
        """P@k, if it is the mean of that at relevant ranks of the first k; None if it is not."""
        return None

    def ideals(self, counts: Int64s, max_grade: int) -> tuple[Floats, float]:
        """What the numerator is divided by: by topic as judged so far, and the most it can become.

        `counts` [topics, grades] are the judged documents. It never falls when more is judged, and
        is the same for all runs; 1 for a measure that is its own numerator.
        """
        return np.ones(len(counts)), 1.0

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Value, lower and upper of each list in the block.

        Measures that see more than grades have their own `score` instead.
        """
        raise NotImplementedError(f"{type(self).__name__} is not scored by grades alone")

    def score(self, lists: Lists) -> Scores:
        """The score of every run on every topic; on condensed lists there is no interval."""
        value, lower, upper, judged = (np.full(lists.start.size, np.nan) for _ in range(4))
        for block in lists.blocks(self.depth):
            judged[block.row] = self.share_judged(block)
            if not self.judged_only:
                value[block.row], lower[block.row], upper[block.row] = self.interval(
                    block, lists.max_grade
                )
        if self.judged_only:
            for block in lists.condensed().blocks(self.depth):
                value[block.row] = self.interval(block, lists.max_grade)[0]
        if self.judged_only or not self.bounded:
            lower[:] = upper[:] = np.nan
        return Scores.of_lists(
            lists, str(self), value, judged, lower, upper, over_topics=self.over_topics
        )

    def share_judged(self, block: Block) -> Floats:
        """The share of the depth, or of the list where there is none, that was judged."""
        ranks = block.length.astype(np.float64)
        ranks[:] = np.where(ranks > 0, ranks, np.nan) if self.depth is None else self.depth
        share: Floats = block.n_judged / ranks
        return share

    def sketch(self, ranking: str, elsewhere: str = "", max_grade: int | None = None) -> str:
        """Score and interval of one list given by its grades: see `leadline.data.lists.sketch`."""
        return self.example(sketch(ranking, elsewhere, max_grade))

    def example(self, lists: Lists) -> str:
        """Score and interval of the first of the lists, as examples show them."""
        scores = self.score(lists)
        value, lower, upper = (
            float(array[0, 0]) for array in (scores.value, scores.lower, scores.upper)
        )
        return f"{value:.4f}" + ("" if np.isnan(lower) else f" [{lower:.4f}, {upper:.4f}]")


measures: Registry[Measure] = Registry(
    "measure",
    "leadline.measures",
    canonical,
    synonyms=SYNONYMS,
    absent=ABSENT,
)


DEFAULT_MEASURES = ("RBP(p=0.8)", "nDCG@10", "P@10")
"""What every verb takes where no measure is named, as far as it can score by them."""

WEIGHTED_MEASURES = ("RBP(p=0.8)", "P@10")
"""Those of them that are sums of weights and gains, for verbs that estimate gains."""

MeasureNames = str | Measure | Iterable[str | Measure] | None
"""One name or several, or measures of Leadline or ir_measures; None for the default ones."""


def parse_measure(name: object) -> Measure:
    """The measure that a name stands for, in our spelling or that of trec_eval or ir_measures.

    Measures of ir_measures are taken by their name, those of Leadline as they are.

    >>> str(parse_measure("ndcg_cut_10"))
    'nDCG@10'
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str) and not hasattr(name, "SUPPORTED_PARAMS"):
        raise TypeError(f"a measure is named by text, 'AP' for instance, not by {name!r}")
    if not isinstance(name, str):
        name = ir_measures_name(name)
    several = expanded(str(name))
    if len(several) > 1:
        raise ValueError(f"{name} stands for {len(several)} measures: name the one that you mean")
    return measures.parse(str(name))


NOT_WEIGHTED = (
    "is no sum of weights and gains, nor a share of one: RBP(p=0.8), P@10, DCG@10, SDCG@10 and "
    "nDCG@10 are, for instance"
)
"""Why a measure will not do where ranks are to be weighed, and which ones will."""


def parse_numerator(name: object) -> "Weighted":
    """The sum of weights and gains that a measure is, or is a share of; a ValueError if none."""
    weighted = parse_measure(name).numerator
    if weighted is None:
        raise ValueError(f"{name} {NOT_WEIGHTED}")
    return weighted


def last_rank(measures: Iterable[Measure]) -> int | None:
    """The last rank of a list that can matter to some of these measures; None if all may."""
    ranks = [measure.last_rank for measure in measures]
    return max((rank for rank in ranks if rank is not None), default=None) if all(ranks) else None


def parse_measures(
    names: MeasureNames = None, default: tuple[str, ...] = DEFAULT_MEASURES
) -> tuple[Measure, ...]:
    """The measures that names stand for, each once; the default ones for None.

    A name may stand for several, as trec_eval has them, and a text may hold several names.

    >>> [str(measure) for measure in parse_measures(["map", "AP,P.5,10", "RR"])]
    ['AP', 'P@5', 'P@10', 'RR']
    """
    if names is None:
        names = default
    several = isinstance(names, Iterable) and not isinstance(names, str)
    given: Iterable[object] = names if several else [names]  # type: ignore[assignment]
    by_name: dict[str, Measure] = {}
    apart = (separated(each) if isinstance(each, str) else [each] for each in given)
    for name in chain.from_iterable(apart):
        with_parameters = set_parameters(name) if isinstance(name, str) else None
        if with_parameters is not None:
            by_name |= {str(each): each for each in _set_members(*with_parameters)}
            continue
        for each in expanded(name) if isinstance(name, str) else [name]:
            measure = parse_measure(each)
            by_name[str(measure)] = measure
    if not by_name:
        raise ValueError("name a measure, for instance RBP(p=0.8)")
    return tuple(by_name.values())


def _set_members(nickname: str, parameters: dict[str, object]) -> Iterator[Measure]:
    """Yield the measures of a set of trec_eval, each with those parameters that it has.

    As by trec_eval's -l, the least relevant grade does not change nDCG.
    """
    members: list[Any] = [parse_measure(each) for each in expanded(nickname)]
    known = {field.name for each in members for field in fields(each)}
    for name in parameters.keys() - (known - {"k", "recall"}):
        raise ValueError(f"no measure of {nickname} has a parameter {name}")
    for each in members:
        kept = {field.name for field in fields(each)}
        kept -= {"rel"} if type(each).__name__ == "nDCG" else set()
        changed: dict[str, Any] = {
            name: value for name, value in parameters.items() if name in kept
        }
        # Through its name, which checks the values.
        yield parse_measure(str(replace(each, **changed)))


_PRINTED_ALIKE = ("rel", "judged_only", "rounding", "docs")


def trec_eval_names(names: Iterable[str]) -> list[str]:
    """Return what trec_eval calls these measures; ours where it has no name.

    Its names leave out what its options -l, -J and -N set, unless two would be called the same.

    >>> trec_eval_names(["P(rel=2)@5", "nDCG@10"])
    ['P_5', 'ndcg_cut_10']
    """
    called = []
    for name in names:
        measure: Any = parse_measure(name)
        usual = {field.name: field.default for field in fields(measure)}
        changed: dict[str, Any] = {each: usual[each] for each in _PRINTED_ALIKE if each in usual}
        if getattr(measure, "c", 0) or getattr(measure, "d", 0):
            changed.pop("docs", None)
        plain = str(replace(measure, **changed))
        called.append(spelled(plain if is_spelled(plain) else str(measure)))
    counts = Counter(called)
    return [
        each if counts[each] == 1 else str(parse_measure(name))
        for each, name in zip(called, names, strict=True)
    ]


_SCORED_FROM = {"subtopics": "judgments per subtopic", "documents": "the documents' texts"}


def refuse_beyond_grades(measures: Iterable[Measure], verb: str) -> None:
    """Raise a ValueError, by name, for a measure that needs more than grades of documents."""
    for measure in measures:
        if measure.needs in _SCORED_FROM:
            raise ValueError(
                f"{measure} is scored from {_SCORED_FROM[measure.needs]}, which leadline {verb} "
                "does not read: take leadline evaluate or compare, or another measure here, "
                "nDCG@10 for instance"
            )


class Weighted(Measure):
    """score = sum over ranks of weight(rank) * gain(document).

    An unjudged document may have any gain from 0 to the largest, independently of all others, so
    the score lies between sum(weight * known gain) and that plus the largest gain times the weight
    of all open ranks: those with unjudged documents, and the tail beyond the list's end.
    """

    gains: Gains = "binary"
    rel: int = 1
    max_grade: int | None = None

    @property
    def numerator(self) -> "Weighted":
        """Itself."""
        return self

    @abstractmethod
    def weights(self, n: int) -> Floats:
        """Weights of ranks 1 to n."""

    def tail(self, n: Int64s) -> Floats:
        """Weight that stays open beyond the end of lists of n documents."""
        return np.zeros(len(n))

    def gain(self, max_grade: int) -> Floats:
        """The gain of each grade."""
        return gain_table(self.gains, self.rel, scale(self.max_grade, max_grade, self.rel))

    def interval(self, block: Block, max_grade: int) -> Interval:
        """Known gain, and that plus what the open ranks could still bring."""
        gain = self.gain(max_grade)
        weights = self.weights(block.judged.shape[1])
        base = graded_sums(block, gain, weights)
        open_ = open_sums(block, weights) + self.tail(block.length)
        return base, base, base + gain.max() * open_


def open_sums(block: Block, weights: Floats) -> Floats:
    """The weight of each list's ranks that hold unjudged documents.

    Where most are unjudged, what all ranks weigh without the judged ones: which way is taken
    depends on the list alone, so that its company never changes the last digit.
    """
    mostly = 2 * block.n_judged <= block.length
    if not mostly.any():
        return row_sums(block.unjudged, weights)
    row, column, _ = block.cells
    closed = np.bincount(row, weights=weights[column], minlength=len(mostly))
    whole = np.concatenate([[0.0], np.cumsum(weights)])[block.length]
    if mostly.all():
        rest: Floats = whole - closed
        return rest
    return np.where(mostly, whole - closed, row_sums(block.unjudged, weights))


def graded_sums(block: Block, gain: Floats, weights: Floats) -> Floats:
    """Sum over each list's judged documents of gain * weight."""
    row, column, grade = block.cells
    sums = np.bincount(row, weights=gain[grade] * weights[column], minlength=len(block.length))
    return sums.astype(np.float64, copy=False)


def row_sums(mask: Bools, weights: Floats) -> Floats:
    """Sum of the weights of each row's cells that are in the mask.

    Added up from left to right, so that padding, and so the company a list is in, never changes
    the last digit.
    """
    if weights.ndim == 1 and 8 * np.count_nonzero(mask) > mask.size:
        # The same sum in the same order, faster where most cells are in the mask.
        dense: Floats = (mask * weights).cumsum(axis=1)[:, -1]
        return dense
    row, column = cells_of(mask)
    chosen = weights[column] if weights.ndim == 1 else weights[row, column]
    sums = np.bincount(row, weights=chosen, minlength=len(mask))
    # Of nothing, numpy makes whole numbers.
    return sums.astype(np.float64, copy=False)
