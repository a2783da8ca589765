"""What two runs hold open together, so that their difference has one interval for each topic."""

from dataclasses import dataclass

import numpy as np

from leadline.comparison.joint import open_entries
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


@dataclass(frozen=True, eq=False)
class OpenWeight:
    """What unjudged listed documents can add: own[run, topic], shared[pair of runs, topic].

    score_a - score_b lies between value - (own_b - shared) and value + (own_a - shared). Pairs of
    runs (a, b), a < b, come in the order (0, 1), (0, 2), ..., (1, 2), ...
    """

    own: Floats
    shared: Floats


def open_weight(runs: Runs, judgments: Judgments, measure: Weighted) -> OpenWeight:
    """Own and shared open weight of all runs: shared is the sum of min(c_ad, c_bd) over unjudged d.

    max(0, x - y) = x - min(x, y), so the joint interval of a difference needs no more than that.
    """
    n_runs, n_topics = runs.start.shape
    found = open_entries(runs, judgments, measure)
    most = float(measure.gain(judgments.max_grade).max())
    topic = runs.pairs.topic[found.pair].astype(np.int64)
    own = np.bincount(
        found.run * n_topics + topic, weights=found.weight, minlength=n_runs * n_topics
    )
    shared = np.zeros(n_runs * (n_runs - 1) // 2 * n_topics)
    here = np.arange(len(found.pair))
    for step in range(1, n_runs):
        here = here[here + step < len(found.pair)]
        here = here[found.pair[here] == found.pair[here + step]]
        if not len(here):
            break
        # Entries of a document come heaviest first: of two, the later one has the smaller weight.
        later = here + step
        a = np.minimum(found.run[here], found.run[later])
        b = np.maximum(found.run[here], found.run[later])
        cell = pair_number(a, b, n_runs) * n_topics + topic[here]
        shared += np.bincount(cell, weights=found.weight[later], minlength=len(shared))
    return OpenWeight(
        most * own.astype(np.float64).reshape(n_runs, n_topics),
        most * shared.reshape(-1, n_topics),
    )


def pair_number(a: Int64s, b: Int64s, n_runs: int) -> Int64s:
    """The place of (a, b), a < b, among all pairs of runs.

    >>> pair_number(np.array([0, 0, 1]), np.array([1, 2, 2]), 3).tolist()
    [0, 1, 2]
    """
    number: Int64s = a * n_runs - a * (a + 1) // 2 + b - a - 1
    return number
