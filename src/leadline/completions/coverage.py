"""What the judgments cover: relevant documents, and the shape of what was judged."""

import numpy as np
import polars as pl

from leadline.completions.estimator import TrainingData
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.judgments import Judgments
from leadline.data.runs import UNRANKED


def multiplicities(evidence: TrainingData, rel: int = 1) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Per topic: relevant documents within the depth, their occurrences, those seen once, pairs.

    The last is sum i * (i - 1) * f_i, f_i documents occurring i times.
    """
    pairs, judgments = evidence.runs.pairs, evidence.judgments
    seen = np.bincount(evidence.pooled_runs.top(evidence.depth).pair, minlength=len(pairs))
    seen = np.where(judgments.judged & (judgments.grade >= rel), seen, 0)
    topic, n = pairs.topic, len(pairs.topics)

    def total(amount: Int64s | Bools) -> Int64s:
        return np.bincount(topic, amount, n).astype(np.int64)

    return total(seen > 0), total(seen), total(seen == 1), total(seen * (seen - 1))


def gamma(evidence: TrainingData, rel: int = 1) -> Floats:
    """Per topic, how unevenly the contributing runs find its relevant documents.

    Formula: gamma^2 = max(0, R / (1 - f_1 / C) * sum_i i (i - 1) f_i / (C (C - 1)) - 1),
    divided by the number of runs: R relevant documents occur C times within the depth, f_i of them
    i times. 0 where all occur once, or none.

    Chao and Lee, Estimating the number of classes via sample coverage, JASA 1992; Lu, Moffat and
    Culpepper, SIGIR 2017, Eq. 10.
    """
    n_relevant, occurrences, once, again = multiplicities(evidence, rel)
    c = occurrences.astype(np.float64)
    some = again > 0
    spread = np.zeros(len(c))
    # R / (1 - f_1 / C) / (C * (C - 1)) with C cancelled, exact for whole numbers.
    spread[some] = (n_relevant * again)[some] / ((occurrences - once) * (c - 1))[some]
    root: Floats = np.sqrt(np.maximum(spread - some, 0.0)) / len(evidence.pooled_runs)
    return root


def adjusted(uneven: Floats, theta: float) -> Bools:
    """Topics whose scores are to be adjusted: gamma above theta; all of them if theta is 0."""
    above: Bools = uneven > theta
    return above if theta > 0 else np.ones(len(uneven), np.bool_)


def coverage(evidence: TrainingData, theta: float, rel: int = 1) -> pl.DataFrame:
    """Columns topic, relevant, occurrences, once, gamma, adjusted, why."""
    uneven = gamma(evidence, rel)
    n_relevant, occurrences, once, _ = multiplicities(evidence, rel)
    n_runs = len(evidence.pooled_runs)
    why = []
    for topic in range(len(uneven)):
        if n_relevant[topic] == 0:
            reason = f"no relevant document within depth {evidence.depth}"
        elif once[topic] == occurrences[topic]:
            reason = "every relevant document found by one run only, gamma undefined"
        else:
            finders = occurrences[topic] / n_relevant[topic]
            reason = f"a relevant document is found by {finders:.1f} of {n_runs} runs on average"
        sign = "above" if uneven[topic] > theta else "not above"
        why.append(f"gamma {sign} {theta:g}: {reason}" if theta > 0 else f"all topics: {reason}")
    return pl.DataFrame(
        {
            "topic": evidence.runs.pairs.topics,
            "relevant": n_relevant,
            "occurrences": occurrences,
            "once": once,
            "gamma": uneven,
            "adjusted": adjusted(uneven, theta),
            "why": why,
        }
    )


MOST_BEYOND = 0.3
"""So many of the judged documents may lie deeper than the pool: residual runs, other sources."""

LEAST_SHARE, LEAST_ZERO = 0.5, 0.1
"""A pool that is judged in part reaches as deep as so many of the pooled runs' documents of every
rank are judged. So many of the judged documents must have grade 0: some collections list relevant
documents only."""

NEITHER = "judgments are neither a pool nor a sample"
ADVICE = (
    "judged documents are not like the others, and no error can be told; judge a pool "
    "(leadline pool --strategy 'Depth(d=10)'), or draw a sample ('WeightedSample(...)', "
    "'UniformSample(...)') "
    "and estimate with ModelAssisted; of judgments that the order LikelyWinner chose, take the "
    "scores by its "
    "audit, which leadline next prints"
)


def shape_doubts(evidence: TrainingData) -> tuple[str, ...]:
    """Why estimates by a model of the judged documents cannot be relied on; empty for a pool.

    Judgments that were sampled at random, that reach to a depth in all pooled runs, or that do so
    for most documents, show what unjudged documents are like, because the model is conditional on
    ranks. Those that an order picked for what they decide do not.
    """
    judgments, pool = evidence.judgments, evidence.pool
    drawn = judgments.inclusion is not None
    if drawn or (pool is not None and bool((pool.inclusion[pool.member] < 1).any())):
        return ()
    best = evidence.pooled_runs.runs.best_rank
    judged = best[judgments.judged & (best < UNRANKED)]
    try:
        depth = evidence.depth
    except ValueError:
        depth = _depth_in_part(best.astype(np.int64), judgments)
    if not depth:
        share = float(judgments.judged[best == 1].mean()) if (best == 1).any() else 0.0
        seen = f"only {share:.0%} of the pooled runs' first documents are judged"
        return (f"{NEITHER} ({seen}): {ADVICE}",)
    beyond = float((judged > depth).mean()) if len(judged) else 0.0
    if beyond > MOST_BEYOND:
        seen = f"runs are judged to depth {depth}, {beyond:.0%} of the judgments are deeper"
        return (f"{NEITHER} ({seen}): {ADVICE}",)
    return ()


def _depth_in_part(best: Int64s, judgments: Judgments) -> int:
    """Return the deepest best rank up to which LEAST_SHARE is judged at every rank, 0 for none."""
    judged = judgments.judged
    if not judged.any() or (judgments.grade[judged] <= 0).mean() < LEAST_ZERO:
        return 0
    ranked = best < UNRANKED
    of_rank = np.bincount(best[ranked])[1:]
    enough = np.bincount(best[ranked & judged], minlength=len(of_rank) + 1)[1:]
    short = enough < LEAST_SHARE * of_rank
    return int(short.argmax()) if short.any() else len(of_rank)
