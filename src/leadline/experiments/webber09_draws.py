"""What a sample of pooled runs does to the scores of all others, for many samples at once."""

import numpy as np
from scipy import sparse

from leadline.estimators.evidence import ABSENT, KERNELS, OF_ABSENT, features, kernels
from leadline.estimators.regression import OWN_DEPTH, fit_logistic, own_levels, sigmoid
from leadline.experiments.webber09_setup import DEPTH, MEASURE, Stage
from leadline.tables.arrays import Bools, Floats, Int32s, Int64s


def counts(on: Stage, chosen: Bools) -> Floats:
    """How many of the runs that each draw pools have each pair in their first ranks."""
    found: Floats = np.asarray(on.top @ chosen.T.astype(np.float64))
    return found


def irrelevant(on: Stage, pooled: Bools, new: Int64s) -> Floats:
    """Scores [new, topic, draw] if what is not pooled has no worth; `pooled[pair, draw]`."""
    worth = on.worth[:, new].tocoo()
    shape = (len(new) * len(on.topics), len(on.topic))
    cell = worth.col * len(on.topics) + on.topic[worth.row]
    by_list = sparse.csr_matrix((worth.data, (cell, worth.row)), shape)
    scores: Floats = by_list @ pooled.astype(np.float64)
    return scores.reshape(len(new), len(on.topics), -1)


def open_weight(on: Stage, pooled: Bools, new: Int64s) -> Floats:
    """What the ranks that are not pooled weigh: [new, topic, draw]."""
    weight = _weights(on, new).tocoo()
    shape = (len(new) * len(on.topics), len(on.topic))
    cell = weight.col * len(on.topics) + on.topic[weight.row]
    by_list = sparse.csr_matrix((weight.data, (cell, weight.row)), shape)
    sums: Floats = by_list @ (~pooled).astype(np.float64)
    return sums.reshape(len(new), len(on.topics), -1)


def condensed(on: Stage, pooled: Bools, new: Int64s) -> Floats:
    """Scores [new, topic, draw] of lists from which all that is not pooled was taken out."""
    weights = np.append(MEASURE.weights(DEPTH), 0.0)
    scores = np.zeros((len(new), len(on.topics), pooled.shape[1]))
    for topic in range(len(on.topics)):
        mine = np.flatnonzero(on.topic == topic)
        rank = on.rank[np.ix_(mine, new)]
        order = np.argsort(rank, axis=0, kind="stable")
        # Pairs that a run does not return come last, and count as if they were not pooled.
        there = np.take_along_axis(rank, order, axis=0) < ABSENT
        known = pooled[mine][order] & there[:, :, None]
        place = np.cumsum(known, axis=0, dtype=np.int16)
        weight = weights[np.minimum(place - 1, DEPTH)]
        gain = on.gain[mine][order]
        scores[:, topic] = np.einsum("eri,er->ri", np.where(known, weight, 0.0), gain)
    return scores


def from_systems(on: Stage, chosen: Bools, count: Floats, new: Int64s) -> Floats:
    """Algorithm 1's adjustment [new, draw]: what the pooled runs lose when new takes their place.

    A pair that one run alone pools is lost with it, unless the new run has it in its first ranks.
    """
    width = chosen.sum(axis=1)
    worth = np.asarray(on.worth @ chosen.T.astype(np.float64))
    alone = np.where(count == 1, worth, 0.0)
    kept = np.asarray(on.top[:, new].T @ alone)
    lost: Floats = (alone.sum(axis=0) - kept) / (width * len(on.topics))
    return lost


def predicted(on: Stage, chosen: Bools, count: Floats, new: Int64s) -> Floats:
    """What the gains learnt from each draw's pool add to the mean score of every new run."""
    amount = np.zeros((len(new), len(chosen)))
    weight = _weights(on, new)
    needed = np.flatnonzero(np.asarray(weight.sum(axis=1)).ravel() > 0)
    for draw, mine in enumerate(chosen):
        judged = np.flatnonzero(count[:, draw] > 0)
        relevant = on.gain[judged] > 0
        if relevant.all() or not relevant.any():
            continue
        wanted = needed[count[needed, draw] == 0]
        rows = np.concatenate([judged, wanted])
        rank = on.rank[np.ix_(rows, np.flatnonzero(mine))]
        sums = _sums(rank)
        feature = features(sums, rank.min(axis=1).astype(np.float64), int(mine.sum()))
        model = fit_logistic(feature[: len(judged)], on.topic[judged], relevant, len(on.topics))
        logit = model.logit(feature, on.topic[rows])
        at, run = np.nonzero(on.rank[np.ix_(judged, new)] <= OWN_DEPTH)
        own, _ = own_levels(logit[at], relevant[at], run, len(new))
        entry = weight[wanted].tocoo()
        gain = entry.data * sigmoid(logit[len(judged) + entry.row] + own[entry.col])
        amount[:, draw] = np.bincount(entry.col, gain, len(new)) / len(on.topics)
    return amount


def _sums(rank: Int32s) -> Floats:
    """Sums over runs of what each rank adds."""
    return np.stack([_ADDS[rank - 1, column].sum(axis=1) for column in range(KERNELS)], axis=1)


_ADDS = np.concatenate([kernels(np.arange(1.0, ABSENT)), OF_ABSENT[None]])
"""What each rank adds to the sums, absence last."""


def _weights(on: Stage, new: Int64s) -> "sparse.csr_matrix":
    """weight[pair, new]: what a relevant document would add to each new run."""
    rank = on.rank[:, new]
    row, column = np.nonzero(rank <= DEPTH)
    value = MEASURE.weights(DEPTH)[rank[row, column] - 1]
    return sparse.csr_matrix((value, (row, column)), rank.shape)
