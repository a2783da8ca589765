"""How large a difference is, how sure over topics, and what it would take to be sure of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import nctdtr, ndtri, stdtrit

from leadline.completions.bounds import OpenEntries, max_gain, open_entries, weighty_heads
from leadline.completions.drawn_scores import drawable
from leadline.completions.estimator import TrainingData
from leadline.completions.regression import model_doubts, relevance_model
from leadline.data.arrays import Bools, Floats
from leadline.data.mean_estimate import MeanEstimate
from leadline.data.scores import SCORE_NOISE, Scores, mean_over_topics
from leadline.io.problems import Progress
from leadline.measures.measure import Weighted
from leadline.stats.certainty import MOST_MODELLED
from leadline.stats.mean_uncertainty import combined
from leadline.stats.significance import Tails, moments

if TYPE_CHECKING:
    from leadline.stats.pairwise import Pairwise


POWER = 0.8
MANY = 10_000
"""From so many topics on, Student's t and the normal distribution give the same number."""


def effect_size(difference: Floats) -> Floats:
    """Mean difference in standard deviations over topics (Cohen's d for paired values).

    >>> effect_size(np.array([[1.0, 2.0, 3.0]])).tolist()
    [2.0]
    """
    _, mean, sd = moments(difference)
    size: Floats = np.divide(mean, sd, out=np.full(len(mean), np.nan), where=sd > 0)
    return size


def topic_interval(difference: Floats, level: float) -> tuple[Floats, Floats]:
    """Confidence interval of the mean difference over topics, by Student's t.

    mean -+ t(1 - level/2, n - 1) * sd / sqrt(n). It is about other topics of the same kind; the
    joint interval is about unjudged documents of these topics.

    >>> [float(end[0].round(4)) for end in topic_interval(np.array([[1.0, 2.0, 3.0]]), 0.05)]
    [-0.4841, 4.4841]
    """
    n, mean, sd = moments(difference)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = stdtrit(np.maximum(n - 1, 1), 1 - level / 2) * sd / np.sqrt(n)
    return mean - half, mean + half


def topics_needed(effect: Floats, level: float, tails: Tails, power: float = POWER) -> Floats:
    """Topics on which a t-test would find an effect of this size four times out of five.

    The smallest n with P(T > t(1 - level/tails, n - 1)) >= power, T noncentral t with n - 1 degrees
    of freedom and noncentrality effect * sqrt(n). NaN where there is no effect.

    >>> topics_needed(np.array([0.5, -0.2, 0.0]), 0.05, 2).tolist()
    [34.0, 199.0, nan]
    """
    size = np.abs(effect)
    found = np.full(len(size), np.nan)
    some = size > 0
    target = ndtri(1 - level / tails) + ndtri(power)
    # The normal distribution asks for too few, so the search goes upwards only.
    n = np.maximum(2.0, np.floor((target / size[some]) ** 2))
    while True:
        short = (n < MANY) & (_power(size[some], n, level, tails) < power)
        if not short.any():
            break
        n[short] += 1
    found[some] = n
    return found


def _power(size: Floats, n: Floats, level: float, tails: Tails) -> Floats:
    small = np.minimum(n, MANY)
    bound = stdtrit(small - 1, 1 - level / tails)
    # Beyond 30 the power is 1, and far beyond it the series does not converge.
    reached: Floats = 1 - nctdtr(small - 1, np.minimum(size * np.sqrt(small), 30.0), bound)
    return reached


class JudgmentsNeeded:
    """How many judgments would make the sign of a difference certain.

    Documents are judged in order of how much they move the difference, and taken to be as good as
    those judged so far: base / judged weight of the two runs. Then the sign is certain when what
    is left open cannot turn it round.
    """

    def __init__(self, entries: OpenEntries, most: float, n_topics: int, n_runs: int) -> None:
        order = np.argsort(entries.run, kind="stable")
        self.pair, self.weight = entries.pair[order], entries.weight[order]
        bounds = np.searchsorted(entries.run[order], np.arange(n_runs + 1))
        self.bounds = bounds
        self.scale = most / max(n_topics, 1)

    def certain(self, first: int, second: int, difference: float, rate: float) -> float:
        """Judgments for one pair of runs; NaN where nothing judged tells how good documents are."""
        if np.isnan(rate):
            return np.nan
        mine = slice(self.bounds[first], self.bounds[first + 1])
        theirs = slice(self.bounds[second], self.bounds[second + 1])
        pair = np.concatenate([self.pair[mine], self.pair[theirs]])
        amount = np.concatenate([self.weight[mine], -self.weight[theirs]]) * self.scale
        docs, which = np.unique(pair, return_inverse=True)
        move = np.bincount(which, weights=amount, minlength=len(docs))
        move = move[np.abs(move) > 0]
        move = move[np.argsort(-np.abs(move), kind="stable")]
        expected = difference + rate * np.concatenate([[0.0], move.cumsum()])
        up, down = (_left(np.maximum(sign * move, 0.0)) for sign in (1, -1))
        certain: Bools = (expected - down > SCORE_NOISE) | (expected + up < -SCORE_NOISE)
        return float(np.argmax(certain)) if certain.any() else np.nan


def _left(amount: Floats) -> Floats:
    """What remains after the first 0, 1, 2, ... of them."""
    return np.concatenate([amount[::-1].cumsum()[::-1], [0.0]])


N_DRAWS = 2000
SEED = 0
COLUMNS = ("ci_lower", "ci_upper", "ci_bootstrap_lower", "ci_bootstrap_upper")


@dataclass(frozen=True, eq=False)
class TopicConfidence:
    """For each run the ends by Student's t and by the bootstrap; NaN for fewer than two topics.

    t: mean -+ t(n - 1) sd / sqrt(n). Bootstrap: percentiles of the means of topics redrawn with
    replacement, 2,000 times, the same draws for all runs with as many topics. Both take unjudged
    documents as non-relevant: what these leave open is the certain interval, another doubt.
    """

    ci_lower: Floats
    ci_upper: Floats
    ci_bootstrap_lower: Floats
    ci_bootstrap_upper: Floats

    @classmethod
    def of(cls, scores: Scores, confidence: float) -> "TopicConfidence":
        """Of the means of scores; NaN throughout where they are added up in another way."""
        if scores.over_topics != "mean":
            nothing = np.full(len(scores.runs), np.nan)
            return cls(nothing, nothing, nothing, nothing)
        t = topic_interval(scores.value, 1 - confidence)
        return cls(*t, *_bootstrap(scores.value, confidence))

    def frame(self, scores: Scores) -> pl.DataFrame:
        """Columns run, topic, measure and the four ends, for the rows of means."""
        n = len(scores.runs)
        keys = {"run": list(scores.runs), "topic": ["all"] * n, "measure": [scores.measure] * n}
        text = dict.fromkeys(keys, pl.String)
        ends = {name: getattr(self, name) for name in COLUMNS}
        table = pl.DataFrame({**keys, **ends}, schema_overrides=text)
        return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def with_confidence(frame: pl.DataFrame, scores: list[Scores], confidence: float) -> pl.DataFrame:
    """The frame of these scores, with the four ends as its last columns."""
    parts = [TopicConfidence.of(each, confidence).frame(each) for each in scores]
    on = ["run", "topic", "measure"]
    return frame.join(pl.concat(parts), on=on, how="left", maintain_order="left")


def _bootstrap(value: Floats, confidence: float) -> tuple[Floats, Floats]:
    ends = np.full((2, len(value)), np.nan)
    shares = [(1 - confidence) / 2, (1 + confidence) / 2]
    draws: dict[int, Floats] = {}
    for run, row in enumerate(value):
        known = row[~np.isnan(row)]
        n = len(known)
        if n < 2:
            continue
        if n not in draws:
            random = np.random.default_rng([SEED, n])
            draws[n] = random.multinomial(n, np.full(n, 1 / n), N_DRAWS) / n
        ends[:, run] = np.quantile(draws[n] @ known, shares)
    return ends[0], ends[1]


def details_of(pairs: "Pairwise", progress: Progress | None = None) -> dict[str, Any]:
    """Columns n_topics, effect, ci_lower, ci_upper, topics_needed, judgments_needed, and by the
    relevance model expected, pred_lower, pred_upper, combined_lower, combined_upper.

    All are first minus second; the first ones are about what was tested. Judgments are counted for
    weighted measures only: for others no judgment closes the interval for certain.
    """
    sign = np.where(pairs.difference < 0, -1.0, 1.0)
    rows = pairs.outcome.rows * sign[:, None]
    effect = effect_size(rows)
    low, high = topic_interval(rows, pairs.alpha)
    whole = {
        "topics_needed": topics_needed(effect, pairs.alpha, pairs.tails),
        "judgments_needed": judgments_needed(pairs, progress),
    }
    return {
        "n_topics": pairs.n_topics,
        "effect": effect,
        "ci_lower": low,
        "ci_upper": high,
        **{name: pl.Series(each).fill_nan(None).cast(pl.Int64) for name, each in whole.items()},
        **completed(pairs),
    }


CELLS = 1 << 23
"""Differences in a block: draws times topics times pairs."""


def completed(pairs: "Pairwise") -> dict[str, Floats]:
    """Return differences over completions of the relevance model; NaN where it has no interval.

    expected is their mean, pred_lower and pred_upper their 95% prediction interval on these
    topics; combined_lower and combined_upper allow for the sample of topics too, each a one-sided
    bound with the comparison's confidence, as in the gate.
    """
    names = ("expected", "pred_lower", "pred_upper", "combined_lower", "combined_upper")
    found = {name: np.full(len(pairs.first), np.nan) for name in names}
    measure = pairs.measure
    few = len(pairs.scores.topics) + len(pairs.scores.runs) <= MOST_MODELLED
    if pairs.unjudged_as == "assisted" or not few or not drawable(measure):
        return found
    evidence = TrainingData(measure, pairs.runs, pairs.judgments, contributing=pairs.contributing)
    if not pairs.judgments.judged.any():
        return found
    model = relevance_model(evidence)
    if model_doubts(evidence, model):
        return found
    drawn = model.draw().scores(measure)
    n_draws, _, n_topics = drawn.shape
    means = np.nan_to_num(mean_over_topics(drawn.reshape(-1, n_topics)).reshape(n_draws, -1))
    estimate = MeanEstimate.of_draws(means.mean(axis=0), means)
    _, low, high = estimate.differences(pairs.first, pairs.second)
    found |= {"pred_lower": low, "pred_upper": high}
    step = max(1, CELLS // (n_draws * n_topics))
    for begin in range(0, len(pairs.first), step):
        part = slice(begin, begin + step)
        gap = drawn[:, pairs.first[part]] - drawn[:, pairs.second[part]]
        centre, error, freedom = combined(gap)
        reach = stdtrit(np.maximum(freedom, 1.0), pairs.likely) * error
        found["expected"][part] = centre
        found["combined_lower"][part] = centre - reach
        found["combined_upper"][part] = centre + reach
    return found


def judgments_needed(pairs: "Pairwise", progress: Progress | None = None) -> Floats:
    """Judgments after which the sign of each difference of scores would be certain."""
    measure = pairs.measure
    needed = np.full(len(pairs.first), np.nan)
    if not isinstance(measure, Weighted) or measure.judged_only:
        return needed
    most = max_gain(measure, pairs.judgments)
    entries = open_entries(pairs.runs, pairs.judgments, measure)
    until = JudgmentsNeeded(entries, most, len(pairs.scores.topics), len(pairs.scores.runs))
    mean, closed = pairs.scores.mean(), _judged_weight(pairs, measure) * most
    for at, (a, b) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        judged = closed[a] + closed[b]
        rate = (mean[a] + mean[b]) / judged if judged > 0 else np.nan
        needed[at] = until.certain(a, b, mean[a] - mean[b], rate)
        if progress is not None:
            progress(at + 1, len(needed))
    return needed


def _judged_weight(pairs: "Pairwise", measure: Weighted) -> Floats:
    """Weight of each run's judged documents, mean over topics."""
    heads = weighty_heads(pairs.runs, measure)
    n_runs, n_topics = heads.length.shape
    weight = measure.weights(int(heads.length.max(initial=0)))[heads.entries.rank - 1]
    weight[~pairs.judgments.judged[heads.pair]] = 0.0
    total = np.bincount(heads.entries.run, weights=weight, minlength=n_runs).astype(np.float64)
    mean: Floats = total / max(n_topics, 1)
    return mean
