"""How good a judge is by what people said of the same pairs, line by line."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from leadline.completions.pair_weights import last_rank
from leadline.data.arrays import Floats, Int64s
from leadline.data.labels import NO_LABEL
from leadline.data.runs import Runs
from leadline.labels.audited_pairs import (
    AuditedPairs,
    AuditRow,
    calibration_rows,
    effective,
    held_against,
    known,
)
from leadline.labels.favour import favour_rows
from leadline.labels.run_bias import AuditedScores, bias_rows, score_rows
from leadline.measures.measure import Weighted
from leadline.stats.agreement import Agreement
from leadline.stats.correlation import K, kendall, kept, largest_drop, leader_drop, tau_ap
from leadline.stats.significance import T, corrected

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
    """Return the share of pairs with each grade of people and of the judge.

    The upper end of an empty cell is the one-sided bound 1 - (1 - confidence)^(1/n), about 3/n at
    95%. It is exact for equal weights; for others n is the effective number of pairs.
    """
    weight = audited.weight(pair)
    n = effective(weight)
    total = max(float(weight.sum()), 1.0)
    rows = []
    for grade in range(audited.human.max_grade + 1):
        for given in range(audited.top + 1):
            here = (human == grade) & (label == given)
            share = float(weight[here].sum()) / total
            error = float(audited.error(pair, (here - share) / total))
            name = f"people {grade}, judge {given}"
            row = audited.share_row("confusion", name, share, error, weight)
            if row.ci_upper is not None and not here.any():
                row = row._replace(ci_lower=0.0, ci_upper=1 - (1 - audited.confidence) ** (1 / n))
            rows.append(row._replace(n=int(here.sum())))
    return rows


BISECTIONS = 60


def judgments_for(variance: Floats, inclusion: Floats, share: float) -> float:
    """How many pairs to draw, with chances raised alike, until the variance is a share of it.

    `variance` is what each drawn pair adds, e^2 (1 - pi) / pi^2; with chances min(1, c pi) all
    pairs would add the sum over drawn of e^2 (1 - pi') / (pi pi'), and the sum over drawn of
    pi' / pi would be drawn. Infinite where nothing adds anything.

    >>> judgments_for(np.full(10, 0.9), np.full(10, 0.1), 0.25)
    30.76923076923077
    """
    doubt = np.divide(
        variance * inclusion, 1 - inclusion, out=np.zeros(len(variance)), where=inclusion < 1
    )
    wanted = share * float(variance.sum())
    if wanted <= 0:
        return float("inf")

    def left(times: float) -> float:
        chance = np.minimum(1.0, times * inclusion)
        return float((doubt * (1 - chance) / chance).sum())

    low, high = 1.0, 1 / float(inclusion.min())
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if left(middle) > wanted else (low, middle)
    return float((np.minimum(1.0, high * inclusion) / inclusion).sum())


def more_rows(scores: AuditedScores) -> list[AuditRow]:
    """Section more: the error of differences among the best 20 now, and what would halve it."""
    audited, pair = scores.audited, scores.weights.pair
    if audited.choice == "complete":
        n = len(scores.runs.pairs.topics)
        return [AuditRow("more", "topics that would halve the error over topics", 3.0 * n, n=n)]
    if audited.choice == "chosen":
        return []
    drawn = np.flatnonzero(audited.human.judged[pair])
    variance = scores.difference_variance[drawn]
    needed = judgments_for(variance, audited.chance(pair[drawn]), 0.25)
    now = float(np.sqrt(variance.sum()))
    n = len(drawn)
    rows = [AuditRow("more", "standard error of a difference of the best 20", now, n=n)]
    if np.isfinite(needed):
        name = "more human judgments that would halve it"
        rows.append(AuditRow("more", name, float(np.ceil(needed - n)), n=n))
    return rows


BEST = 20
LEVEL = 0.05


@dataclass(frozen=True)
class TurnedVerdicts:
    """Pairs of runs by what a test says of them with the people's and with the judge's scores.

    Otero, Parapar and Ferro, How discriminative are your qrels? How to study the statistical
    significance of document adjudication methods, CIKM 2023.
    """

    both: int
    opposite: int
    false_alarms: int
    missed: int
    neither: int

    @property
    def n(self) -> int:
        """Pairs of runs."""
        return self.both + self.opposite + self.false_alarms + self.missed + self.neither

    @classmethod
    def of(cls, people: Floats, judge: Floats) -> "TurnedVerdicts":
        """Of scores [runs, topics], by Student's t over topics with Holm's correction.

        >>> people = np.array([[0.9, 0.8, 0.9, 0.8], [0.1, 0.1, 0.2, 0.1]])
        >>> TurnedVerdicts.of(people, people[::-1]).opposite
        1
        """
        first, second = np.triu_indices(len(people), 1)
        one, two = (_verdicts(scores, first, second) for scores in (people, judge))
        return cls(
            int(((one == two) & (one != 0)).sum()),
            int((one * two < 0).sum()),
            int(((one == 0) & (two != 0)).sum()),
            int(((one != 0) & (two == 0)).sum()),
            int(((one == 0) & (two == 0)).sum()),
        )


def _verdicts(scores: Floats, first: Int64s, second: Int64s) -> Floats:
    """1 where the first run of a pair is significantly better, -1 where worse, else 0."""
    difference = scores[first] - scores[second]
    if not len(difference):
        return np.zeros(0)
    p = corrected(T().p(difference, 2, np.random.default_rng(0)), "holm")
    with np.errstate(invalid="ignore"):
        return np.where(p < LEVEL, np.sign(difference.mean(axis=1)), 0.0)


def verdict_rows(scores: AuditedScores) -> list[AuditRow]:
    """Sections order and verdicts, for all pairs of runs and among the best 20 by people."""
    people, judge = scores.people, scores.published
    if len(people) < 2:
        return []
    n = len(people)
    order = [
        ("tau", kendall(people, judge)),
        ("AP correlation", tau_ap(people, judge)),
        ("drop in rank of the labels' top run", leader_drop(judge, people)),
        (f"largest drop in rank among the labels' top {K}", largest_drop(judge, people)),
        (f"share of the labels' top {K} in the human top {K}", kept(judge, people)),
    ]
    rows = [AuditRow("order", name, known(value), n=n) for name, value in order]
    best = np.sort(np.argsort(-people, kind="stable")[:BEST])
    for where, chosen in (("all pairs", np.arange(n)), (f"best {BEST}", best)):
        if where != "all pairs" and n <= BEST:
            continue
        turned = TurnedVerdicts.of(
            scores.people_by_topic[chosen], scores.published_by_topic[chosen]
        )
        for name in ("both", "opposite", "false_alarms", "missed", "neither"):
            count = getattr(turned, name)
            item = f"{where}: {name.replace('_', ' ')}"
            rows.append(AuditRow("verdicts", item, float(count), n=turned.n))
    return rows


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


@dataclass(frozen=True, eq=False)
class PairFacts:
    """What is known of pairs besides: words of the text, where the query's terms first stand in it,
    and when the label was given. NaN where it is not; a fact that nobody has is None."""

    length: Floats | None = None
    position: Floats | None = None
    time: Floats | None = None


@dataclass(frozen=True, eq=False)
class AuditInput:
    """Labels and judgments, the runs if there are any, and what is asked."""

    audited: AuditedPairs
    measure: Weighted
    rel: int = 1
    runs: Runs | None = None
    family: tuple[str | None, ...] = ()
    facts: PairFacts = field(default_factory=PairFacts)
    seed: int = 0


def audit_lines(asked: AuditInput) -> list[AuditRow]:
    """Every section that the input allows."""
    audited = asked.audited
    gain, label_gain = (asked.measure.gain(top) for top in (audited.human.max_grade, audited.top))
    rows = sample_rows(audited)
    rows += agreement_rows(audited, asked.rel)
    rows += calibration_rows(audited, gain)
    if asked.runs is not None:
        scores = AuditedScores(audited, asked.runs, asked.measure)
        rows += bias_rows(scores, asked.family)
        rows += favour_rows(scores, asked.family, asked.seed)
        rows += score_rows(scores) + verdict_rows(scores) + more_rows(scores)
    return rows + _aspects(asked, label_gain)


def sample_rows(audited: AuditedPairs) -> list[AuditRow]:
    """Section sample: how many pairs and topics both judged, and how they were chosen."""
    pairs, both = audited.human.pairs, audited.both
    weight = audited.weight(both)
    rows = [
        ("pairs judged by people", len(audited.judged)),
        ("pairs labelled by the judge", int((audited.label != NO_LABEL).sum())),
        ("pairs judged by both", len(both)),
        ("topics with pairs judged by both", len(np.unique(pairs.topic[both]))),
        ("sampled at random", int(audited.choice == "drawn")),
        ("at least 95% judged where the measure looks", int(audited.choice == "complete")),
    ]
    if audited.choice == "drawn" and len(both):
        rows.append(("pairs drawn evenly that would tell as much", round(effective(weight))))
    return [AuditRow("sample", name, float(value)) for name, value in rows]


def _aspects(asked: AuditInput, gain: Floats) -> list[AuditRow]:
    audited, facts = asked.audited, asked.facts
    parts = []
    if asked.runs is not None:
        best = asked.runs.best_rank.astype(np.int64)
        last = last_rank(asked.measure, int(asked.runs.length.max(initial=1)))
        parts.append(("bias by rank", *rank_parts(best, last)))
    if facts.length is not None:
        parts.append(("bias by length", *length_parts(facts.length)))
    if facts.position is not None:
        parts.append(("bias by query terms", *position_parts(facts.position)))
    if facts.time is not None:
        parts.append(("drift", *time_parts(facts.time)))
    return [
        row
        for section, names, part in parts
        for row in aspect_rows(audited, section, names, part, gain)
    ]
