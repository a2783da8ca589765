"""Whom a judge favours: labels beyond what documents with the same human grade get."""

import numpy as np

from leadline.auditing.audited_pairs import AuditRow, known
from leadline.auditing.contrasts import Contrasts
from leadline.auditing.owned_documents import OwnedDocuments, held_against
from leadline.auditing.run_bias import AuditedScores
from leadline.tables.arrays import Bools, Floats, Int64s
from leadline.tables.cheap_labels import NO_LABEL

RUNS_SHARE = 0.1
"""Of the level: so much is for runs by all that they return, as much for families, the rest for
groups by what they alone return."""

MANY_GROUPS, HIGH_RANKS = (1, 3, 6, 10), (3, 10, 30)
"""Ends of the bands in which documents of runs are held against each other: by how many groups
return them, and by the best rank that some run gives them."""


def favour_rows(scores: AuditedScores, family: tuple[str | None, ...], seed: int) -> list[AuditRow]:
    """Sections favour by group, by family and by run, then those favoured and marked down.

    The chance that an honest judge, whose errors depend on the human grade alone, is said to favour
    or to mark down anybody is 1 - confidence in all.
    """
    audited, weights = scores.audited, scores.weights
    label = audited.label[weights.pair]
    pair = np.flatnonzero(audited.human.judged[weights.pair] & (label != NO_LABEL))
    if not len(pair):
        return []
    grade = audited.human.grade[weights.pair[pair]].astype(np.int64)
    chance = audited.chance(weights.pair[pair])
    gain = scores.label_gain[label[pair]]
    level = 1 - audited.confidence
    with_family = len({name for name in family if name}) > 1
    of_groups = level * (1 - (2 if with_family else 1) * RUNS_SHARE)
    rows, named = [], []

    def add(
        kind: str, names: tuple[str, ...], contrasts: Contrasts, tested: Bools, level: float
    ) -> None:
        found = _tested(contrasts, tested, gain, level, seed, audited.choice != "chosen")
        for at in np.argsort(-found[0], kind="stable"):
            value, lower, upper = (known(column[at]) for column in found)
            n = int(contrasts.n[at])
            rows.append(AuditRow(f"favour by {kind}", names[at], value, lower, upper, n))
            if (lower is not None and lower > 0) or (upper is not None and upper < 0):
                verdict = "favoured" if lower is not None and lower > 0 else "marked down"
                named.append(AuditRow(verdict, f"{kind} {names[at]}", value, lower, upper, n))

    groups = OwnedDocuments.of(weights, scores.runs.group)
    owners = [("group", groups, of_groups)]
    if with_family:
        owners.append(("family", OwnedDocuments.of(weights, family), level * RUNS_SHARE))
    for kind, owned, part in owners:
        contrasts = owned.contrasts(pair, grade, chance, audited.by_label)
        add(kind, owned.names, contrasts, owned.tested, part)
    by_run = _of_runs(scores, pair, grade, chance, groups.n_owners)
    add("run", scores.runs.names, by_run, np.ones(len(by_run.n), np.bool_), level * RUNS_SHARE)
    return rows + sorted(named, key=lambda row: (row.section, -abs(row.value or 0.0)))


def _of_runs(
    scores: AuditedScores, pair: Int64s, grade: Int64s, chance: Floats, n_owners: Int64s
) -> Contrasts:
    """All that a run returns against what it does not.

    Of documents with one grade those that many groups return, and that stand high somewhere, are
    the better ones: a good run is not favoured because a judge sees that. They are held against
    documents of their kind.
    """
    weight = scores.weights.matrix[:, pair].toarray()
    many = np.searchsorted(MANY_GROUPS, n_owners[pair])
    best = scores.runs.best_rank[scores.weights.pair[pair]]
    high = np.searchsorted(HIGH_RANKS, best)
    kind = (grade * (len(MANY_GROUPS) + 1) + many) * (len(HIGH_RANKS) + 1) + high
    return held_against(
        weight > 0,
        weight / chance,
        np.asarray(scores.weights.matrix.sum(axis=1), np.float64),
        1 / chance if scores.audited.by_label else np.ones(len(pair)),
        kind,
    )


def _tested(
    contrasts: Contrasts, tested: Bools, gain: Floats, level: float, seed: int, intervals: bool
) -> tuple[Floats, Floats, Floats]:
    """Values, and the ends of intervals that hold all together; NaN where nothing is tested."""
    value = np.where(contrasts.n > 0, contrasts.values(gain), np.nan)
    error = contrasts.errors(gain)
    tested = tested & (error > 0) & intervals
    half = np.full(len(value), np.nan)
    if tested.any():
        some = Contrasts(contrasts.weight[tested], contrasts.stratum, contrasts.n[tested])
        half[tested] = some.critical(gain, level, seed) * error[tested]
    return value, value - half, value + half
