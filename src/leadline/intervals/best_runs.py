"""Whether the best k runs are certain as a set, whatever is judged later."""

from collections.abc import Callable

import numpy as np

from leadline.tables.arrays import Bools, Floats
from leadline.tables.runs import Runs
from leadline.tables.scores import SCORE_NOISE


def best_runs(runs: Runs, base: Floats, ceiling: Floats, k: int) -> Bools:
    """The k runs with the highest base; of those that tie for the last place, the highest ceiling.

    Only that choice can be certain: a run with more to come than its equal may still pass it. Of
    runs that are equal in both, the first by name.
    """
    if k >= len(base):
        return np.ones(len(base), np.bool_)
    last = np.partition(base, len(base) - k)[len(base) - k]
    chosen: Bools = base > last + SCORE_NOISE
    tied = np.flatnonzero(~chosen & (base >= last - SCORE_NOISE))
    order = np.lexsort((runs.place_by_name[tied], -ceiling[tied]))
    chosen[tied[order[: k - int(chosen.sum())]]] = True
    return chosen


def gap_below(base: Floats, ceiling: Floats, best: Bools) -> float:
    """How far the best of the others can reach above the worst of the best; never below 0."""
    return 0.0 if best.all() else max(0.0, float(ceiling[~best].max() - base[best].min()))


def out_of_reach(
    base: Floats, ceiling: Floats, best: Bools, upper: Callable[[int], Floats]
) -> bool:
    """Whether no other run can pass one of the best, by joint intervals.

    `ceiling` is what each run has if all its open documents are relevant, and `upper(b)` the upper
    ends of all differences to b.
    """
    if best.all():
        return True
    # Necessary and nearly free: if everything open is relevant, the others must stay below.
    if ceiling[~best].max() > ceiling[best].min() + 2 * SCORE_NOISE:
        return False
    inside = np.flatnonzero(best)
    # The lowest of the best is the likeliest to be reached, so most answers need no other.
    lowest_first = inside[np.argsort(base[inside], kind="stable")].tolist()
    return all((upper(run)[~best] <= SCORE_NOISE).all() for run in lowest_first)
