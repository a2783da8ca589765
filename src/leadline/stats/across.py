"""Runs compared over several collections: means of collections, tests with these as blocks."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from leadline.completions.bounds import Joint
from leadline.completions.winner import ScorePosterior
from leadline.data.arrays import Floats
from leadline.data.scores import SCORE_NOISE, Scores
from leadline.stats.pairwise import Outcome, Pairwise, row_means
from leadline.stats.significance import corrected, tests


def across_collections(names: Sequence[str], parts: Sequence[Pairwise], seed: int = 0) -> Pairwise:
    """Return the pairs of the same runs over all these collections, each counted alike.

    A score is the mean of the collections' means, and a difference is tested by topics paired
    within their collection: for topics like these of these collections. Bounds are the means of
    the collections' bounds, because the completions of two collections do not depend on each other.
    """
    first = parts[0]
    value, lower, upper, judged = (
        np.stack([getattr(part.scores, name)() for part in parts], axis=1)
        for name in ("mean", "mean_lower", "mean_upper", "mean_judged")
    )
    measure = first.scores.measure
    scores = Scores(first.scores.runs, tuple(names), measure, value, lower, upper, judged)
    random = np.random.default_rng(seed)
    made = replace(
        first,
        scores=scores,
        joint=_mean_joint([part.joint for part in parts]),
        outcome=_outcome(parts, random),
        contributing=None,
        anytime=None,
        anytime_ends=None,
    )
    made = replace(made, p_corrected=corrected(made.outcome.p, made.correction))
    # The models of the collections are fitted apart, so what they say is independent.
    made.__dict__["posterior"] = _mean_posterior([part.posterior for part in parts])
    return made


def _mean_joint(joints: Sequence[Joint]) -> Joint:
    def mean(name: str) -> Floats:
        total: Floats = np.mean([getattr(joint, name) for joint in joints], axis=0)
        return total

    return Joint(*map(mean, ("lower", "upper", "tail", "unjudged")))


def _mean_posterior(posteriors: Sequence[ScorePosterior | None]) -> ScorePosterior | None:
    """Return the model of the means of scores; None where a collection has no model."""
    known = [each for each in posteriors if each is not None]
    if len(known) < len(posteriors):
        return None
    n = len(known)
    mean = np.mean([each.mean for each in known], axis=0)
    covariance = np.sum([each.covariance for each in known], axis=0) / n**2
    return replace(known[0], mean=mean, covariance=covariance)


def _outcome(parts: Sequence[Pairwise], random: np.random.Generator) -> Outcome:
    first, second = parts[0].first, parts[0].second
    tables = [part.scores.value for part in parts]
    by_collection = [row_means(table[first] - table[second]) for table in tables]
    difference = np.mean(by_collection, axis=0)
    names = np.array(parts[0].scores.runs)
    equal = ~(np.abs(difference) > SCORE_NOISE)
    ahead = np.where(equal, names[first] < names[second], difference > 0)
    better, other = np.where(ahead, first, second), np.where(ahead, second, first)
    test = tests.parse(parts[0].test)
    p = test.across(tables, better, other, parts[0].tails, random)
    rows = np.concatenate([table[better] - table[other] for table in tables], axis=1)
    return Outcome(difference, rows, p, np.abs(difference) > SCORE_NOISE)
