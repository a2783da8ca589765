"""Does a judge err by rank, by length, by where the terms of the query stand, or by time?"""

import numpy as np

from leadline.auditing.audited_pairs import AuditedPairs, AuditRow, known
from leadline.auditing.contrasts import held_against
from leadline.tables.arrays import Floats, Int64s

RANKS = (3, 10, 20, 50, 100)
"""Last ranks of the bands by the best rank over the runs."""

N_PARTS = 4
"""Parts of about equal size, by length or by time."""

NOWHERE = -1.0
"""The place of query terms that do not occur; NaN where there is no text."""


def aspect_rows(
    audited: AuditedPairs, section: str, names: list[str], part: Int64s, gain: Floats
) -> list[AuditRow]:
    """A line for each part: what the judge gives its pairs beyond others of the same human grade.

    `part` has the number of each pair's part, -1 where none; `gain` that of each label. In units of
    gain, pair by pair, each counted 1 / pi.
    """
    pair = audited.both[part[audited.both] >= 0]
    if not len(pair):
        return []
    member = part[pair] == np.arange(len(names))[:, None]
    weight = audited.weight(pair)
    other = weight if audited.by_label else np.ones(len(pair))
    grade = audited.human.grade[pair].astype(np.int64)
    contrasts = held_against(member, member * weight, np.ones(len(names)), other, grade)
    labelled = gain[audited.label[pair]]
    value, error = contrasts.values(labelled), contrasts.errors(labelled)
    half = audited.quantile * error if audited.choice != "chosen" else np.full(len(names), np.nan)
    return [
        AuditRow(
            section,
            name,
            known(value[at]),
            known(value[at] - half[at]),
            known(value[at] + half[at]),
            int(contrasts.n[at]),
        )
        for at, name in enumerate(names)
        if contrasts.n[at] > 1 and error[at] > 0
    ]


def rank_parts(best_rank: Int64s, last: int) -> tuple[list[str], Int64s]:
    """Bands of the best rank that some run gives a document, down to `last`; -1 for none."""
    ends = [rank for rank in RANKS if rank < last] + [last]
    begins = [1, *(end + 1 for end in ends[:-1])]
    names = [f"ranks {first} to {end}" for first, end in zip(begins, ends, strict=True)]
    part = np.searchsorted(ends, best_rank)
    inside = (best_rank >= 1) & (best_rank <= last)
    return names, np.where(inside, part, -1).astype(np.int64)


def length_parts(length: Floats) -> tuple[list[str], Int64s]:
    """Quarters by the number of words; NaN is in none."""
    there = ~np.isnan(length)
    if not there.any():
        return [], np.full(len(length), -1, np.int64)
    ends = np.unique(np.quantile(length[there], np.linspace(0, 1, N_PARTS + 1)[1:]).round())
    part = np.searchsorted(ends, np.where(there, length, 0.0))
    begins = [int(length[there].min()), *(int(end) + 1 for end in ends[:-1])]
    names = [f"{first} to {int(end)} words" for first, end in zip(begins, ends, strict=True)]
    return names, np.where(there, np.minimum(part, len(ends) - 1), -1).astype(np.int64)


def position_parts(position: Floats) -> tuple[list[str], Int64s]:
    """Where the first term of the query stands, as a share of the text; see NOWHERE."""
    names = ["first tenth", "rest of the first half", "second half", "no query term"]
    part = np.select(
        [np.isnan(position), position == NOWHERE, position < 0.1, position < 0.5],
        [-1, 3, 0, 1],
        2,
    )
    return names, part.astype(np.int64)


def time_parts(time: Floats) -> tuple[list[str], Int64s]:
    """Quarters of the labels in the order in which they were given; NaN is in none."""
    there = np.flatnonzero(~np.isnan(time))
    part = np.full(len(time), -1, np.int64)
    moments = np.unique(time[there])
    if len(moments) < 2:
        return [], part
    # Labels of one moment stay together.
    ends = np.unique(np.quantile(time[there], np.linspace(0, 1, N_PARTS + 1)[1:], method="higher"))
    part[there] = np.searchsorted(ends, time[there])
    return [f"period {at + 1} of {len(ends)}" for at in range(len(ends))], part
