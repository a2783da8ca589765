"""What the runs say of a document: numbers computed from its ranks in all of them."""

from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Floats, Int32s, Int64s
from leadline.tables.cheap_labels import CheapLabels
from leadline.tables.runs import Postings

ABSENT = 2000.0
"""The rank that counts for a run that does not return the document."""

FLOOR = 0.01
"""Added to geometric sums of ranks."""

PLACES = (2, 3, 5)
"""The second, third and fifth best rank may be evidence too."""

NAMES = (
    "log sum 1/(60+rank)",
    "log(floor + sum .95^rank)",
    "log(floor + sum .8^rank)",
    "log best rank",
    "mean log rank",
    "share that returns it",
    "share with it in the first 100",
    "log(1 + number with it in the first 30)",
)


def voices(group: tuple[str, ...]) -> Floats:
    """How much each run counts where a group's runs count together as one."""
    number = {name: at for at, name in enumerate(dict.fromkeys(group))}
    unit = np.array([number[name] for name in group], np.int64)
    weight: Floats = 1 / np.bincount(unit)[unit]
    return weight


@dataclass(frozen=True, eq=False)
class RankFeatures:
    """What the runs of the postings say of each pair, each with its voice: a row for those asked.

    `floor` is added to geometric sums, which would otherwise tell a document at rank 300 from one
    at 400. The logarithms of the ranks at `places` come next, last what cheap judges say.
    """

    postings: Postings
    voice: Floats
    floor: float
    places: tuple[int, ...] = ()
    cheap: CheapLabels | None = None

    def __len__(self) -> int:
        return len(self.postings.start) - 1

    def __getitem__(self, pairs: Int32s | Int64s) -> Floats:
        """[pairs, features] of some pairs."""
        postings = self.postings.of(pairs)
        pair, n_pairs = postings.pair, len(pairs)
        total = float(self.voice.sum())
        weight = self.voice[postings.run]
        present = np.bincount(pair, weight, n_pairs)
        # A table of what each rank adds is far cheaper than a power for every entry.
        rank = np.arange(1, int(postings.rank.max(initial=1)) + 1, dtype=np.float64)
        place = postings.rank - 1

        def sums(of_rank: Floats, of_absent: float) -> Floats:
            there = np.bincount(pair, weight * of_rank[place], n_pairs)
            return there + (total - present) * of_absent

        best, *others = ranks_in_order(postings, (1, *self.places))
        labels = [] if self.cheap is None else self.cheap.columns(pairs)
        return np.stack(
            [
                np.log(sums(1 / (60 + rank), 1 / (60 + ABSENT))),
                np.log(self.floor + sums(0.95**rank, 0.0)),
                np.log(self.floor + sums(0.8**rank, 0.0)),
                np.log(best),
                sums(np.log(rank), float(np.log(ABSENT))) / total,
                present / total,
                sums((rank <= 100).astype(np.float64), 0.0) / total,
                np.log1p(sums((rank <= 30).astype(np.float64), 0.0)),
                *(np.log(ranks) for ranks in others),
                *labels,
            ],
            axis=1,
        )


def ranks_in_order(postings: Postings, places: tuple[int, ...]) -> list[Floats]:
    """For each place, that best of every pair's ranks; ABSENT where there are fewer."""
    n_returned = np.diff(postings.start)
    deepest = int(postings.rank.max(initial=1)) + 1
    # One key to sort by is faster than two.
    ordered = np.sort(postings.pair * deepest + postings.rank) - postings.pair * deepest
    table = []
    for place in places:
        rank = np.full(len(n_returned), ABSENT)
        some = n_returned >= place
        rank[some] = ordered[postings.start[:-1][some] + place - 1]
        table.append(rank)
    return table
