"""Two stages: rank models weighted over the runs, then the models weighted among themselves."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.estimators.estimated_gains import EstimatedGains
from leadline.estimators.estimator import estimators
from leadline.estimators.evidence import Evidence
from leadline.estimators.rank_models import (
    Linear,
    Threshold,
    Weibull,
    Zipf,
    check_theta,
    fitted,
)
from leadline.estimators.simplex_deviations import least_deviations
from leadline.estimators.simplex_norms import least_norms
from leadline.estimators.simplex_squares import least_squares
from leadline.tables.arrays import Bools, Floats, Int64s

MODELS = (Linear(), Zipf(), Weibull())


class TwoStage(Threshold):
    """A gain for every document: a mean over models of a mean over runs of the model at its rank.

    A subclass says how the weights of both means are found.
    """

    @abstractmethod
    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Weights that are not negative and sum to 1, one for each column of `guess`.

        Rows are judged documents with their gain; `weight` [documents, runs] is that of their
        ranks, 0 where a run does not return one.
        """

    def gains(self, evidence: Evidence) -> EstimatedGains:
        """The same gain for a document in every list; the tail is worth what nobody returns."""
        most = evidence.max_gain
        curves = rank_curves(evidence)
        first, second = self.weights(evidence, curves)
        by_document, absent = combine(evidence, curves, first, second, self.adjusts(evidence))
        return evidence.filled(most * by_document[evidence.runs.pair], most * absent)

    def weights(self, evidence: Evidence, curves: Floats) -> tuple[Floats, Floats]:
        """Weights of runs [models, topics, runs] and of models [topics, models]."""
        teachers = evidence.contributors
        gain = evidence.known_gain / evidence.max_gain
        n_models, n_topics, _ = curves.shape
        first = np.full((n_models, n_topics, len(teachers)), 1 / len(teachers))
        second = np.full((n_topics, n_models), 1 / n_models)
        by_rank = np.append(evidence.weighted.weights(teachers.deepest), 0.0)
        for topic in range(n_topics):
            pairs = judged_of(evidence, topic)
            if not len(pairs) or not gain[pairs].any():
                continue
            # A document that a run does not return is at rank 0 here, the last place of a curve.
            rank = teachers.ranks_of(pairs)
            weight = by_rank[rank - 1]
            combined = np.empty((len(pairs), n_models))
            for model in range(n_models):
                guess = curves[model, topic][rank - 1]
                first[model, topic] = self.weigh(guess, gain[pairs], weight)
                combined[:, model] = guess @ first[model, topic]
            second[topic] = self.weigh(combined, gain[pairs], weight)
        return first, second


def rank_curves(evidence: Evidence) -> Floats:
    """[models, topics, ranks]: the curve of every rank model, as a share of the largest gain."""
    teachers = evidence.contributors
    mean = teachers.mean_gain(evidence.known_gain / evidence.max_gain, evidence.depth)
    return np.stack([fitted(model, mean, teachers.deepest) for model in MODELS])


def judged_of(evidence: Evidence, topic: int) -> Int64s:
    """The judged documents of a topic that some contributing run returns."""
    low, high = np.searchsorted(evidence.runs.pairs.topic, [topic, topic + 1])
    held = np.diff(evidence.contributors.postings.start[low : high + 1]) > 0
    judged: Int64s = low + np.flatnonzero(evidence.judgments.judged[low:high] & held)
    return judged


def combine(
    evidence: Evidence, curves: Floats, first: Floats, second: Floats, wanted: Bools
) -> tuple[Floats, Floats]:
    """The gain of every pair, and per topic that of a document which no run returns."""
    postings, topic_of = evidence.contributors.postings, evidence.runs.pairs.topic
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
class Uniform(TwoStage):
    """Mean over the rank models and over the runs, all weighted equally.

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
class La(TwoStage):
    """Rank models weighted over runs, then among themselves, so that the runs' scores come out.

    Formula: min over weights w of sum_i (sum_D W(rank of D in i) * (h_w(D) - r_D))^2, D judged

    h_w(D) is the mean, by w, of the model at D's rank in each run; a run that does not return D
    counts with the model's gain at the deepest rank. Both stages are least squares over weights
    that are not negative and sum to 1, solved exactly; of equal optima the shortest w is taken.

    Lu, Moffat and Culpepper, Can deep effectiveness metrics be evaluated using shallow judgment
    pools?, SIGIR 2017, Eq. 7.
    """

    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)

    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Least squares over the scores of the runs."""
        return least_squares(weight.T @ guess, weight.T @ gain)


@estimators.register
@dataclass(frozen=True)
class Lb(TwoStage):
    """Rank models weighted over runs, then among themselves, so that the documents' gains come out.

    Formula: min over weights w of sum_D |h_w(D) - r_D| * sqrt(sum_i W(rank of D in i)^2), D judged

    As La, but a linear programme. grouping=runs is how the authors' software reads the formula:
    min of sum_i sqrt(sum_D W(rank of D in i)^2 * (h_w(D) - r_D)^2), solved by Newton's method.

    Lu, Moffat and Culpepper, SIGIR 2017, Eq. 8.
    """

    grouping: Literal["documents", "runs"] = "documents"
    theta: float = 0.0

    def __post_init__(self) -> None:
        check_theta(self.theta)
        if self.grouping not in ("documents", "runs"):
            raise ValueError(f"grouping must be documents or runs, not {self.grouping}")

    def weigh(self, guess: Floats, gain: Floats, weight: Floats) -> Floats:
        """Least absolute deviations, or least norms."""
        if self.grouping == "documents":
            size = np.sqrt((weight * weight).sum(axis=1))
            return least_deviations(guess * size[:, None], gain * size)[0]
        document, run = np.nonzero(weight)
        at = weight[document, run]
        return least_norms(guess[document] * at[:, None], gain[document] * at, run)[0]
