"""Whom a judge favours: labels beyond what documents with the same human grade get."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from leadline.auditing.audited_pairs import AuditRow, known
from leadline.auditing.contrasts import Contrasts, held_against
from leadline.auditing.level_shares import level_shares
from leadline.auditing.owned_documents import OwnedDocuments, bands
from leadline.auditing.run_bias import AuditedScores
from leadline.tables.arrays import Floats, Int64s
from leadline.tables.cheap_labels import NO_LABEL

RUNS_SHARE, FAMILIES_SHARE, HELD_BACK = 0.05, 0.1, 0.4
"""Of the level: so much is for runs by all that they return, and for families where there are any;
so much is kept since the likelihoods of groups are those of many; the rest is for groups by what
they alone return."""

MARKED_DOWN = 0.1
"""Of what groups or families are left: so much is for being marked down, the rest for favour."""

Z95 = 1.96
SOUGHT = 0.05
"""The favour, in units of the measure, that as many owners as possible are to be named for."""

RUN_BANDS = 10
"""Bands of fused scores inside which documents of a run are compared with others."""


def favour_rows(scores: AuditedScores, family: tuple[str | None, ...], seed: int) -> list[AuditRow]:
    """Sections favour by group, by family and by run, then those favoured and marked down.

    The chance that an honest judge, whose errors depend on the human grade and on how high runs
    rank a document, is said to favour or to mark down anybody is 1 - confidence in all.
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
    of_families = level * FAMILIES_SHARE * with_family
    of_groups = level * (1 - HELD_BACK - RUNS_SHARE) - of_families
    groups = OwnedDocuments.of(weights, scores.runs.group)
    told = [_Told("group", groups.names, *_of_owners(scores, groups, of_groups))]
    if with_family:
        owned = OwnedDocuments.of(weights, family)
        told.append(_Told("family", owned.names, *_of_owners(scores, owned, of_families)))
    by_run = _of_runs(scores, pair, grade, chance, groups.fused)
    ends = _tested(by_run, gain, level * RUNS_SHARE, seed, audited.choice != "chosen")
    told.append(_Told("run", scores.runs.names, *ends, by_run.n))
    rows = [row for each in told for row in each.rows]
    named = [row for each in told for row in each.named]
    return rows + sorted(named, key=lambda row: (row.section, -abs(row.value or 0.0)))


@dataclass(frozen=True, eq=False)
class _Told:
    """What is said of the groups, families or runs: values, ends of intervals, judged documents."""

    kind: str
    names: tuple[str, ...]
    value: Floats
    lower: Floats
    upper: Floats
    n: Int64s

    def _row(self, section: str, name: str, at: int) -> AuditRow:
        value, lower, upper = (known(end[at]) for end in (self.value, self.lower, self.upper))
        return AuditRow(section, name, value, lower, upper, int(self.n[at]))

    @property
    def rows(self) -> list[AuditRow]:
        order = np.argsort(-self.value, kind="stable")
        return [self._row(f"favour by {self.kind}", self.names[at], int(at)) for at in order]

    @property
    def named(self) -> list[AuditRow]:
        """Those whose interval leaves 0 out."""
        made = []
        for section, beyond in (("favoured", self.lower > 0), ("marked down", self.upper < 0)):
            for at in np.flatnonzero(beyond):
                made.append(self._row(section, f"{self.kind} {self.names[at]}", int(at)))
        return made


def _of_owners(
    scores: AuditedScores, owned: OwnedDocuments, level: float
) -> tuple[Floats, Floats, Floats, Int64s]:
    """What the judge adds to each owner's mean score by labels on what it alone returns."""
    audited, pair = scores.audited, scores.weights.pair
    label, judged = audited.label[pair].astype(np.int64), audited.human.judged[pair]
    grade, chance = audited.human.grade[pair].astype(np.int64), audited.chance(pair)
    n = (owned.member & judged & (label != NO_LABEL)).sum(axis=1).astype(np.int64)
    value, lower, upper = np.full((3, len(n)), np.nan)
    others = n.sum() - n
    some = (n > 0) & (others > 0)
    tested = owned.tested & (n > 1) & some & (audited.choice != "chosen")
    if not some.any():
        return value, lower, upper, n
    raised, gain = owned.raised(label, scores.label_gain, grade, judged, chance)
    error = owned.own * raised.errors(gain)
    size = np.divide(SOUGHT, error, out=np.full(len(n), np.inf), where=error > 0)
    share = np.ones(len(n))
    share[tested] = level_shares(size[tested], level * (1 - MARKED_DOWN))
    sides = np.array([1 - MARKED_DOWN, MARKED_DOWN])
    largest_step = float(np.diff(gain).max(initial=0.0))
    for at, favour in enumerate(raised.favours(gain)):
        if some[at]:
            # By Student's t, as few judgments tell less than their likelihood says.
            below, above = -stdtrit(max(int(n[at]) - 1, 1), level * share[at] * sides)
            added = favour.interval(below, above)
            value[at] = added[0] * owned.own[at]
            if tested[at]:
                # Of labels that go up one step some stand on documents that weigh more than others.
                alike = max(abs(added[0]) * (largest_step - abs(added[0])), 0.0)
                uneven = Z95 * owned.unevenness[at] * alike**0.5
                lower[at], upper[at] = (
                    further(value[at], end * owned.own[at], side, uneven)
                    for side, end in zip((-1, 1), added[1:], strict=True)
                )
    return value, lower, upper, n


def further(value: float, end: float, side: int, more: float) -> float:
    """The end of an interval, below (side -1) or above, with an error of its own taken in too.

    An end that does not reach 0 still does not: there the logarithm is moved.

    >>> further(0.05, -0.01, -1, 0.08), further(0.05, 0.05, 1, 0.02)
    (-0.05, 0.07)
    >>> round(further(0.05, 0.02, -1, 0.02), 4)
    0.0184
    """
    if value * end > 0 and abs(end) < abs(value):
        return float(value * np.exp(-np.hypot(np.log(value / end), more / value)))
    return float(value + side * np.hypot(end - value, more))


def _of_runs(
    scores: AuditedScores, pair: Int64s, grade: Int64s, chance: Floats, fused: Floats
) -> Contrasts:
    """All that a run returns against what it does not.

    Of documents with one grade those that many runs return, and rank high, are the better ones: a
    good run is not favoured because a judge sees that. Documents are compared with others of the
    same grade and of about the same fused rank.
    """
    weight = scores.weights.matrix[:, pair].toarray()
    kind = grade * RUN_BANDS + bands(fused[pair], RUN_BANDS)
    return held_against(
        weight > 0,
        weight / chance,
        np.asarray(scores.weights.matrix.sum(axis=1), np.float64),
        1 / chance if scores.audited.by_label else np.ones(len(pair)),
        kind,
    )


def _tested(
    contrasts: Contrasts, gain: Floats, level: float, seed: int, intervals: bool
) -> tuple[Floats, Floats, Floats]:
    """Values, and the ends of intervals that hold all together; NaN where nothing is tested."""
    value = np.where(contrasts.n > 0, contrasts.values(gain), np.nan)
    error = contrasts.errors(gain)
    tested = (error > 0) & intervals
    half = np.full(len(value), np.nan)
    if tested.any():
        some = Contrasts(contrasts.weight[tested], contrasts.stratum, contrasts.n[tested])
        half[tested] = some.critical(gain, level, seed) * error[tested]
    return value, value - half, value + half
