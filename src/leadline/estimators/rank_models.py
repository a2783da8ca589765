"""Rank models: per topic, gain as a curve of the rank, fitted to the judged top of all runs."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from leadline.estimators.coverage import adjusted, gamma
from leadline.estimators.curve_fits import fit, linear, weibull_shape, zipf_shape
from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import Estimator, estimators
from leadline.estimators.evidence import Evidence
from leadline.tables.arrays import Bools, Floats, read_only

STEEPEST = 50.0
"""Zipf's exponent where only the first rank gains anything: 2^-50 is nothing."""

KEPT_CELLS = 1 << 16
"""Curves of more topics and ranks than that are worked out anew each time."""


def check_theta(theta: float) -> None:
    """A ValueError if the threshold makes no sense."""
    if not 0 <= theta < float("inf"):
        raise ValueError(f"theta must be 0 or more, not {theta}")


class Threshold(Estimator):
    """An estimator that leaves topics alone whose gamma is not above theta: they gain nothing."""

    theta: float = 0.0

    def adjusts(self, evidence: Evidence) -> Bools:
        """The topics to adjust."""
        if self.theta == 0:
            return np.ones(len(evidence.runs.pairs.topics), np.bool_)
        # The least grade that gains something is what counts as relevant.
        return adjusted(gamma(evidence, int(np.argmax(evidence.gain_table > 0))), self.theta)


class RankModel(Threshold):
    """A curve for each topic; a document's gain depends on nothing but its rank in the list."""

    @abstractmethod
    def curves(self, mean: Floats, deepest: int) -> Floats:
        """[topics, deepest]: gain at every rank, from the mean gain [topics, d] at the first d."""

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The curve at the rank of every entry, and beyond the end of the list."""
        teachers, entries, most = evidence.contributors, evidence.runs.entries, evidence.max_gain
        mean = teachers.mean_gain(evidence.known_gain / most, evidence.depth)
        curve = most * fitted(self, mean, teachers.deepest) * self.adjusts(evidence)[:, None]
        rank = np.minimum(entries.rank, teachers.deepest)
        return evidence.filled(curve[entries.topic, rank - 1], beyond(evidence, curve))


def fitted(model: RankModel, mean: Floats, deepest: int) -> Floats:
    """The model's curves; who asks for those of the same means again has them at once.

    Methods that differ in what they make of the curves, and measures that differ in their weights
    only, have the same.
    """
    if len(mean) * deepest > KEPT_CELLS:
        return model.curves(mean, deepest)
    return _fitted(model, mean.tobytes(), mean.shape, deepest)


@lru_cache(maxsize=64)
def _fitted(model: RankModel, mean: bytes, shape: tuple[int, ...], deepest: int) -> Floats:
    return read_only(model.curves(np.frombuffer(mean, np.float64).reshape(shape), deepest))


def beyond(evidence: Evidence, curve: Floats) -> Floats:
    """[runs, topics]: mean gain of the ranks after the end of each list, by weight."""
    length = evidence.runs.length
    longest = max(int(length.max(initial=0)), curve.shape[1])
    weight = evidence.weighted.weights(longest)
    last = float(evidence.weighted.tail(np.array([longest]))[0])
    full = np.concatenate([curve, np.repeat(curve[:, -1:], longest - curve.shape[1], 1)], axis=1)
    worth = np.concatenate([full * weight, full[:, -1:] * last], axis=1)
    after = np.concatenate([worth[:, ::-1].cumsum(axis=1)[:, ::-1], np.zeros((len(curve), 1))], 1)
    open_ = evidence.tail_weight
    total = after[np.arange(len(curve)), length]
    rate: Floats = np.divide(total, open_, out=np.zeros(open_.shape), where=open_ > 0)
    return rate


@estimators.register
@dataclass(frozen=True)
class Linear(RankModel):
    """Gain falls along a straight line with the rank, one line a topic.

    Formula: gain(k) = l * k + c with l <= 0, c >= 0, clipped to [0, r_max]

    Fitted by least squares to the mean gain at ranks 1 to d over the contributing runs, d being the
    depth of the pool; unjudged and missing documents count 0 there. With theta, only topics whose
    gamma is above it are adjusted.

    Lu, Moffat and Culpepper, Modeling relevance as a function of retrieval rank, AIRS 2016.
    """

    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)

    def curves(self, mean: Floats, deepest: int) -> Floats:
        """Lines."""
        slope, height = linear(mean)
        line: Floats = slope[:, None] * np.arange(1, deepest + 1) + height[:, None]
        return np.clip(line, 0.0, 1.0)


@estimators.register
@dataclass(frozen=True)
class Zipf(RankModel):
    """Gain falls as a power of the rank, one curve a topic.

    Formula: gain(k) = l / (k^c * H(1000, c)) with l, c >= 0, clipped to [0, r_max]

    Fitted and applied as Linear is. H(1000, c) = sum_{i<=1000} i^-c only scales l.

    Lu, Moffat and Culpepper, Modeling relevance as a function of retrieval rank, AIRS 2016.
    """

    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)

    def curves(self, mean: Floats, deepest: int) -> Floats:
        """Powers."""
        axis = np.concatenate([np.linspace(0, 4, 41), np.geomspace(4.5, STEEPEST, 12)])
        found = fit(zipf_shape, mean, (axis,))
        rank = np.arange(1, deepest + 1, dtype=np.float64)
        curve = found.amplitude[:, None] * zipf_shape(found.parameters, rank)[0]
        return np.clip(curve, 0.0, 1.0)


@estimators.register
@dataclass(frozen=True)
class Weibull(RankModel):
    """Gain follows a discrete Weibull distribution over the ranks, one curve a topic.

    Formula: gain(k) = c * (exp(-((k-1)/a)^b) - exp(-(k/a)^b)) with a, b, c >= 0, to [0, r_max]

    Fitted and applied as Linear is, from several starts, because the squared error has more than
    one valley. Where a curve rises at the depth of the pool nothing observed says how far: beyond
    it the gain is at most the largest mean gain that was observed.

    Lu, Moffat and Culpepper, Modeling relevance as a function of retrieval rank, AIRS 2016.
    """

    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)

    def curves(self, mean: Floats, deepest: int) -> Floats:
        """Differences of stretched exponentials."""
        scale = np.log(np.geomspace(0.1, 1e6, 29))
        form = np.log(np.geomspace(0.05, 20.0, 25))
        found = fit(weibull_shape, mean, (scale, form))
        rank = np.arange(1, deepest + 1, dtype=np.float64)
        curve = found.amplitude[:, None] * weibull_shape(found.parameters, rank)[0]
        depth = mean.shape[1]
        curve[:, depth:] = np.minimum(curve[:, depth:], mean.max(axis=1, keepdims=True))
        return np.clip(curve, 0.0, 1.0)
