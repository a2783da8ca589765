"""Whether estimates agree about the best runs, and what to know of the best one's score."""

import numpy as np

from leadline.comparison.tiers import ranked
from leadline.estimators.assisted import SHRUNK
from leadline.tables.arrays import Floats
from leadline.tables.scores import Scores

N_LEADERS = 3
LEADER_EXCESS = "in simulation by up to 1.8 standard errors on average"
"""How far too high leaders scored: see docs/methods/few.md."""

EQUAL = 1e-12


def leaders_line(scores: list[Scores], alone: Floats | None = None) -> str:
    """A warning where the estimates, or judged documents alone, order the leaders differently.

    The leaders are the first three of any of them. Empty where all agree. `alone` are the mean
    scores of judged documents alone, the lower ends without it.
    """
    first = scores[0]
    by_judged = _mean_lower(first) if alone is None else alone
    means = {"judged documents alone": np.nan_to_num(by_judged)}
    for each in scores:
        if each.obtained != "LB":
            means[each.obtained] = np.nan_to_num(each.mean())
    names = np.array(first.runs)
    orders = {name: ranked(mean, first.runs)[:N_LEADERS] for name, mean in means.items()}
    leaders = np.unique(np.concatenate(list(orders.values())))
    swapped = False
    reference = next(iter(means.values()))[leaders]
    for mean in means.values():
        gap, other = np.subtract.outer(reference, reference), mean[leaders]
        swapped |= bool(((gap > EQUAL) & (np.subtract.outer(other, other) < -EQUAL)).any())
    if not swapped:
        return ""
    told = "; ".join(f"{name}: {', '.join(names[order])}" for name, order in orders.items())
    return f"the order of the leaders depends on the estimator, do not rely on it. {told}"


def _mean_lower(scores: Scores) -> Floats:
    mean: Floats = np.nanmean(scores.lower, axis=1) if scores.lower.size else np.zeros(0)
    return mean


def leader_caveat(scores: Scores) -> str | None:
    """Return why the best run's score may be too high, where a sample chose and scored it.

    None for shrunk scores, whose leaders were about as often too low.
    """
    mean = scores.estimated_mean
    if mean is None or (mean.degrees is None and not mean.withheld) or len(mean.value) < 2:
        return None
    if mean.withheld == SHRUNK:
        return None
    name = scores.runs[int(ranked(mean.value, scores.runs)[0])]
    caveat = (
        f"{name} is scored on the judgments that made it the leader, so its score may be too high"
    )
    if mean.withheld:
        return f"{caveat}; take Assisted(shrink=true) for an order of the runs"
    rivals = mean.rivals()
    if rivals < 2:
        return None
    return f"{caveat}, {LEADER_EXCESS}; its interval allows for the {rivals} runs that may lead"
