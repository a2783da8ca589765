"""Joint intervals of the differences between all pairs of runs, and what each run leaves open."""

from dataclasses import dataclass

import numpy as np

from leadline.measures.measure import Measure
from leadline.measures.weighted import Weighted
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores

EQUAL = 1e-12
"""Smaller differences are noise of the last digits."""

NOTHING = 1e-15
"""Ranks that weigh less than this together are left out."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Ends of mean(row run) - mean(column run) over all completions, NaN if there are none.

    Per run and as means over topics: residual, what unjudged listed documents leave open; tail,
    what lies beyond the ends of its lists; unjudged, the share of what the measure looks at that
    was not judged.
    """

    lower: Floats
    upper: Floats
    residual: Floats
    tail: Floats
    unjudged: Floats

    @property
    def certain(self) -> Bools:
        """Pairs that no completion can turn round or bring level: runs x runs."""
        with np.errstate(invalid="ignore"):
            apart: Bools = (self.lower > EQUAL) | (self.upper < -EQUAL)
        return apart


def joint_intervals(runs: Runs, judgments: Judgments, measure: Measure, scores: Scores) -> Joint:
    """The interval of every difference.

    For weighted measures (P, RBP, DCG, SDCG) it is joint: an unjudged document that both runs
    return moves both scores, and tails beyond the lists' ends are left out, as in
    `leadline.measures.joint_difference`. For others it is what the two runs' own intervals imply.
    Between runs with the same lists it is 0. NaN where the measure has no interval.
    """
    if isinstance(measure, Weighted) and not measure.judged_only:
        return _weighted(runs, judgments, measure, scores)
    low, high = scores.mean_lower(), scores.mean_upper()
    lower, upper = low[:, None] - high[None, :], high[:, None] - low[None, :]
    alike = same_lists(runs, measure.depth)
    if measure.bounded and not measure.judged_only:
        lower[alike] = upper[alike] = 0.0
    n = (~np.isnan(scores.judged)).sum(axis=1)
    share = np.divide(np.nansum(scores.judged, axis=1), n, out=np.ones(len(n)), where=n > 0)
    return Joint(lower, upper, high - low, np.zeros(len(low)), 1 - share)


def _weighted(runs: Runs, judgments: Judgments, measure: Weighted, scores: Scores) -> Joint:
    n_runs, n_topics = runs.start.shape
    entries = open_entries(runs, judgments, measure)
    most = float(measure.gain(judgments.max_grade).max())
    own = np.bincount(entries.run, weights=entries.weight, minlength=n_runs)
    shared = _shared(entries, n_runs)
    mean = scores.mean()
    scale = most / max(n_topics, 1)
    above = _snapped(scale * (own[:, None] - shared))
    difference = mean[:, None] - mean[None, :]
    length = (runs.stop - runs.start).ravel()
    heavy = np.concatenate([[0.0], measure.weights(int(length.max(initial=0))).cumsum()])
    listed = heavy[length].reshape(n_runs, n_topics).sum(axis=1)
    tail = most * measure.tail(length).reshape(n_runs, n_topics).mean(axis=1)
    share = np.divide(own, listed, out=np.zeros(n_runs), where=listed > 0)
    return Joint(difference - above.T, difference + above, scale * own, tail, share)


@dataclass(frozen=True, eq=False)
class OpenEntries:
    """Listed documents that nobody judged: pair, run and weight, by pair, heaviest first."""

    pair: Int64s
    run: Int64s
    weight: Floats


def open_entries(runs: Runs, judgments: Judgments, measure: Weighted) -> OpenEntries:
    """Every unjudged entry that has a weight."""
    n_topics = max(runs.start.shape[1], 1)
    lengths = (runs.stop - runs.start).ravel()
    weights = measure.weights(int(lengths.max(initial=0)))
    below = weights[::-1].cumsum()[::-1]
    rank = runs.entries.rank
    kept = np.flatnonzero((rank <= int((below >= NOTHING).sum())) & ~judgments.judged[runs.pair])
    lists = np.argsort(runs.start.ravel(), kind="stable")
    run = np.repeat(lists // n_topics, lengths[lists])[kept]
    pair, rank = runs.pair[kept].astype(np.int64), rank[kept]
    order = np.lexsort((run, rank, pair))
    return OpenEntries(pair[order], run[order], weights[rank[order] - 1])


def _shared(entries: OpenEntries, n_runs: int) -> Floats:
    """Sum over unjudged documents of the smaller of two runs' weights, for all pairs of runs."""
    total = np.zeros(n_runs * n_runs)
    pair, run, weight = entries.pair, entries.run, entries.weight
    # Entries of a pair lie together, heaviest first: of two, the later one has the smaller weight.
    here = np.arange(len(pair))
    for step in range(1, n_runs):
        here = here[here + step < len(pair)]
        here = here[pair[here] == pair[here + step]]
        if not len(here):
            break
        cell = run[here] * n_runs + run[here + step]
        total += np.bincount(cell, weights=weight[here + step], minlength=n_runs * n_runs)
    both = total.reshape(n_runs, n_runs)
    both = both + both.T
    np.fill_diagonal(both, np.bincount(run, weights=weight, minlength=n_runs))
    made: Floats = both
    return made


def _snapped(amount: Floats) -> Floats:
    """Without the noise of the last digits around 0."""
    return np.where(amount > EQUAL, amount, 0.0)


def same_lists(runs: Runs, depth: int | None) -> Bools:
    """Which pairs of runs return the same documents at the same ranks, down to a depth."""
    length = runs.stop - runs.start
    if depth is not None:
        length = np.minimum(length, depth)
    content = []
    for start, n in zip(runs.start, length, strict=True):
        at = np.repeat(start - (n.cumsum() - n), n) + np.arange(n.sum())
        content.append(n.tobytes() + runs.pair[at].tobytes())
    numbers = {each: number for number, each in enumerate(dict.fromkeys(content))}
    code = np.array([numbers[each] for each in content])
    same: Bools = code[:, None] == code[None, :]
    return same
