"""Rank models fitted by topic, then weighted over the runs and among themselves.

A curve is amplitude * shape(rank; parameters). For given parameters the best amplitude is known, so
only the parameters are searched (variable projection): from the best points of a grid, by Newton
steps with damping, the gradients being exact.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from leadline.completions.coverage import adjusted, gamma
from leadline.completions.estimator import EstimatedGains, Estimator, TrainingData, estimators
from leadline.completions.simplex import least_deviations, least_norms, least_squares
from leadline.data.arrays import Bools, Floats, Int64s, read_only

Shape = Callable[[Floats, Floats], tuple[Floats, Floats]]
"""Parameters [fits, p] and ranks [d] to values [fits, d] and derivatives [fits, d, p]."""

STARTS = 4
STEPS = 60
NEAR = 1e-4
"""Gradients this far apart give the curvature."""


def linear(mean: Floats) -> tuple[Floats, Floats]:
    """Slope and height at rank 0 of the best line through each row that does not rise.

    >>> slope, height = linear(np.array([[0.5, 0.3, 0.1], [0.1, 0.2, 0.6]]))
    >>> slope.round(4).tolist(), height.round(4).tolist()
    ([-0.2, 0.0], [0.7, 0.3])
    """
    rank = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    middle = rank.mean()
    spread = ((rank - middle) ** 2).sum()
    rise = ((mean - mean.mean(axis=1, keepdims=True)) * (rank - middle)).sum(axis=1)
    slope = np.minimum(rise / spread, 0.0) if spread > 0 else np.zeros(len(mean))
    height: Floats = mean.mean(axis=1) - slope * middle
    return slope, height


def zipf_shape(parameters: Floats, rank: Floats) -> tuple[Floats, Floats]:
    """rank^-c; parameters [fits, 1] hold c."""
    log = np.log(rank)
    value = np.exp(-parameters * log)
    return value, (-log * value)[:, :, None]


def weibull_shape(parameters: Floats, rank: Floats) -> tuple[Floats, Floats]:
    """exp(-(k/a)^b) - exp(-((k+1)/a)^b) with k = rank - 1; parameters hold log a and log b."""
    log_a, b = parameters[:, :1], np.exp(parameters[:, 1:])
    with np.errstate(divide="ignore"):
        near, far = np.log(rank - 1) - log_a, np.log(rank) - log_a
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        s, t = np.exp(b * near), np.exp(b * far)
        # The difference of two exponentials, without cancellation.
        value = np.exp(-s) * -np.expm1(-(t - s))
        at_s, at_t = s * np.exp(-s), t * np.exp(-t)
        at_s, at_t = np.where(np.isfinite(s), at_s, 0.0), np.where(np.isfinite(t), at_t, 0.0)
        by_a = b * (at_s - at_t)
        by_b = b * (far * at_t - np.where(at_s > 0, near * at_s, 0.0))
    value = np.where(np.isfinite(value), value, 0.0)
    return value, np.stack([by_a, by_b], axis=2)


@dataclass(frozen=True, eq=False)
class Fit:
    """Amplitude [fits], parameters [fits, p] and the sum of squared errors [fits]."""

    amplitude: Floats
    parameters: Floats
    error: Floats


def fit(shape: Shape, mean: Floats, axes: tuple[Floats, ...]) -> Fit:
    """The best curve for each row; `axes` are the grid's values, their ends the bounds."""
    rank = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    low = np.array([axis[0] for axis in axes])
    high = np.array([axis[-1] for axis in axes])
    grid = np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=1)
    starts = _starts(shape(grid, rank)[0], mean, tuple(len(axis) for axis in axes))
    n = starts.shape[1]
    found = _search(shape, np.repeat(mean, n, axis=0), grid[starts.ravel()], rank, low, high)
    best = found.error.reshape(len(mean), n).argmin(axis=1) + np.arange(len(mean)) * n
    return Fit(found.amplitude[best], found.parameters[best], found.error[best])


def _project(value: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """The best amplitude of each fit, not negative, and what is left to explain."""
    size = (value * value).sum(axis=1)
    amplitude = np.divide((value * mean).sum(axis=1), size, out=np.zeros(len(size)), where=size > 0)
    return amplitude, mean - amplitude[:, None] * value


def _starts(
    values: Floats, mean: Floats, sizes: tuple[int, ...]
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """For each row the best points of the grid that no neighbour betters, padded with the best."""
    size = np.maximum((values * values).sum(axis=1), 1e-300)
    explained = ((mean @ values.T) ** 2 / size).reshape(-1, *sizes)
    top = np.ones(explained.shape, np.bool_)
    for axis in range(1, explained.ndim):
        step = np.diff(explained, axis=axis)
        pad = [(0, 0)] * explained.ndim
        pad[axis] = (1, 0)
        top &= np.pad(step >= 0, pad, constant_values=True)
        pad[axis] = (0, 1)
        top &= np.pad(step <= 0, pad, constant_values=True)
    flat = np.where(top, explained, -1.0).reshape(len(mean), -1)
    n = min(STARTS, flat.shape[1])
    order = np.argsort(-flat, axis=1, kind="stable")[:, :n]
    peaks = np.take_along_axis(flat, order, axis=1) >= 0
    return np.where(peaks, order, order[:, :1])


def _slopes(shape: Shape, parameters: Floats, rank: Floats, mean: Floats) -> Floats:
    """[fits, p]: the gradient of half the squared error, the amplitude being the best each time."""
    value, slope = shape(parameters, rank)
    amplitude, rest = _project(value, mean)
    # What is left stands at right angles to the curve, so its amplitude's change plays no part.
    found: Floats = -amplitude[:, None] * np.einsum("ndp,nd->np", slope, rest)
    return found


def _search(
    shape: Shape, mean: Floats, begin: Floats, rank: Floats, low: Floats, high: Floats
) -> Fit:
    """Damped Newton steps inside the bounds, all fits side by side.

    The curvature is the difference of exact gradients; where it is not positive its size counts.
    """

    def squares(parameters: Floats) -> Floats:
        rest = _project(shape(parameters, rank)[0], mean)[1]
        total: Floats = (rest * rest).sum(axis=1)
        return total

    parameters = begin.copy()
    error = squares(parameters)
    n, p = parameters.shape
    damping = np.full(n, 1e-3)
    for _ in range(STEPS):
        gradient = _slopes(shape, parameters, rank, mean)
        curvature = np.empty((n, p, p))
        for at in range(p):
            step = np.zeros(p)
            step[at] = NEAR
            above, below = (
                _slopes(shape, parameters + sign * step, rank, mean) for sign in (1, -1)
            )
            curvature[:, :, at] = (above - below) / (2 * NEAR)
        stuck = ((parameters <= low) & (gradient > 0)) | ((parameters >= high) & (gradient < 0))
        gradient = np.where(stuck, 0.0, gradient)
        curvature = np.where(stuck[:, :, None] | stuck[:, None, :], 0.0, curvature)
        sizes, axes = np.linalg.eigh((curvature + curvature.transpose(0, 2, 1)) / 2)
        sizes = np.abs(sizes)
        sizes = sizes + damping[:, None] * sizes.max(axis=1, keepdims=True) + 1e-14
        along = np.einsum("npq,np->nq", axes, gradient) / sizes
        step_of = np.clip(np.einsum("npq,nq->np", axes, along), -2.0, 2.0)
        tried = np.clip(parameters - step_of, low, high)
        new = squares(tried)
        better = new < error
        moved = np.abs(tried - parameters).max(axis=1)
        parameters = np.where(better[:, None], tried, parameters)
        error = np.where(better, new, error)
        damping = np.where(better, np.maximum(damping / 10, 1e-12), damping * 10)
        if ((moved < 1e-9) | (~better & (damping > 1e8))).all():
            break
    amplitude, rest = _project(shape(parameters, rank)[0], mean)
    return Fit(amplitude, parameters, (rest * rest).sum(axis=1))


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

    def adjusts(self, evidence: TrainingData) -> Bools:
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

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """The curve at the rank of every entry, and beyond the end of the list."""
        pooled, entries, most = evidence.pooled_runs, evidence.runs.entries, evidence.max_gain
        mean = pooled.mean_gain(evidence.known_gain / most, evidence.depth)
        curve = most * fitted(self, mean, pooled.deepest) * self.adjusts(evidence)[:, None]
        rank = np.minimum(entries.rank, pooled.deepest)
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


def beyond(evidence: TrainingData, curve: Floats) -> Floats:
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
    """Gain is a linear function of the rank, fitted for each topic.

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
    """Gain is a power function of the rank, fitted for each topic.

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
    """Gain is a discrete Weibull function of the rank, fitted for each topic.

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


MODELS = (Linear(), Zipf(), Weibull())


class WeightedModels(Threshold):
    """A gain for every document: a mean over models of a mean over runs of the model at its rank.

    A subclass says how the weights of both means are found.
    """

    @abstractmethod
    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Weights that are not negative and sum to 1, one for each column of `guess`.

        Rows are judged documents with their gain; `weight` [documents, runs] is that of their
        ranks, 0 where a run does not return one.
        """

    def gains(self, evidence: TrainingData) -> EstimatedGains:
        """The same gain for a document in every list; the tail is worth what nobody returns."""
        most = evidence.max_gain
        curves = rank_curves(evidence)
        first, second = self.weights(evidence, curves)
        by_document, absent = combine(evidence, curves, first, second, self.adjusts(evidence))
        return evidence.filled(most * by_document[evidence.runs.pair], most * absent)

    def weights(self, evidence: TrainingData, curves: Floats) -> tuple[Floats, Floats]:
        """Weights of runs [models, topics, runs] and of models [topics, models]."""
        pooled = evidence.pooled_runs
        gain = evidence.known_gain / evidence.max_gain
        n_models, n_topics, _ = curves.shape
        first = np.full((n_models, n_topics, len(pooled)), 1 / len(pooled))
        second = np.full((n_topics, n_models), 1 / n_models)
        by_rank = np.append(evidence.weighted.weights(pooled.deepest), 0.0)
        for topic in range(n_topics):
            pairs = judged_of(evidence, topic)
            if not len(pairs) or not gain[pairs].any():
                continue
            # A document that a run does not return is at rank 0 here, the last place of a curve.
            rank = pooled.ranks_of(pairs)
            weight = by_rank[rank - 1]
            combined = np.empty((len(pairs), n_models))
            for model in range(n_models):
                guess = curves[model, topic][rank - 1]
                first[model, topic] = self.weigh(guess, gain[pairs], weight)
                combined[:, model] = guess @ first[model, topic]
            second[topic] = self.weigh(combined, gain[pairs], weight)
        return first, second


def rank_curves(evidence: TrainingData) -> Floats:
    """[models, topics, ranks]: the curve of every rank model, as a share of the largest gain."""
    pooled = evidence.pooled_runs
    mean = pooled.mean_gain(evidence.known_gain / evidence.max_gain, evidence.depth)
    return np.stack([fitted(model, mean, pooled.deepest) for model in MODELS])


def judged_of(evidence: TrainingData, topic: int) -> Int64s:
    """The judged documents of a topic that some contributing run returns."""
    low, high = np.searchsorted(evidence.runs.pairs.topic, [topic, topic + 1])
    held = np.diff(evidence.pooled_runs.postings.start[low : high + 1]) > 0
    judged: Int64s = low + np.flatnonzero(evidence.judgments.judged[low:high] & held)
    return judged


def combine(
    evidence: TrainingData, curves: Floats, first: Floats, second: Floats, wanted: Bools
) -> tuple[Floats, Floats]:
    """The gain of every pair, and per topic that of a document which no run returns."""
    postings, topic_of = evidence.pooled_runs.postings, evidence.runs.pairs.topic
    at_end = (second.T * curves[:, :, -1]).sum(axis=0) * wanted
    topic = topic_of[postings.pair]
    rise = np.zeros(len(topic))
    for model, curve in enumerate(curves):
        above = curve[topic, postings.rank - 1] - curve[topic, -1]
        rise += first[model, topic, postings.run] * second[topic, model] * above
    gain = at_end[topic_of] + np.bincount(postings.pair, rise * wanted[topic], len(topic_of))
    return gain, at_end


@estimators.register
@dataclass(frozen=True)
class Uniform(WeightedModels):
    """Unweighted mean of the rank models over runs.

    Formula: gain(D) = mean over models g and runs i of g(rank of D in run i)

    The models are Linear, Zipf and Weibull; a run that does not return D counts with its model's
    gain at the deepest rank. A baseline that costs no optimisation.
    """

    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)

    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Equal weights."""
        return np.full(guess.shape[1], 1 / guess.shape[1])


@estimators.register
@dataclass(frozen=True)
class TwoStage(WeightedModels):
    """Combination of rank models, weighted by runs and then by model to fit known gains or scores.

    Formula: min over weights w of sum_D |h_w(D) - r_D| * sqrt(sum_i W(rank of D in i)^2), D judged

    h_w(D) is the mean, by w, of the model at D's rank in each run; a run that does not return D
    counts with the model's gain at the deepest rank. Weights are not negative and sum to 1; both
    stages are solved exactly, and of equal optima the shortest w is taken.

    fit=documents fits the gains of the judged documents: a linear programme, the paper's Eq. 8.
    group_by=runs is how the authors' software reads that formula: min of
    sum_i sqrt(sum_D W(rank of D in i)^2 * (h_w(D) - r_D)^2), solved by Newton's method.

    fit=scores fits the scores of the runs by least squares, the paper's Eq. 7:
    min of sum_i (sum_D W(rank of D in i) * (h_w(D) - r_D))^2.

    Lu, Moffat and Culpepper, Can deep effectiveness metrics be evaluated using shallow judgment
    pools?, SIGIR 2017.
    """

    fit: Literal["documents", "scores"] = "documents"
    group_by: Literal["documents", "runs"] = "documents"
    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)
        if self.fit not in ("documents", "scores"):
            raise ValueError(f"fit must be documents or scores, not {self.fit}")
        if self.group_by not in ("documents", "runs"):
            raise ValueError(f"group_by must be documents or runs, not {self.group_by}")
        if self.fit == "scores" and self.group_by == "runs":
            raise ValueError("group_by=runs is for fit=documents")

    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Return the weights that fit best: least squares, least deviations or least norms."""
        if self.fit == "scores":
            return least_squares(weight.T @ guess, weight.T @ gain)
        if self.group_by == "documents":
            size = np.sqrt((weight * weight).sum(axis=1))
            return least_deviations(guess * size[:, None], gain * size)[0]
        document, run = np.nonzero(weight)
        scale = weight[document, run]
        return least_norms(guess[document] * scale[:, None], gain[document] * scale, run)[0]
