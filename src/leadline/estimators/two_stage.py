"""Two stages: rank models weighted over the runs, then the models weighted among themselves."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadline.estimators.contributed_entries import ContributedEntries, judged_depth
from leadline.estimators.estimator import Estimated, estimators, filled, known_gains
from leadline.estimators.rank_models import Linear, Threshold, Weibull, Zipf, check_theta
from leadline.estimators.simplex_deviations import least_deviations
from leadline.estimators.simplex_norms import least_norms
from leadline.estimators.simplex_squares import least_squares
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.documents import WordCounts
from leadline.tables.judgments import Judgments
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs

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

    def gains(
        self,
        measure: Weighted,
        runs: Runs,
        judgments: Judgments,
        pool: Pool | None = None,
        contributing: Bools | None = None,
        words: WordCounts | None = None,
    ) -> Estimated:
        """The same gain for a document in every list; the tail is worth what nobody returns."""
        depth = judged_depth(runs, judgments, pool, contributing)
        returned = ContributedEntries.of(runs, contributing)
        known, most = known_gains(measure, judgments)
        mean = returned.mean_gain(known / most, depth)
        curves = np.stack([model.curves(mean, returned.deepest) for model in MODELS])
        first, second = self.weights(measure, judgments, returned, known / most, curves)
        wanted = self.adjusts(measure, runs, judgments, depth, contributing)
        by_document, absent = combine(returned, curves, first, second, wanted)
        tail = np.broadcast_to(most * absent, runs.start.shape)
        return filled(measure, runs, judgments, most * by_document[runs.pair], tail)

    def weights(
        self,
        measure: Weighted,
        judgments: Judgments,
        returned: ContributedEntries,
        gain: Floats,
        curves: Floats,
    ) -> tuple[Floats, Floats]:
        """Weights of runs [models, topics, runs] and of models [topics, models]."""
        n_models, n_topics, _ = curves.shape
        first = np.full((n_models, n_topics, returned.n_runs), 1 / returned.n_runs)
        second = np.full((n_topics, n_models), 1 / n_models)
        by_rank = np.append(measure.weights(returned.deepest), 0.0)
        for topic in range(n_topics):
            pairs = judged_of(returned, judgments, topic)
            if not len(pairs) or not gain[pairs].any():
                continue
            # A document that a run does not return is at rank 0 here, the last place of a curve.
            rank = returned.ranks_of(pairs)
            weight = by_rank[rank - 1]
            combined = np.empty((len(pairs), n_models))
            for model in range(n_models):
                guess = curves[model, topic][rank - 1]
                first[model, topic] = self.weigh(guess, gain[pairs], weight)
                combined[:, model] = guess @ first[model, topic]
            second[topic] = self.weigh(combined, gain[pairs], weight)
        return first, second


def judged_of(returned: ContributedEntries, judgments: Judgments, topic: int) -> Int64s:
    """The judged documents of a topic that some contributing run returns."""
    low, high = returned.topic_start[topic : topic + 2]
    held = np.diff(returned.start[low : high + 1]) > 0
    found: Int64s = low + np.flatnonzero(judgments.judged[low:high] & held)
    return found


def combine(
    returned: ContributedEntries, curves: Floats, first: Floats, second: Floats, wanted: Bools
) -> tuple[Floats, Floats]:
    """The gain of every pair, and per topic that of a document which no run returns."""
    n_pairs = len(returned.start) - 1
    at_end = (second.T * curves[:, :, -1]).sum(axis=0) * wanted
    topic_of = np.repeat(np.arange(returned.n_topics), np.diff(returned.topic_start))
    gain = at_end[topic_of]
    rise = np.zeros(len(returned.pair))
    for model, curve in enumerate(curves):
        above = curve[returned.topic, returned.rank - 1] - curve[returned.topic, -1]
        share = first[model, returned.topic, returned.run] * second[returned.topic, model]
        rise += share * above
    gain = gain + np.bincount(returned.pair, rise * wanted[returned.topic], n_pairs)
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
