"""Whether a model of the judged documents fits them, rank after rank."""

from itertools import pairwise

import numpy as np

from leadline.estimators.evidence import Evidence
from leadline.estimators.gain_model import GainModel
from leadline.estimators.logistic import sigmoid

RANKS = (0, 1, 3, 7, 10, 20, 30, 50, 100)
"""The best rank of a document lies between two of these, the second one included."""

MOST_DEVIATIONS = 4.0
MOST_TIMES = 1.5
"""So far may the number of relevant documents lie from the expected one: both at once."""


def fit_doubts(evidence: Evidence, model: GainModel) -> tuple[str, ...]:
    """Why a fitted model cannot be relied on: at some ranks it is far from what it learnt from.

    For documents by their best rank in contributing runs, and every grade at which the gain rises:
    the number that reach it against the sum of their chances. A pool that was judged to some rank
    and filled up below with grades of 0 shows a step there, which no model of ranks has.
    """
    best, judged = evidence.contributors.runs.best_rank, evidence.judgments.judged
    for step in model.steps:
        for above, last in pairwise(RANKS):
            rows = np.flatnonzero(judged & (best > above) & (best <= last))
            chance = sigmoid(step.logit[rows])
            n, expected = int(step.relevant[rows].sum()), float(chance.sum())
            spread = float((chance * (1 - chance)).sum()) ** 0.5
            near = expected / MOST_TIMES <= n <= expected * MOST_TIMES
            if near or abs(n - expected) <= MOST_DEVIATIONS * spread:
                continue
            where = f"ranks {above + 1} to {last}" if last > above + 1 else f"rank {last}"
            return (
                f"{n / len(rows):.1%} of the judged documents whose best rank is at {where} have "
                f"grade {step.least} or more, where the model expects "
                f"{expected / len(rows):.1%}, so no error can be told; if judgments were filled up "
                "with grades of 0 there, take only those that people made",
            )
    return ()
