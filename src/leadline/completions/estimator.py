"""What every estimator is, the evidence it learns from, the gains and scores it gives."""

from abc import abstractmethod
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from leadline.completions.drawn_scores import DrawnScores, drawable
from leadline.data.arrays import Bools, Floats, Int32s, Int64s, freeze, frozen
from leadline.data.documents import WordCounts
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.pool import Pool, pool_depth
from leadline.data.runs import Postings, Runs
from leadline.data.scores import Scores
from leadline.io.parallel import Alone, current_workforce
from leadline.io.problems import Progress
from leadline.measures.measure import Measure, Weighted
from leadline.pooling.strategies import pools
from leadline.pooling.without import BestRanks
from leadline.registry import Named, NamingError, Registry, other_names

if TYPE_CHECKING:
    from leadline.completions.anytime import AnytimeScores


@dataclass(frozen=True, eq=False)
class EstimatedGains:
    """A gain for every entry of the runs, in the measure's own gains.

    `gain` is aligned with `runs.pair`: what is judged keeps its gain. `tail` [runs, topics] is the
    gain of a unit of weight beyond the end of a list. `standard_error` [runs, topics] is that of
    the score, where the method knows one; `of_mean` the mean scores, where these are estimated as
    a whole. `doubts` are the reasons not to rely on any of it. `anytime` has the anytime-valid
    intervals of a sample drawn in batches.
    """

    remarks: ClassVar[tuple[str, ...]] = ()

    evidence: "TrainingData"
    gain: Floats
    tail: Floats
    standard_error: Floats | None = None
    of_mean: MeanEstimate | None = None
    doubts: tuple[str, ...] = ()
    anytime: "AnytimeScores | None" = None

    def __post_init__(self) -> None:
        runs = self.evidence.runs
        object.__setattr__(self, "gain", frozen(self.gain, np.float64, runs.pair.shape, "gain"))
        for name in ("tail", "standard_error"):
            if getattr(self, name) is not None:
                array = frozen(getattr(self, name), np.float64, runs.start.shape, name)
                object.__setattr__(self, name, array)

    def scores(self, name: str, measure: Weighted | None = None) -> Scores:
        """Scores with every gain as estimated, inside the interval that is certain.

        The measure need not be the one that the gains were estimated with; the standard error is
        of that one alone. `name` tells how the scores were obtained.
        """
        evidence = self.evidence
        error, of_mean = self.standard_error, self.of_mean
        if measure is not None and measure != evidence.measure:
            evidence, error, of_mean = evidence.but(measure=measure), None, None
        if evidence.weighted.judged_only:
            raise ValueError(
                f"{measure} leaves unjudged documents out: there is nothing to estimate"
            )
        certain = evidence.weighted.score(Lists.of(evidence.runs, evidence.judgments))
        value = evidence.weighted_sums(self.gain) + evidence.tail_weight * self.tail
        return certain.estimated(value, name, error, of_mean)


@dataclass(frozen=True, eq=False)
class PooledRuns:
    """The runs of a mask, in the order of their names: the order they came in changes nothing.

    `kept` holds what methods work out from the ranks, so that many judgments can share it.
    """

    everyone: Runs
    mask: Bools
    kept: dict[Any, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.mask.sum())

    @cached_property
    def _chosen(self) -> Bools:
        """The mask over the runs in the order of their names; a ValueError if it is of none."""
        if self.mask.shape != (len(self.everyone.names),) or not self.mask.any():
            raise ValueError("at least one of the runs must be a contributing one")
        chosen = {self.everyone.names[run] for run in np.flatnonzero(self.mask)}
        return np.array([name in chosen for name in self.everyone.by_name.names], np.bool_)

    @cached_property
    def runs(self) -> Runs:
        """Themselves."""
        ordered = self.everyone.by_name
        return ordered if self._chosen.all() else ordered.only(self._chosen)

    def top(self, depth: int) -> Runs:
        """Their lists cut to a depth; cheaper than cutting all of `runs`."""
        return self.everyone.by_name.only(self._chosen, depth)

    @cached_property
    def group(self) -> tuple[str, ...]:
        """The group of each."""
        group = self.everyone.by_name.group
        return tuple(group[run] for run in np.flatnonzero(self._chosen))

    @cached_property
    def postings(self) -> Postings:
        """Who returns a pair, and where."""
        postings = self.everyone.by_name.postings
        return postings if self._chosen.all() else postings.by(self._chosen)

    def postings_of(self, pairs: Int64s) -> Postings:
        """The same of some pairs, without a look at the others."""
        postings = self.everyone.by_name.postings.of(pairs)
        return postings if self._chosen.all() else postings.by(self._chosen)

    def best_ranks(self, depth: int) -> BestRanks:
        """The best rank of every pair down to a depth, who has it there, and the best of others."""
        return BestRanks.of(self.top(depth), np.arange(len(self)))

    @cached_property
    def deepest(self) -> int:
        """The length of the longest list."""
        return int(self.everyone.length[self.mask].max(initial=1))

    def mean_gain(self, gain: Floats, depth: int) -> Floats:
        """[topics, depth]: mean gain at each rank over the runs; what is not there counts 0."""
        top = self.top(depth)
        cell = top.entries.topic.astype(np.int64) * depth + top.entries.rank - 1
        n_topics = len(top.pairs.topics)
        total = np.bincount(cell, gain[top.pair], n_topics * depth)
        mean: Floats = total.reshape(n_topics, depth) / len(self)
        return mean

    def ranks_of(self, pairs: Int64s) -> Int32s:
        """[pairs, runs]: the rank of each pair in each run, 0 where it is not returned."""
        postings = self.postings.of(pairs)
        table = np.zeros((len(pairs), len(self)), np.int32)
        table[postings.pair, postings.run] = postings.rank
        return table


TOGETHER = 1 << 17
"""Entries of lists whose temporaries are held at once."""


@dataclass(frozen=True, eq=False)
class TrainingData:
    """All that an estimator or an adjuster may know, with what follows from it.

    `judgments` are those that are known, `pool` how they were chosen. Only `contributing` runs, all
    without it, teach anything: the others are scored by what these say. `words` has what the
    documents say, in the order of `runs.pairs.docs`, for an estimator that `reads`.
    """

    measure: Measure
    runs: Runs
    judgments: Judgments
    pool: Pool | None = None
    contributing: Bools | None = None
    words: WordCounts | None = None

    def but(self, **changes: Any) -> Self:
        """Evidence with some of it changed; what follows from the ranks alone is not lost."""
        changed = replace(self, **changes)
        if not {"runs", "contributing"} & changes.keys():
            changed.__dict__["pooled_runs"] = self.pooled_runs
        return changed

    @cached_property
    def pooled_runs(self) -> PooledRuns:
        """The runs that teach."""
        everyone = np.ones(len(self.runs.names), np.bool_)
        mask = everyone if self.contributing is None else np.asarray(self.contributing, np.bool_)
        return PooledRuns(self.runs, mask)

    @property
    def weighted(self) -> Weighted:
        """The measure; a ValueError if it is no sum of weights and gains."""
        if isinstance(self.measure, Weighted):
            return self.measure
        raise ValueError(
            f"{self.measure} is no sum of weights and gains, so gains of single documents cannot "
            "be estimated for it: take RBP, P@k, DCG@k or SDCG@k"
        )

    @cached_property
    def depth(self) -> int:
        """The depth to which everything that contributing runs return was judged.

        As the pool's strategy names it; else the last rank down to which all documents are members
        of the pool with certainty, or, without a pool, what the judgments tell.
        """
        pool, runs = self.pool, self.pooled_runs.runs
        if pool is None:
            depth = pool_depth(runs, self.judgments)
        else:
            outside = ~(pool.member & (pool.inclusion == 1.0))[runs.pair]
            first = runs.entries.rank[outside].min(initial=self.pooled_runs.deepest + 1)
            depth = _named_depth(pool.strategy) or int(first) - 1
        if not depth:
            raise ValueError(
                "not even the first documents of the contributing runs are all judged, so there "
                "is no depth from which to learn how gain falls with rank: give the depth of the "
                "pool"
            )
        return depth

    @cached_property
    def gain_table(self) -> Floats:
        """The gain of each grade."""
        return self.weighted.gain(self.judgments.max_grade)

    @property
    def max_gain(self) -> float:
        """The largest gain there is."""
        return float(self.gain_table.max())

    @cached_property
    def known_gain(self) -> Floats:
        """The gain of every pair, 0 where it was not judged."""
        gain: Floats = self.gain_table[: self.judgments.max_grade + 1][self.judgments.grade]
        return gain

    @cached_property
    def judged(self) -> Bools:
        """Whether the document of every entry was judged."""
        judged: Bools = self.judgments.judged[self.runs.pair]
        return judged

    @cached_property
    def weight(self) -> Floats:
        """The weight of every entry's rank."""
        rank = self.runs.entries.rank
        weight: Floats = self.weighted.weights(int(rank.max(initial=1)))[rank - 1]
        return weight

    @cached_property
    def tail_weight(self) -> Floats:
        """[runs, topics]: the weight that stays open beyond the end of each list."""
        length = self.runs.length
        return self.weighted.tail(length.ravel()).reshape(length.shape)

    def list_sums(self, amount: Floats) -> Floats:
        """[runs, topics]: the sum of an amount over the entries of each list."""
        shape = self.runs.start.shape
        sums = np.bincount(self.runs.entries.list, amount, self.runs.start.size)
        return sums.astype(np.float64, copy=False).reshape(shape)

    def weighted_sums(self, gain: Floats) -> Floats:
        """[runs, topics]: the sum of weight times gain over the entries of each list."""
        length, start = self.runs.length.ravel(), self.runs.start.ravel()
        weights = self.weighted.weights(int(length.max(initial=1)))
        sums = np.zeros(len(length))
        for lists, entries in self.runs.segments(TOGETHER):
            of = np.repeat(np.arange(len(length[lists])), length[lists])
            rank = np.arange(entries.start, entries.stop) - start[lists][of]
            sums[lists] = np.bincount(of, weights[rank] * gain[entries], len(length[lists]))
        return sums.reshape(self.runs.length.shape)

    def filled(
        self,
        guess: Floats | float,
        tail: Floats | float = 0.0,
        standard_error: Floats | None = None,
    ) -> EstimatedGains:
        """What is judged keeps its gain, everything else takes the guess made for its entry.

        One number is the guess for all.
        """
        # Not by way of `known_gain`, which has a number for every pair.
        gain = self.gain_table[: self.judgments.max_grade + 1][self.judgments.grade[self.runs.pair]]
        np.clip(guess, 0.0, self.max_gain, out=gain, where=~self.judged)
        wide = np.broadcast_to(np.clip(tail, 0.0, self.max_gain), self.runs.start.shape)
        return EstimatedGains(self, gain, wide, standard_error)


def _named_depth(strategy: str) -> int | None:
    try:
        layers = pools.parse(strategy).layers
    except NamingError:
        return None
    whole = takewhile(lambda layer: layer[1] == 1, layers)
    return sum(size for size, _ in whole) or None


@dataclass(frozen=True, eq=False)
class EstimatedRatios:
    """value [runs, topics] by the model, and the mean scores corrected by what was drawn.

    `doubts` are the reasons not to rely on any of it.
    """

    evidence: "TrainingData"
    value: Floats
    of_mean: MeanEstimate
    doubts: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the scores are divided by, which is not all that `evaluate` divides by."""
        return (
            f"{self.evidence.measure} is divided by what documents could give that some run has "
            "where it looks: only these could be drawn. `evaluate` counts all judged documents, so "
            "its scores are lower where people found more elsewhere",
        )

    def __post_init__(self) -> None:
        freeze(self, np.float64, self.evidence.runs.start.shape, "value")

    def scores(self, name: str) -> Scores:
        """Scores inside the interval that is certain; `name` tells how they were obtained."""
        evidence = self.evidence
        certain = evidence.measure.score(Lists.of(evidence.runs, evidence.judgments))
        return certain.estimated(self.value, name, None, self.of_mean)


class Estimator(Named):
    """A frozen dataclass with fields as parameters; a subclass says what unjudged documents gain.

    Gains lie between 0 and the largest gain of the measure, so estimates lie in the interval that
    is certain. `theta` is the gamma up to which a topic is left as it is, None where a method has
    no such threshold. `by_residual` tells of a method that gives all that is open in a list the
    same gain, so that what lies beyond its end counts as much as what stands in it. `needs_labels`
    tells of one that lives by the labels by noisy judges, `joint` of one that draws one grade per
    document, so that ranks of unpooled runs count too, `any_measure` of one that estimates nDCG, AP
    and others too that are no sum of weights and gains.
    """

    theta: float | None = None
    by_residual: ClassVar[bool] = False
    needs_labels: ClassVar[bool] = False
    any_measure: ClassVar[bool] = False
    joint: ClassVar[bool] = False

    @property
    def reads(self) -> bool:
        """Whether it needs the words of the documents."""
        return False

    @abstractmethod
    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """A gain for every entry of `evidence.runs`, with the scores' error if it is known."""

    def drawn(self, evidence: TrainingData) -> DrawnScores | EstimatedRatios:
        """Scores as they might be, of any measure that has an interval."""
        able = [name for name, each in estimators.classes().items() if each.any_measure]
        raise ValueError(
            f"{evidence.measure} is no sum of weights and gains, and {self} gives gains of single "
            f"documents only: {', '.join(able)} estimate it; {self} estimates RBP, P@k, DCG@k and "
            "SDCG@k"
        )

    def estimated(self, evidence: TrainingData) -> EstimatedGains | DrawnScores | EstimatedRatios:
        """Gains for a weighted measure, scores as they might be for any other."""
        measure = evidence.measure
        if measure.judged_only:
            raise ValueError(
                f"{measure} leaves unjudged documents out: there is nothing to estimate"
            )
        if isinstance(measure, Weighted):
            return self.gains(evidence)
        if not drawable(measure):
            raise ValueError(
                f"{measure} has no interval by judgments alone, so it cannot be estimated: take "
                "nDCG@k, AP, Recall@k, RR, ERR@k, RBP, P@k, DCG@k or SDCG@k for instance"
            )
        return self.drawn(evidence)


estimators: Registry[Estimator] = Registry(
    "estimator",
    "leadline.completions",
    other_names({"LB": "LowerBound", "UB": "UpperBound", "RM": "ListMean"}),
)


Estimated = EstimatedGains | DrawnScores | EstimatedRatios


def estimate_each(
    evidence: TrainingData,
    cells: list[tuple[Measure, Estimator]],
    progress: Progress | None = None,
) -> list[tuple[Estimated, Scores]]:
    """What each estimator gives for its measure, and the scores that follow."""
    force = current_workforce()
    one = _Estimating(evidence, isinstance(force, Alone))
    each: list[tuple[Estimated, Scores]] = []
    with closing(force.in_order(_estimated, one, cells)) as coming:
        for (measure, _), (estimated, scores) in zip(cells, coming, strict=True):
            if isinstance(estimated, tuple):
                kind, given = estimated
                estimated = kind(evidence=one.on(measure), **given)
            each.append((estimated, scores))
            if progress is not None:
                progress(len(each), len(cells))
    return each


class _Estimating:
    """Evidence for one measure after the other; `here` if what comes of it need not travel."""

    def __init__(self, evidence: TrainingData, here: bool) -> None:
        self.evidence, self.here = evidence, here

    def on(self, measure: Measure) -> TrainingData:
        """The evidence for this measure, the same as before if that was asked for last."""
        if measure != self.evidence.measure:
            self.evidence = self.evidence.but(measure=measure)
        return self.evidence


def _estimated(one: _Estimating, cell: tuple[Measure, Estimator]) -> tuple[Any, Scores]:
    """What an estimator gives, without the evidence if it must travel; and the scores."""
    measure, estimator = cell
    evidence = one.on(measure)
    estimated = estimator.estimated(evidence)
    scores = estimated.scores(str(estimator))
    if one.here or estimated.evidence is not evidence:
        return estimated, scores
    given = {each.name: getattr(estimated, each.name) for each in fields(estimated)}
    del given["evidence"]
    return (type(estimated), given), scores
