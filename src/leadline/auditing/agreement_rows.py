"""Agreement, kappa, alpha and confusion of a judge with people, with intervals."""

from collections.abc import Callable

import numpy as np

from leadline.auditing.audited_pairs import AuditedPairs, AuditRow
from leadline.comparison.label_agreement import Agreement
from leadline.tables.arrays import Floats, Int64s

STEP = 1e-4
"""Of all pairs: by so many more or fewer in a cell a statistic is differentiated."""

Statistic = Callable[[Agreement], float]


def agreement_rows(audited: AuditedPairs, rel: int) -> list[AuditRow]:
    """Sections agreement and confusion.

    Grades as they stand where both scales have the same top; whether a document is relevant in any
    case: from grade `rel` on for people, and for the judge on a scale of another top from 1 on.
    """
    pair = audited.both
    human = audited.human.grade[pair].astype(np.int64)
    label = audited.label[pair].astype(np.int64)
    same = audited.top == audited.human.max_grade
    rows = []
    if same:
        statistics: dict[str, Statistic] = {
            "same grade": Agreement.observed,
            "kappa": Agreement.kappa,
            "weighted kappa": lambda seen: seen.kappa(weighted=True),
            "alpha": Agreement.alpha,
        }
        rows += _rows(audited, pair, human, label, statistics)
    relevant = (human >= rel).astype(np.int64), (label >= (rel if same else 1)).astype(np.int64)
    binary: dict[str, Statistic] = {
        "relevant or not": Agreement.observed,
        "kappa of relevant or not": Agreement.kappa,
        "alpha of relevant or not": Agreement.alpha,
    }
    rows += _rows(audited, pair, *relevant, binary)
    return rows + _confusion(audited, pair, human, label)


def _rows(
    audited: AuditedPairs,
    pair: Int64s,
    human: Int64s,
    label: Int64s,
    statistics: dict[str, Statistic],
) -> list[AuditRow]:
    size = int(max(human.max(initial=1), label.max(initial=1))) + 1
    cell = human * size + label
    # As many as were seen, so that what allows for few pairs does so.
    weight = audited.weight(pair)
    scale = len(pair) / weight.sum() if len(pair) else 1.0
    count = np.bincount(cell, weight * scale, size * size).astype(np.float64)
    rows = []
    for name, statistic in statistics.items():
        value = statistic(Agreement(count.reshape(size, size)))
        change = gradient(statistic, count, size) * scale
        # Where all that was seen is alike, nothing tells how far the statistic may be off.
        error = float(audited.error(pair, change[cell])) or np.nan
        rows.append(audited.row("agreement", name, value, error, len(pair), -1.0, 1.0))
    return rows


def gradient(statistic: Statistic, count: Floats, size: int) -> Floats:
    """How the statistic changes with one more pair in each cell that has some; 0 elsewhere."""
    change = np.zeros(len(count))
    step = STEP * max(float(count.sum()), 1.0)
    for cell in np.flatnonzero(count):
        moved = np.repeat(count[None], 2, axis=0)
        moved[:, cell] += step, -min(step, count[cell])
        above, below = (statistic(Agreement(each.reshape(size, size))) for each in moved)
        change[cell] = (above - below) / (moved[0, cell] - moved[1, cell])
    return np.nan_to_num(change)


def _confusion(audited: AuditedPairs, pair: Int64s, human: Int64s, label: Int64s) -> list[AuditRow]:
    """The share of pairs with each grade of people and of the judge."""
    weight = audited.weight(pair)
    total = max(float(weight.sum()), 1.0)
    rows = []
    for grade in range(audited.human.max_grade + 1):
        for given in range(audited.top + 1):
            here = (human == grade) & (label == given)
            share = float(weight[here].sum()) / total
            error = float(audited.error(pair, (here - share) / total))
            name = f"people {grade}, judge {given}"
            row = audited.share_row("confusion", name, share, error, weight)
            rows.append(row._replace(n=int(here.sum())))
    return rows
