"""Whom a judge favours: labels of owned documents beyond what their human grades explain."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import ndtr, stdtrit

from leadline.completions.pair_weights import PairWeights
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.labels import NO_LABEL
from leadline.labels.audited_pairs import AuditRow, Contrasts, held_against, known
from leadline.labels.run_bias import AuditedScores, means_of

EVEN = 0.1
"""Of the level: so much is for all tests alike, whatever they are expected to find."""

LEAST_SIZE, MOST_SIZE = 0.5, 10.0
"""In standard errors: what is smaller is not found, and what is larger is found at any level."""


def level_shares(size: Floats, level: float) -> Floats:
    """The share of `level` for each test, so that most of them are expected to find something.

    `size` is what each is expected to find, in standard errors. One that reaches c_i finds it with
    chance Phi(size_i - c_i), and finds nothing amiss where nothing is but for Phi(-c_i). The sum of
    the first is largest for a given sum of the second where

        c_i = size_i / 2 + k / size_i

    Spjotvoll, On the optimality of some multiple comparison procedures, 1972; Roeder and Wasserman,
    Genome-wide significance levels and weighted hypothesis testing, 2009. Nine tenths follow this,
    one is for all alike, as what there is may be smaller or larger than expected. Sizes must not
    follow from the figures that are tested, or the level is not kept.

    >>> level_shares(np.array([4.0, 4.0, 8.0, 8.0]), 0.04).round(3).tolist()
    [0.474, 0.474, 0.026, 0.026]
    """
    if not len(size):
        return np.zeros(0)
    size = np.clip(np.nan_to_num(size, nan=MOST_SIZE), LEAST_SIZE, MOST_SIZE)

    def beyond(k: float) -> Floats:
        tail: Floats = ndtr(-size / 2 - k / size)
        return tail

    most = 20 * MOST_SIZE
    k = brentq(lambda each: float(beyond(each).sum()) - level, -most, most, xtol=1e-12)
    follows = beyond(k)
    shares: Floats = EVEN / len(size) + (1 - EVEN) * follows / follows.sum()
    return shares


MOST_LEVELS = 6
"""Grades of people, or of the judge, that are told apart; of more, neighbours are put together."""

TILTS = 8 * np.sinh(np.linspace(-2.5, 2.5, 61)) / np.sinh(2.5)
"""By how much the log odds of the best label against the worst rise, or fall, where the likelihood
is worked out: most of them near 0."""

ROUGHLY = TILTS[::3]
"""Enough to tell who is suspect."""

N_STEPS, LEAST_STEP = 150, 1e-4
SEEN_BEFORE = 0.01
"""Documents with every label and grade that count as seen, so that no chance is 0."""

AS_ELSEWHERE = 2.0
"""Documents of each label of an owner that count as judged, with grades as those of all owners."""


@dataclass(frozen=True, eq=False)
class RaisedLabels:
    """Labels of documents that one owner alone returns, and what people say of some of them.

    For every owner G there are two sides, its documents and those of other single owners.
    `labelled` [owners, 2, labels] counts documents, judged or not; `graded` [owners, 2, grades,
    labels] those that people judged. Others are weighted to be ranked as G's are, and count as many
    as would tell as much. Among such an honest judge labels by the human grade h alone: P(y | h).
    If it favours G, the log odds of each label of G against the next lower one rise by the same,
    P_b(y | h) ~ P(y | h) exp(b y / best label). The human grades of either side S have any
    distribution t_S, so nothing is assumed of how good G is:

        L(b) = sum_Sy N_Sy log P(y | S) + sum_Shy n_Shy log P(h | y, S)
        P(y | G) = sum_h t_Gh P_b(y | h)

    Labels of what nobody judged count too: they tell how often G's labels are high, and the judged
    ones how often that is earned.
    """

    labelled: Floats
    graded: Floats

    @classmethod
    def of(
        cls,
        member: Bools,
        label: Int64s,
        grade: Int64s,
        judged: Bools,
        chance: Floats,
        band: Int64s,
    ) -> "RaisedLabels":
        """`member` [owners, pairs]; all pairs that have a label, from 0, with grades from 0.

        Pairs of others are weighted so that they lie in each `band` as often as the owner's do.
        Judged pairs of one side and label that were drawn with other chances count 1 / chance, and
        all of them as many as would tell as much if they counted alike.
        """
        n_labels, n_grades = int(label.max(initial=0)) + 1, int(grade.max(initial=0)) + 1
        single = member.any(axis=0)
        others = (single & ~member) * _matched(member, single & ~member, band)
        sides = np.stack([member.astype(np.float64), others], axis=1)
        of_label = np.eye(n_labels)[label]
        weight = np.divide(1.0, chance, out=np.zeros(len(chance)), where=judged)
        of_both = (np.eye(n_grades)[grade][:, :, None] * of_label[:, None]).reshape(len(label), -1)
        total, square = (
            sides @ (weight[:, None] * of_label),
            sides**2 @ (weight[:, None] ** 2 * of_label),
        )
        count = (sides @ (weight[:, None] * of_both)).reshape(*sides.shape[:2], n_grades, n_labels)
        alike = np.divide(total, square, out=np.zeros(total.shape), where=square > 0)
        whole, squares = sides.sum(axis=2), (sides**2).sum(axis=2)
        labelled = sides @ of_label
        labelled *= np.divide(whole, squares, out=np.zeros(whole.shape), where=squares > 0)[
            ..., None
        ]
        # Never more judged documents of a label than there are.
        most = np.divide(labelled, total, out=np.zeros(total.shape), where=total > 0)
        return cls(labelled, count * np.minimum(alike, most)[:, :, None])

    def _climb(self, owner: Int64s, tilt: Floats, gain: Floats) -> tuple[Floats, Floats]:
        """The log likelihood of each tilt [problems] for an owner [problems], and what it adds.

        That is to the mean gain of the owner's labels. Expectation and maximisation over P(y | h)
        and t, from what was judged: Dempster, Laird and Rubin 1977.
        """
        graded = self.graded[owner]
        unseen = self.labelled[owner] - graded.sum(axis=2)
        table = graded.sum(axis=1) + SEEN_BEFORE
        by_grade = _rows(table)
        earned = _rows(graded.sum(axis=3) + _rows(table.sum(axis=2))[:, None])
        n_labels = table.shape[-1]
        factor = np.exp(tilt[:, None] * np.arange(n_labels) / max(n_labels - 1, 1))[:, None]
        before = np.full(len(tilt), -np.inf)
        for _ in range(N_STEPS):
            tilted = by_grade * factor
            whole = tilted.sum(axis=2, keepdims=True)
            joint = earned[..., None] * np.stack([tilted / whole, by_grade], axis=1)
            of_label = joint.sum(axis=2)
            now = (unseen * _log(of_label)).sum(axis=(1, 2))
            now += (graded * _log(joint)).sum(axis=(1, 2, 3))
            if np.max(now - before) < LEAST_STEP:
                break
            before = now
            seen = graded + (unseen / np.maximum(of_label, 1e-300))[:, :, None] * joint
            of_grade = seen.sum(axis=3)
            earned = _rows(of_grade)
            # Where the derivative of the expected likelihood by P(y | h) is 0.
            expected = of_grade[:, 1, :, None] + of_grade[:, 0, :, None] * factor / whole
            by_grade = _rows((seen.sum(axis=1) + SEEN_BEFORE) / np.maximum(expected, SEEN_BEFORE))
        added = (tilted / whole - by_grade) @ gain
        return now, (earned[:, 0] * added).sum(axis=1)

    def favours(self, gain: Floats, tilts: Floats = TILTS) -> list["Favour"]:
        """For each owner how likely its labels were raised; `gain` is that of each label."""
        n = len(self.labelled)
        value, added = self._climb(np.repeat(np.arange(n), len(tilts)), np.tile(tilts, n), gain)
        value, added = value.reshape(n, -1), added.reshape(n, -1)
        none = len(tilts) // 2
        return [Favour(tilts, value[at] - value[at, none], added[at]) for at in range(n)]

    def errors(self, gain: Floats) -> Floats:
        """How far off, roughly, the mean gain that favour adds to each owner's labels is told.

        Formula: sqrt(sum_h t_Gh s_h^2 / N_G + v_G (1 / n - 1 / N_G) + sum_h t_Gh^2 s_h^2 / n_h)

        Labels of N_G documents with human grade h vary by s_h^2 about their mean m_h, and judged
        ones of other single owners, n_h of them, tell m_h; v_G is how m_h varies given the label.
        n is as many judged documents as any owner has, N_G at most: who has few, because nothing
        was suspected, is not harder to find out about.
        """
        total = self.labelled.sum(axis=2)
        judged = self.graded.sum(axis=2)
        told = _rows((self.graded.sum(axis=1) + SEEN_BEFORE).swapaxes(1, 2)).swapaxes(1, 2)
        earned = self.graded + AS_ELSEWHERE * told[:, None]
        earned /= (judged + AS_ELSEWHERE)[:, :, None]
        joint = earned * self.labelled[:, :, None]
        by_grade = _rows(joint.sum(axis=1))
        mean = by_grade @ gain
        square = np.maximum(by_grade @ gain**2 - mean**2, 0.0)
        mine = earned[:, 0]
        spread = (mine * mean[:, :, None] ** 2).sum(axis=1)
        spread -= (mine * mean[:, :, None]).sum(axis=1) ** 2
        spread = np.maximum(spread, 0.0)
        n_own = np.maximum(total[:, 0], 1.0)
        most = np.clip(judged[:, 0].sum(axis=1).max(initial=0.0), 1.0, n_own)
        share = joint[:, 0].sum(axis=2) / n_own[:, None]
        of_labels = (share * square).sum(axis=1) / n_own
        of_grades = (_rows(self.labelled[:, 0]) * spread).sum(axis=1) * (1 / most - 1 / n_own)
        of_others = (share**2 * square / (1 + self.graded[:, 1].sum(axis=2))).sum(axis=1)
        made: Floats = np.sqrt(of_labels + of_grades + of_others)
        return made


@dataclass(frozen=True, eq=False)
class Favour:
    """The log likelihood of each tilt over that of none, and what it adds to the mean gain."""

    tilts: Floats
    likelihood: Floats
    added: Floats

    def interval(self, below: float, above: float) -> tuple[float, float, float]:
        """The likeliest addition, and the ends of those that are not too unlikely.

        All with 2 (L(best) - L(b)) <= below^2 or above^2, by the side of the best that b is on.
        """
        fine = np.unique(np.append(self.tilts, np.linspace(self.tilts[0], self.tilts[-1], 4000)))
        value = CubicSpline(self.tilts, self.likelihood)(fine)
        added = np.interp(fine, self.tilts, self.added)
        best = int(np.argmax(value))
        most = np.where(np.arange(len(fine)) < best, below, above)
        inside = added[2 * (value[best] - value) <= most**2]
        return float(added[best]), float(inside.min()), float(inside.max())

    def likelihood_of(self, added: float) -> float:
        """The log likelihood that this much, or as much of it as there can be, was added."""
        tilt = np.interp(added, np.maximum.accumulate(self.added), self.tilts)
        return float(CubicSpline(self.tilts, self.likelihood)(tilt))


def _matched(member: Bools, others: Bools, band: Int64s) -> Floats:
    """Return the weight [owners, pairs] that gives others the owner's distribution over bands."""
    cell = np.eye(int(band.max(initial=0)) + 1)[band]
    mine, theirs = member @ cell, others @ cell
    weight: Floats = np.divide(mine, theirs, out=np.zeros(mine.shape), where=theirs > 0)[:, band]
    return weight


def levels(values: Int64s) -> Int64s:
    """Values as numbers from 0 on, in their order; of many kinds, neighbours get one number.

    >>> levels(np.array([0, 2, 2, 3])).tolist()
    [0, 1, 1, 2]
    """
    kinds, number, count = np.unique(values, return_inverse=True, return_counts=True)
    if len(kinds) > MOST_LEVELS:
        middle = (count.cumsum() - count / 2) / count.sum()
        number = np.minimum((middle * MOST_LEVELS).astype(np.int64), MOST_LEVELS - 1)[number]
        number = np.unique(number, return_inverse=True)[1]
    return number.astype(np.int64)


def _rows(amount: Floats) -> Floats:
    made: Floats = amount / np.maximum(amount.sum(axis=-1, keepdims=True), 1e-300)
    return made


def _log(chance: Floats) -> Floats:
    made: Floats = np.log(np.maximum(chance, 1e-300))
    return made


LEAST_SHARE = 0.05
"""Of what a group's lists weigh: one whose own documents weigh less can hardly be favoured."""

FUSION = 60
"""Added to ranks in reciprocal rank fusion: Cormack, Clarke and Buettcher, SIGIR 2009."""

N_BANDS = 5
"""Bands of fused scores inside which documents are compared."""


@dataclass(frozen=True, eq=False)
class OwnedDocuments:
    """Which of the pairs that a measure looks at each owner alone returns.

    An owner is a group, or a family of runs built on one model. `weight` [owners, pairs] is what a
    pair weighs in the mean score of the owner's runs, 0 where it is not theirs alone; `n_owners`
    tells how many return a pair, `fused` its score by reciprocal rank fusion of all runs.
    """

    names: tuple[str, ...]
    weight: Floats
    n_owners: Int64s
    total: Floats
    fused: Floats

    @classmethod
    def of(cls, weights: PairWeights, owner: tuple[str | None, ...]) -> "OwnedDocuments":
        """By the owner of each run; runs without one count as owners of their own."""
        every = tuple(name or f"\0{at}" for at, name in enumerate(owner))
        names, mix = means_of(every)
        mean = mix @ weights.matrix
        n_owners = (mean > 0).sum(axis=0)
        told = [at for at, name in enumerate(names) if not name.startswith("\0")]
        total = mean.sum(axis=1)
        kept = tuple(names[at] for at in told)
        single = np.where(n_owners == 1, mean, 0.0)[told]
        return cls(kept, single, n_owners, total[told], fused_scores(weights))

    @cached_property
    def member(self) -> Bools:
        """[owners, pairs]: whether an owner alone returns a pair."""
        return self.weight > 0

    @cached_property
    def own(self) -> Floats:
        """What the documents of its own weigh in each owner's score."""
        own: Floats = self.weight.sum(axis=1)
        return own

    @cached_property
    def unevenness(self) -> Floats:
        """How far off a sum of weights is if single ones are taken for the mean of the owner's.

        The root of the sum of (W_p - mean of W)^2 over the documents of its own.
        """
        mean = self.own / np.maximum(self.member.sum(axis=1), 1)
        apart = np.where(self.member, self.weight - mean[:, None], 0.0)
        uneven: Floats = np.sqrt((apart**2).sum(axis=1))
        return uneven

    @cached_property
    def tested(self) -> Bools:
        """Owners whose own documents weigh enough to be worth favouring."""
        return self.own >= LEAST_SHARE * self.total

    def raised(
        self, label: Int64s, gain: Floats, grade: Int64s, judged: Bools, chance: Floats
    ) -> tuple[RaisedLabels, Floats]:
        """How labels of what each owner alone returns compare with those of other single owners.

        Within a grade an honest judge may label what runs rank high above what they rank low, so
        others count as often in each band of fused scores as the owner's documents are in it.
        Of every pair: its label, NO_LABEL where none; its grade by people where it was judged, with
        its chance of having been drawn. `gain` is that of each label. Also the mean gain of each
        level of labels that is told apart.
        """
        used = np.flatnonzero(self.member.any(axis=0) & (label != NO_LABEL))
        level = levels(label[used])
        known = judged[used]
        of_grade = np.zeros(len(used), np.int64)
        of_grade[known] = levels(grade[used][known])
        band = bands(self.fused[used], N_BANDS)
        made = RaisedLabels.of(self.member[:, used], level, of_grade, known, chance[used], band)
        return made, np.bincount(level, gain[label[used]]) / np.bincount(level)


def fused_scores(weights: PairWeights) -> Floats:
    """Return the score of each pair by reciprocal rank fusion of all runs."""
    runs = weights.runs
    score = np.bincount(runs.pair, 1 / (FUSION + runs.entries.rank), len(runs.pairs))
    return score[weights.pair].astype(np.float64)


def bands(fused: Floats, n: int) -> Int64s:
    """Return which of n bands of about as many pairs each is in, the lowest fused score first.

    >>> bands(np.array([0.4, 0.1, 0.3, 0.2]), 2).tolist()
    [1, 0, 1, 0]
    """
    ends = np.quantile(fused, np.arange(1, n) / n) if len(fused) else np.zeros(0)
    return np.searchsorted(ends, fused, side="right").astype(np.int64)


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
    told = [_Reported("group", groups.names, *_of_owners(scores, groups, of_groups))]
    if with_family:
        owned = OwnedDocuments.of(weights, family)
        told.append(_Reported("family", owned.names, *_of_owners(scores, owned, of_families)))
    by_run = _of_runs(scores, pair, grade, chance, groups.fused)
    ends = _tested(by_run, gain, level * RUNS_SHARE, seed, audited.choice != "chosen")
    told.append(_Reported("run", scores.runs.names, *ends, by_run.n))
    rows = [row for each in told for row in each.rows]
    named = [row for each in told for row in each.named]
    return rows + sorted(named, key=lambda row: (row.section, -abs(row.value or 0.0)))


@dataclass(frozen=True, eq=False)
class _Reported:
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
