"""Plain estimators: bounds, interpolation, bootstrapped grades, one relevant document, labels."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from leadline.completions.drawn_scores import DrawnScores, GradeDraws, ListPart
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.data.arrays import Bools, Floats, Int16s, Int64s
from leadline.data.draw import scattered
from leadline.data.lists import Lists
from leadline.measures.texts import BM25


class Constant(Estimator):
    """The same share of the largest gain for all that is open, the tail included."""

    share: ClassVar[float]
    by_residual = True

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """One number."""
        gain = self.share * evidence.max_gain
        return evidence.filled(gain, gain)


@estimators.register
@dataclass(frozen=True)
class LowerBound(Constant):
    """Unjudged documents have no gain: the lower bound.

    Formula: gain = 0

    What nearly every evaluation does. The tail beyond a list's end is worth nothing too. Of nDCG,
    AP and others that divide by what is relevant it is the usual score, but no lower end: judging
    more can make them smaller.
    """

    share = 0.0
    any_measure = True

    def drawn(self, evidence: TrainingData) -> DrawnScores:
        """The score by judged documents alone, drawn once."""
        lists = Lists.of(evidence.runs, evidence.judgments)
        return DrawnScores(evidence, evidence.measure.score(lists).value[None])


@estimators.register
@dataclass(frozen=True)
class UpperBound(Constant):
    """Unjudged documents have the largest gain: the upper bound.

    Formula: gain = r_max

    So is the tail beyond a list's end, where the measure has one.
    """

    share = 1.0


@estimators.register
@dataclass(frozen=True)
class Midpoint(Constant):
    """Unjudged documents have half of the largest gain: the middle of the bounds.

    Formula: gain = r_max / 2

    So is the tail beyond a list's end, where the measure has one.
    """

    share = 0.5


@estimators.register
@dataclass(frozen=True)
class ListMean(Estimator):
    """Unjudged documents have the weighted mean gain of the judged ones in the same list.

    Formula: M / (1 - residual), where the weights sum to 1

    The gain of all that is open in a list, its tail included, is its known gain over its judged
    weight. Where a list holds no judged document, it is the mean gain of all judged documents of
    the collection.

    Ravana and Moffat, Score estimation, incomplete judgments, and significance testing in IR
    evaluation, AIRS 2010.
    """

    by_residual = True

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """One rate a list."""
        runs, known = evidence.runs, evidence.known_gain
        base = evidence.list_sums(evidence.weight * known[runs.pair])
        seen = evidence.list_sums(np.where(evidence.judged, evidence.weight, 0.0))
        judged = evidence.judgments.judged
        background = float(known[judged].mean()) if judged.any() else 0.0
        rate = np.divide(base, seen, out=np.full(base.shape, background), where=seen > 1e-12)
        return evidence.filled(rate.ravel()[runs.entries.list], rate)


BLIND = 1e-5 / 3e-5
"""The rate where nothing was sampled: what the small numbers give that the authors' software adds
to both sums so that their quotient is defined."""


def in_pool(evidence: TrainingData) -> Bools:
    """Return which pairs could have been judged: pooled with certainty, or sampled."""
    judgments = evidence.judgments
    inclusion = judgments.inclusion if evidence.pool is None else evidence.pool.inclusion
    if inclusion is not None:
        inside: Bools = inclusion > 0
        return inside
    return judgments.judged if judgments.pooled is None else judgments.pooled


def chance_pairs(evidence: TrainingData) -> Bools:
    """The pairs of which chance decided whether they were judged; a ValueError if there are none.

    Where no probabilities are known, all of a pool of which a part is unjudged.
    """
    judgments = evidence.judgments
    inclusion = judgments.inclusion if evidence.pool is None else evidence.pool.inclusion
    if inclusion is not None:
        chance: Bools = (inclusion > 0) & (inclusion < 1)
    elif judgments.pooled is not None and (judgments.pooled & ~judgments.judged).any():
        chance = judgments.pooled
    else:
        chance = np.zeros(len(judgments.pairs), np.bool_)
    if not (chance & ~judgments.judged).any():
        raise ValueError(
            "InfRBP needs a pool of which a part was sampled, and the pairs that were not drawn: "
            "make it with leadline pool --strategy 'TwoStrata(d=10, deep=100, rate=0.1)' --undrawn"
        )
    return chance


@estimators.register
@dataclass(frozen=True)
class InfRBP(Estimator):
    """Unjudged documents have the weighted mean gain of the sampled ones in the same list.

    Formula: gain = sum W * r / sum W over the list's sampled documents

    For pools of which one part was judged completely and the rest sampled, for instance TwoStrata.
    Every document of a list outside the completely judged part takes this gain, whether the pool
    could have sampled it or not; a third of the largest gain where a list holds no sampled
    document. The tail gains nothing. It has no standard error.

    outside=zero is a variant: documents that the pool could not have sampled, for instance those
    that only a run outside the pool returns, gain nothing.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 5.
    """

    outside: Literal["rate", "zero"] = "rate"

    def __post_init__(self) -> None:
        if self.outside not in ("rate", "zero"):
            raise ValueError(f"outside must be rate or zero, not {self.outside}")

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """Estimate one rate a list, from what was sampled in it."""
        runs, most = evidence.runs, evidence.max_gain
        sampling = chance_pairs(evidence)
        drawn = sampling[runs.pair]
        sampled = np.where(drawn & evidence.judged, evidence.weight, 0.0)
        gain = evidence.known_gain[runs.pair] / most
        n = evidence.list_sums(sampled)
        total = evidence.list_sums(sampled * gain)
        rate = np.divide(total, n, out=np.full(n.shape, BLIND), where=n > 0)
        of_entry = rate.ravel()[runs.entries.list]
        takes_rate = drawn
        if self.outside == "rate":
            takes_rate = ~(in_pool(evidence) & ~sampling)[runs.pair]
        return evidence.filled(np.where(takes_rate, most * of_entry, 0.0))


@estimators.register
@dataclass(frozen=True)
class ShareBootstrap(Estimator):
    """Unjudged documents have random grades, by the shares of grades in the run and in the pool.

    Formula: P(grade = g) = (share of g among the list's judged documents + among the topic's) / 2

    The documents of the list's first k ranks, all without @k; where the list has no judged one, the
    topic's alone. Every list is drawn by itself, and what is drawn relevant counts in its ideal,
    or among its relevant documents, too. The score is the mean of the draws. For every measure that
    has an interval; of weighted ones the gain of each unjudged document is its mean. The tail is
    worth nothing, and so are topics without judged documents.

    Fröbe, Gienapp, Potthast and Hagen, ShareBootstrap nDCG estimation in the presence of unjudged
    documents, ECIR 2023.
    """

    draws: int = 200
    seed: int = 0

    any_measure = True

    def __post_init__(self) -> None:
        if self.draws < 1:
            raise ValueError(f"draws must be at least 1, not {self.draws}")

    def gains(self, evidence: "TrainingData") -> EstimatedGains:
        """The mean gain of a document drawn for the list."""
        share = grade_shares(evidence)
        expected = share @ evidence.gain_table[: share.shape[1]]
        return evidence.filled(expected[evidence.runs.entries.list])

    def drawn(self, evidence: "TrainingData") -> DrawnScores:
        """Scores of the draws; they tell nothing of how far the shares are off."""
        draws = _ListDraws(evidence, self.draws, self.seed).draws()
        return DrawnScores(evidence, draws, intervals=False)


def grade_shares(evidence: "TrainingData") -> Floats:
    """[lists, grades]: the mean of the list's and its topic's shares of judged documents."""
    runs, judgments = evidence.runs, evidence.judgments
    n_grades = judgments.max_grade + 1
    top = runs.cut(evidence.measure.depth)
    judged = judgments.judged[top.pair]
    cell = top.entries.list[judged].astype(np.int64) * n_grades
    cell += judgments.grade[top.pair[judged]]
    of_list = np.bincount(cell, minlength=runs.start.size * n_grades).reshape(-1, n_grades)
    of_topic = np.tile(judgments.counts, (len(runs.names), 1))
    shares = [n / np.maximum(n.sum(axis=1, keepdims=True), 1) for n in (of_list, of_topic)]
    none = ~of_list.any(axis=1)
    shares[0][none] = shares[1][none]
    mean: Floats = (shares[0] + shares[1]) / 2
    return mean


class _ListDraws(GradeDraws):
    """Each list drawn by itself."""

    def __init__(self, evidence: "TrainingData", n: int, seed: int) -> None:
        super().__init__(evidence, n)
        self.seed = seed
        self.reached = grade_shares(evidence)[:, :0:-1].cumsum(axis=1)[:, ::-1]

    def prepare(self, topics: slice) -> None:
        """Nothing is shared by lists."""

    def grades(self, part: ListPart) -> tuple[Int16s, Int64s]:
        """A grade g or better where a uniform number is below the share of these."""
        judgments = self.evidence.judgments
        listed = part.pair >= 0
        judged = listed & judgments.judged[part.pair]
        grade = np.where(judged, judgments.grade[part.pair], np.int16(0))
        open_ = listed & ~judged
        row, rank = np.nonzero(open_)
        cell = self._place(part)[row] * np.int64(1 << 20) + rank
        chance = scattered(self.seed, cell[:, None] * np.int64(self.n) + np.arange(self.n))
        drawn = np.zeros((len(row), self.n), np.int16)
        for reached in self.reached[part.list][row].T:
            drawn += chance < reached[:, None]
        every = np.repeat(grade[None], self.n, axis=0)
        every[:, open_] = drawn.T
        counts = np.repeat(judgments.counts[part.topic][None], self.n, axis=0)
        for level in range(1, self.n_grades):
            counts[:, :, level] += ((every == level) & open_).sum(axis=2)
        return every, counts

    def _place(self, part: ListPart) -> Int64s:
        """Numbers of lists that do not depend on the order in which runs are given."""
        runs = self.evidence.runs
        n_topics = len(runs.pairs.topics)
        place: Int64s = runs.place_by_name[part.list // n_topics] * n_topics + part.topic
        return place


@estimators.register
@dataclass(frozen=True)
class OneShot(Estimator):
    """The k documents most similar to a relevant document of the topic get decreasing gains.

    Formula: gain = r_max * (k - i) / k for the i-th nearest by BM25, i = 0, 1, ..., k - 1; else 0

    The one document is the topic's best judged one, the first by name of several; its words are the
    query. Documents are those that some run returns or somebody judged, for whatever topic. Where
    nothing relevant is judged, and beyond a list's end, unjudged documents are worth nothing.

    One-shot labelling, MaxRep by BM25: MacAvaney and Soldaini, SIGIR 2023; theirs has k = 128.
    """

    k: int = 128

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k must be at least 1, not {self.k}")

    @property
    def reads(self) -> bool:
        return True

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """Gains by nearness."""
        if evidence.words is None:
            raise ValueError("OneShot needs the texts of the documents: name them with `docs`")
        words, pairs = evidence.words, evidence.runs.pairs
        index, rows = BM25(words), np.arange(len(words.start) - 1)
        ends = np.searchsorted(pairs.topic, np.arange(len(pairs.topics) + 1))
        gain = np.zeros(len(pairs))
        for first, last in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            known = evidence.known_gain[first:last]
            if not known.any():
                continue
            example = int(pairs.doc[first + int(np.argmax(known))])
            element, _ = words.elements(np.array([example]))
            said = words.words.gather(np.repeat(words.word[element], words.count[element]))
            score = index.scores(said, rows)
            score[example] = 0.0
            # Of equals the first by name; what shares no word is no neighbour.
            nearest = np.argsort(-np.round(score, 9), kind="stable")[: self.k]
            nearest = nearest[score[nearest] > 0]
            of_doc = np.zeros(len(rows))
            of_doc[nearest] = evidence.max_gain * (self.k - np.arange(len(nearest))) / self.k
            gain[first:last] = of_doc[pairs.doc[first:last]]
        return evidence.filled(gain[evidence.runs.pair])


@estimators.register
@dataclass(frozen=True)
class LabelsAsJudgments(Estimator):
    """Labels replace missing judgments.

    Formula: gain = r_max * mean over judges of label / highest label of the judge

    A document without a label is worth nothing, and so is the tail beyond a list's end. There is no
    standard error, because nothing is known of how far the judges are off: a rival to be beaten,
    see ModelAssisted.
    """

    needs_labels = True

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """The labels as gains."""
        share = np.nan_to_num(evidence.runs.pairs.needed_labels.share)
        return evidence.filled(evidence.max_gain * share[evidence.runs.pair])
