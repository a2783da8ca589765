"""What the runs say of a document: numbers computed from its ranks in all of them."""

import numpy as np

from leadline.tables.arrays import Floats, Int64s
from leadline.tables.runs import Runs

ABSENT = 2000
"""The rank that counts for a run that does not return the document."""

FLOOR = 0.01
"""Added to geometric sums, which would otherwise tell a document at rank 300 from one at 400."""

NAMES = (
    "log sum 1/(60+rank)",
    "log(.01 + sum .95^rank)",
    "log(.01 + sum .8^rank)",
    "log best rank",
    "mean log rank",
    "share of runs",
    "share of runs in the first 100",
    "log(1 + runs in the first 30)",
)

KERNELS = 7
OF_ABSENT = np.array([1 / (60 + ABSENT), 0.95**ABSENT, 0.8**ABSENT, np.log(ABSENT), 0.0, 0.0, 0.0])
"""What a run adds to the sums of a document that it does not return."""


def kernels(rank: Floats) -> Floats:
    """What a run adds to the sums of a document that it has at this rank: a column each."""
    one = np.ones_like(rank)
    return np.stack(
        [
            1 / (60 + rank),
            0.95**rank,
            0.8**rank,
            np.log(rank),
            one,
            np.where(rank <= 100, one, 0.0),
            np.where(rank <= 30, one, 0.0),
        ],
        axis=-1,
    )


def features(sums: Floats, best: Floats, n_runs: int) -> Floats:
    """The features of documents, a column each, from sums over the runs and best ranks."""
    return np.stack(
        [
            np.log(sums[:, 0]),
            np.log(FLOOR + sums[:, 1]),
            np.log(FLOOR + sums[:, 2]),
            np.log(best),
            sums[:, 3] / n_runs,
            sums[:, 4] / n_runs,
            sums[:, 5] / n_runs,
            np.log1p(sums[:, 6]),
        ],
        axis=1,
    )


def evidence(runs: Runs) -> Floats:
    """The features of every pair over these runs, and over nothing else: [pair, name]."""
    holders = runs.postings
    n_pairs, n_runs = len(runs.pairs), len(runs.names)
    held = np.diff(holders.start)
    deepest = int(holders.rank.max(initial=1))
    # A table of what each rank adds is far cheaper than a power for every entry.
    table = kernels(np.arange(1, deepest + 1, dtype=np.float64))
    place = holders.rank - 1
    pair = np.repeat(np.arange(n_pairs), held)
    sums = np.empty((n_pairs, KERNELS))
    absent: Int64s = n_runs - held
    for column in range(KERNELS):
        present = np.bincount(pair, weights=table[place, column], minlength=n_pairs)
        sums[:, column] = present + absent * OF_ABSENT[column]
    best = np.full(n_pairs, float(ABSENT))
    some = np.flatnonzero(held)
    if len(some):
        best[some] = np.minimum.reduceat(holders.rank, holders.start[some])
    return features(sums, best, n_runs)
