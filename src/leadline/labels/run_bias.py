"""Scores by people and by the judge alone, and what the judge's labels add to each run's score."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import stdtrit

from leadline.completions.estimator import TrainingData
from leadline.completions.pair_weights import PairWeights
from leadline.completions.sample import drawn_pairs
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.labels import NO_LABEL
from leadline.data.runs import Runs
from leadline.labels.audited_pairs import AuditedPairs, AuditRow, Calibration, known
from leadline.measures.measure import Weighted

ENOUGH_BEHIND = 15
"""Pairs of equal weight that would tell as much as those behind an interval of a score."""


@dataclass(frozen=True, eq=False)
class AuditedScores:
    """Mean scores of the runs: by the people's judgments, and by a judge's labels.

    Where the people's pairs were drawn their scores are assisted estimates (see ModelAssisted):
    what a model of ranks and labels expects, corrected by the sample. Where all were judged they
    are plain scores; else only the pairs that people judged count, in both.
    """

    audited: AuditedPairs
    runs: Runs
    measure: Weighted

    @cached_property
    def weights(self) -> PairWeights:
        """What every pair weighs in every run."""
        return PairWeights.of(self.runs, self.measure)

    @cached_property
    def gain(self) -> Floats:
        """The gain of each grade that people give."""
        return self.measure.gain(self.audited.human.max_grade)

    @cached_property
    def label_gain(self) -> Floats:
        """The gain of each grade on the judge's own scale."""
        return self.measure.gain(self.audited.top)

    @cached_property
    def _people(self) -> tuple[Floats, Floats]:
        """Of every pair: its gain by people, estimated if need be, and the variance of that."""
        audited, pair = self.audited, self.weights.pair
        if audited.choice != "drawn":
            return np.where(self._counts, self.gain[audited.human.grade[pair]], 0.0), np.zeros(
                len(pair)
            )
        evidence = TrainingData(self.measure, self.runs, audited.human)
        sample = drawn_pairs(evidence, self.weights, 0)
        error = sample.error(sample.expected, sample.drawn)
        return sample.expected + error, error**2 * (1 - sample.inclusion)

    @cached_property
    def _counts(self) -> Bools:
        """Which pairs count: all, or where nobody knows how they were chosen those judged."""
        judged = self.audited.human.judged[self.weights.pair]
        return judged if self.audited.choice != "drawn" else np.ones(len(judged), np.bool_)

    @cached_property
    def _published(self) -> Floats:
        label = self.audited.label[self.weights.pair]
        counted = label != NO_LABEL
        if self.audited.choice == "chosen":
            counted &= self._counts
        return np.where(counted, self.label_gain[np.maximum(label, 0)], 0.0)

    @cached_property
    def _calibrated(self) -> Floats:
        expected = Calibration.of(self.audited, self.gain).expected(
            self.audited.label[self.weights.pair].astype(np.int64)
        )
        return np.where(self._counts, expected, 0.0)

    @cached_property
    def people(self) -> Floats:
        """[runs]: by people."""
        return self.weights.scores(self._people[0])

    @property
    def people_variance(self) -> Floats:
        """[pairs]: of the gain by people, where that is estimated."""
        return self._people[1]

    @cached_property
    def people_error(self) -> Floats:
        """[runs]: the standard error of scores by people, NaN where they are no estimates."""
        if self.audited.choice != "drawn":
            return np.full(len(self.people), np.nan)
        return self._drawn_error(self.weights.matrix.toarray(), self.people_variance)

    @cached_property
    def published(self) -> Floats:
        """[runs]: what the judge alone would have published; no label is no gain."""
        return self.weights.scores(self._published)

    @cached_property
    def people_by_topic(self) -> Floats:
        """[runs, topics]: by people."""
        return self._by_topic(self._people[0])

    @cached_property
    def published_by_topic(self) -> Floats:
        """[runs, topics]: by the judge alone."""
        return self._by_topic(self._published)

    def _by_topic(self, gain: Floats) -> Floats:
        n = len(self.runs.pairs.topics)
        topic = np.zeros((len(gain), n))
        topic[np.arange(len(gain)), self.weights.topic] = gain * n
        scores: Floats = self.weights.matrix @ topic
        return scores

    def combined(self, mix: Floats) -> tuple[Floats, Floats, Floats]:
        """Bias of mixtures of runs [mixtures, runs]: value, standard error, judged pairs behind.

        Formula: B_r = sum_p W_rp (f_g(p) - h_p), f_g the mean gain of pairs with label g
        """
        gain, variance = self._people
        value = mix @ self.weights.scores(self._calibrated - gain)
        rows = mix @ self.weights.matrix
        human = self.audited.human.judged[self.weights.pair]
        n = np.asarray((rows != 0) @ human.astype(np.float64))
        return np.asarray(value), self._error(rows, variance), n

    def _error(self, rows: Floats, variance: Floats) -> Floats:
        if self.audited.choice == "drawn":
            return self._drawn_error(rows, variance)
        # Over topics, about their mean.
        bias = self._calibrated - self._people[0]
        n = len(self.runs.pairs.topics)
        if self.audited.choice == "chosen" or n < 2:
            return np.full(len(rows), np.nan)
        topic = np.zeros((len(bias), n))
        topic[np.arange(len(bias)), self.weights.topic] = bias
        part = rows @ topic
        off = part - part.mean(axis=1, keepdims=True)
        return np.asarray(np.sqrt((off**2).sum(axis=1) * n / (n - 1)))

    def _drawn_error(self, rows: Floats, variance: Floats) -> Floats:
        """Of sums over pairs; NaN where too few, or too unequal, pairs were judged behind them.

        An estimate that hangs on a few pairs with large weights W / pi has an error that these
        cannot tell.
        """
        pair = self.weights.pair
        weight = np.where(self.audited.human.judged[pair], self.audited.weight(pair), 0.0)
        square = rows**2 @ weight**2
        behind = np.divide((rows @ weight) ** 2, square, out=np.zeros(len(rows)), where=square > 0)
        # By Student's t, though whoever asks takes a normal quantile.
        tail = (1 + self.audited.confidence) / 2
        wider = stdtrit(np.maximum(behind, 2) - 1, tail) / self.audited.quantile
        error = wider * np.sqrt(rows**2 @ variance)
        return np.asarray(np.where(behind >= ENOUGH_BEHIND, error, np.nan))

    @cached_property
    def difference_variance(self) -> Floats:
        """[pairs]: what each drawn pair adds to the variance of differences among the best runs.

        By how far apart the 20 best runs weigh it; 0 for what was not drawn.
        """
        best = np.zeros(len(self.people))
        best[np.argsort(-self.people, kind="stable")[:20]] = 1.0
        made: Floats = 2 * self.weights.spread(best) ** 2 * self._people[1]
        return made


def bias_rows(scores: AuditedScores, family: tuple[str | None, ...]) -> list[AuditRow]:
    """Sections bias by run, by group and by family: B_r, and its mean over the runs of each."""
    runs = scores.runs
    rows = _bias(scores, "bias by run", runs.names, np.eye(len(runs.names)))
    if len(runs.groups) < len(runs.names):
        rows += _bias(scores, "bias by group", *means_of(runs.group))
    if any(family):
        rows += _bias(scores, "bias by family", *means_of(family))
    return rows


def means_of(owner: tuple[str | None, ...]) -> tuple[tuple[str, ...], Floats]:
    """The names of owners as they come, and [owners, runs] to take the mean of their runs."""
    names = tuple(dict.fromkeys(name for name in owner if name))
    mix = np.array([[each == name for each in owner] for name in names], np.float64)
    return names, mix / mix.sum(axis=1, keepdims=True)


def _bias(
    scores: AuditedScores, section: str, names: tuple[str, ...], mix: Floats
) -> list[AuditRow]:
    value, error, n = scores.combined(mix)
    order: Int64s = np.argsort(-value, kind="stable")
    return [
        scores.audited.row(section, names[at], value[at], error[at], int(n[at])) for at in order
    ]


def score_rows(scores: AuditedScores) -> list[AuditRow]:
    """Sections score by people and score by judge, which the judge alone would have published."""
    order = np.argsort(-scores.people, kind="stable")
    matrix, names = scores.weights.matrix, scores.runs.names
    error = scores.people_error
    human = scores.audited.human.judged[scores.weights.pair]
    n = ((matrix > 0) @ human.astype(np.float64)).astype(np.int64)
    rows = [
        scores.audited.row("score by people", names[at], scores.people[at], error[at], int(n[at]))
        for at in order
    ]
    judge = [AuditRow("score by judge", names[at], known(scores.published[at])) for at in order]
    return rows + judge
