"""Scores from a pool in batches that have no bias at all: batches added up, pair by pair."""

import numpy as np

from leadline.estimators.pair_weights import PairWeights
from leadline.estimators.sampled_mean import mean_of_draws
from leadline.tables.arrays import Floats
from leadline.tables.batch_draws import BatchDraws
from leadline.tables.mean_estimate import MeanEstimate

MORE_AFTER_FIRST, MORE_LATER = 2.0, 1.5
"""So much more than by equal chances later batches tell; by trec_dl21_half, robust2004_pooled42."""


def batch_shares(chance: Floats) -> Floats:
    """[batches, pairs]: how much each batch counts for a pair, 1 all together.

    Of what earlier ones left, batch b takes pi_b / (pi_b + T ((1 - next)^-m - 1)), m being the
    batches that still come for the pair, next its chance in the following one (pi_b if it has no
    turn there), and the last one takes the rest: pi / (1 - pi) over what has been left is how much
    a batch tells, T how much more later ones tell than they would by the same chance. No share
    follows from whether its own batch, or a later one, draws the pair.

    >>> batch_shares(np.array([[0.5], [0.5]])).round(3).tolist()
    [[0.2], [0.8]]
    """
    turn = chance > 0
    later = turn[::-1].cumsum(axis=0)[::-1] - turn
    share, left = np.zeros(chance.shape), np.ones(chance.shape[1])
    for batch, pi in enumerate(chance):
        more = MORE_LATER if batch else MORE_AFTER_FIRST
        following = chance[min(batch + 1, len(chance) - 1)]
        following = np.where(following > 0, following, pi)
        with np.errstate(divide="ignore"):
            still = more * ((1 - following) ** -later[batch].astype(np.float64) - 1)
        own = np.divide(pi, pi + still, out=np.zeros(len(pi)), where=turn[batch])
        share[batch] = left * own
        left -= share[batch]
    return share


def told_gains(draws: BatchDraws, gain: Floats) -> tuple[Floats, Floats, Floats]:
    """The gain told of every pair, without bias; what its draw added to it; and its share.

    With a_b the share of batch b, f_b what others' draws up to it say and h the gain:
    sum_b a_b f_b for what was never drawn, and for what batch b drew
    sum_{c<b} a_c f_c + a_b (f_b + (h - f_b) / pi_b) + (1 - sum_{c<=b} a_c) h.
    """
    share = batch_shares(draws.chance)
    rows = np.flatnonzero(draws.batch)
    at = draws.batch[rows] - 1
    modelled, counted = (share * draws.expected).cumsum(axis=0), share.cumsum(axis=0)
    # Where no batch could draw, the model alone speaks.
    told = modelled[-1] + (1 - counted[-1]) * draws.expected[-1]
    own = share[at, rows]
    step, of_draw = np.zeros(len(told)), np.zeros(len(told))
    step[rows] = own * (gain[rows] - draws.expected[at, rows]) / draws.chance[at, rows]
    told[rows] = modelled[at, rows] + step[rows] + (1 - counted[at, rows]) * gain[rows]
    of_draw[rows] = own
    return told, step, of_draw


def assisted_by_batches(weights: PairWeights, draws: BatchDraws, gain: Floats) -> MeanEstimate:
    """The mean score of every run, and the covariance of their errors.

    Given what was known before a batch and the draws of the others in it, whether it draws a pair
    adds nothing on average: the variance is the sum over drawn pairs of
    (W a_b (h - f_b) / pi_b)^2 (1 - pi_b).
    """
    told, step, share = told_gains(draws, gain)
    rows = np.flatnonzero(draws.batch)
    at = draws.batch[rows] - 1
    chance = draws.chance[at, rows]
    weight = weights.matrix[:, rows].toarray()
    typical = weight * (share[rows] * draws.spread[at, rows] / chance)
    return mean_of_draws(weights.scores(told), weight * step[rows], chance, typical)
