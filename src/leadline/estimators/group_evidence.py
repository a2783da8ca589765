"""What the groups say of a document: numbers computed from its ranks in all runs."""

import numpy as np

from leadline.tables.arrays import Floats
from leadline.tables.runs import Runs

ABSENT = 2000.0
"""The rank that counts for a run that does not return the document."""

PLACES = (2, 3, 5)
"""The second, third and fifth best rank are evidence too."""

NAMES = (
    "log sum 1/(60+rank)",
    "log sum .95^rank",
    "log sum .8^rank",
    "log best rank",
    "mean log rank",
    "share that returns it",
    "share with it in the first 100",
    "log(1 + number with it in the first 30)",
    *(f"log of the {place}. best rank" for place in PLACES),
)


def voices(runs: Runs, by_group: bool) -> Floats:
    """How much each run counts: a group's runs together as one, or each as one."""
    if not by_group:
        return np.ones(len(runs.names))
    number = {name: at for at, name in enumerate(dict.fromkeys(runs.group))}
    group = np.array([number[name] for name in runs.group], np.int64)
    weight: Floats = 1 / np.bincount(group)[group]
    return weight


def group_evidence(runs: Runs, by_group: bool = True) -> Floats:
    """[pairs, features] of every pair over these runs, and over nothing else."""
    holders = runs.postings
    n_pairs = len(runs.pairs)
    held = np.diff(holders.start)
    pair = np.repeat(np.arange(n_pairs), held)
    voice = voices(runs, by_group)
    total = float(voice.sum())
    weight = voice[holders.run]
    present = np.bincount(pair, weight, n_pairs)
    # A table of what each rank adds is far cheaper than a power for every entry.
    rank = np.arange(1, int(holders.rank.max(initial=1)) + 1, dtype=np.float64)
    place = holders.rank - 1

    def sums(of_rank: Floats, of_absent: float) -> Floats:
        found = np.bincount(pair, weight * of_rank[place], n_pairs)
        return found + (total - present) * of_absent

    deep = _ranks_in_order(runs)
    return np.stack(
        [
            np.log(sums(1 / (60 + rank), 1 / (60 + ABSENT))),
            np.log(FLOOR + sums(0.95**rank, 0.0)),
            np.log(FLOOR + sums(0.8**rank, 0.0)),
            np.log(deep[0]),
            sums(np.log(rank), float(np.log(ABSENT))) / total,
            present / total,
            sums((rank <= 100).astype(np.float64), 0.0) / total,
            np.log1p(sums((rank <= 30).astype(np.float64), 0.0)),
            *(np.log(each) for each in deep[1:]),
        ],
        axis=1,
    )


FLOOR = 1e-9
"""Keeps the logarithm of a sum finite where no run returns the document."""


def best_ranks(runs: Runs) -> Floats:
    """The best rank of every pair; ABSENT where nobody returns it."""
    return _ranks_in_order(runs)[0]


def _ranks_in_order(runs: Runs) -> list[Floats]:
    """The best rank of every pair, then those at PLACES; ABSENT where there are fewer runs."""
    holders = runs.postings
    n_pairs = len(runs.pairs)
    held = np.diff(holders.start)
    pair = np.repeat(np.arange(n_pairs), held)
    deepest = int(holders.rank.max(initial=1)) + 1
    # One key to sort by is faster than two.
    ordered = np.sort(pair * deepest + holders.rank) - pair * deepest
    found = []
    for place in (1, *PLACES):
        rank = np.full(n_pairs, ABSENT)
        some = held >= place
        rank[some] = ordered[holders.start[:-1][some] + place - 1]
        found.append(rank)
    return found
