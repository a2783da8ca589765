"""How far a pool covers the relevant documents of a topic, and whether to adjust its scores."""

import numpy as np
import polars as pl

from leadline.estimators.contributed_entries import ContributedEntries
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs


def multiplicities(
    runs: Runs, judgments: Judgments, depth: int, rel: int = 1, contributing: Bools | None = None
) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Per topic: relevant documents within the depth, their occurrences, those seen once, pairs.

    The last is sum i * (i - 1) * f_i, f_i documents occurring i times.
    """
    returned = ContributedEntries.of(runs, contributing)
    near = returned.rank <= depth
    seen = np.bincount(returned.pair[near], minlength=len(runs.pairs))
    seen = np.where(judgments.judged & (judgments.grade >= rel), seen, 0)
    topic, n = runs.pairs.topic, returned.n_topics

    def total(amount: Int64s | Bools) -> Int64s:
        return np.bincount(topic, amount, n).astype(np.int64)

    return total(seen > 0), total(seen), total(seen == 1), total(seen * (seen - 1))


def gamma(
    runs: Runs, judgments: Judgments, depth: int, rel: int = 1, contributing: Bools | None = None
) -> Floats:
    """Per topic, how unevenly the contributing runs find its relevant documents.

    Formula: gamma^2 = max(0, R / (1 - f_1 / C) * sum_i i (i - 1) f_i / (C (C - 1)) - 1),
    divided by the number of runs: R relevant documents occur C times within the depth, f_i of them
    i times. 0 where all occur once, or none.

    Chao and Lee, Estimating the number of classes via sample coverage, JASA 1992; Lu, Moffat and
    Culpepper, SIGIR 2017, Eq. 10.
    """
    n_relevant, occurrences, once, again = multiplicities(runs, judgments, depth, rel, contributing)
    c = occurrences.astype(np.float64)
    some = again > 0
    spread = np.zeros(len(c))
    # R / (1 - f_1 / C) / (C * (C - 1)) with C cancelled, exact for whole numbers.
    spread[some] = (n_relevant * again)[some] / ((occurrences - once) * (c - 1))[some]
    n_runs = len(runs.names) if contributing is None else int(contributing.sum())
    root: Floats = np.sqrt(np.maximum(spread - some, 0.0)) / n_runs
    return root


def adjusted(uneven: Floats, theta: float) -> Bools:
    """Topics whose scores are to be adjusted: gamma above theta; all of them if theta is 0."""
    above: Bools = uneven > theta
    return above if theta > 0 else np.ones(len(uneven), np.bool_)


def coverage(
    runs: Runs,
    judgments: Judgments,
    depth: int,
    theta: float,
    rel: int = 1,
    contributing: Bools | None = None,
) -> pl.DataFrame:
    """Columns topic, relevant, occurrences, once, gamma, adjusted, why."""
    uneven = gamma(runs, judgments, depth, rel, contributing)
    n_relevant, occurrences, once, _ = multiplicities(runs, judgments, depth, rel, contributing)
    chosen = adjusted(uneven, theta)
    n_runs = len(runs.names) if contributing is None else int(contributing.sum())
    why = []
    for topic in range(len(uneven)):
        if n_relevant[topic] == 0:
            reason = f"no relevant document within depth {depth}"
        elif once[topic] == occurrences[topic]:
            reason = "every relevant document found by one run only, gamma undefined"
        else:
            found = occurrences[topic] / n_relevant[topic]
            reason = f"a relevant document is found by {found:.1f} of {n_runs} runs on average"
        sign = "above" if uneven[topic] > theta else "not above"
        why.append(f"gamma {sign} {theta:g}: {reason}" if theta > 0 else f"all topics: {reason}")
    return pl.DataFrame(
        {
            "topic": runs.pairs.topics,
            "relevant": n_relevant,
            "occurrences": occurrences,
            "once": once,
            "gamma": uneven,
            "adjusted": chosen,
            "why": why,
        }
    )
