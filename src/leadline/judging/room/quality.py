"""How each person judges: agreement, gold questions, speed and drift, and what raises a flag."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from scipy.special import bdtr

from leadline.judging.ledger import Entry
from leadline.judging.merge import Votes, majority
from leadline.judging.room.gold_question import GoldAnswer

CHANCE = 0.05
"""A flag is raised if somebody just good enough would do as badly less often than this."""

LEAST = 5
"""Documents compared, before anything is said."""

RECENT = 20
"""Judgments that drift and speed look at; drift compares them with at least as many before."""


@dataclass(frozen=True)
class Thresholds:
    """What is expected of a person; 0 expects nothing, and a drift of 1 allows all."""

    least_gold: float = 0.7
    least_agreement: float = 0.5
    least_seconds: float = 2.0
    most_drift: float = 0.2

    def __post_init__(self) -> None:
        for name in ("least_gold", "least_agreement", "most_drift"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, not {getattr(self, name)!r}")
        if not 0 <= self.least_seconds <= 3600:
            raise ValueError(f"least_seconds must be from 0 to 3600, not {self.least_seconds!r}")


@dataclass(frozen=True)
class Quality:
    """One person: gold questions asked and right, documents compared and agreed on, speed, drift.

    `drift` is by how much the share of agreement of late is below the one before, None where there
    is too little. `flags` say what is below a threshold.
    """

    who: str
    gold: int
    right: int
    compared: int
    same: int
    seconds: float | None
    drift: float | None
    flags: tuple[str, ...]


def is_below(right: int, n: int, least: float) -> bool:
    """Whether so few of n would be seldom if the true share were the least one.

    >>> is_below(3, 10, 0.7), is_below(5, 10, 0.7), is_below(0, 4, 0.7)
    (True, False, False)
    """
    return n >= LEAST and right / n < least and float(bdtr(right, n, least)) < CHANCE


def reference(votes: Votes[int], pair: int, who: str) -> int | None:
    """What a person's grade is compared with: the organiser's, or what most other people gave."""
    if pair in votes.decided:
        return votes.decided[pair]
    said = votes.of(pair)
    if len(said) == 1 and who in said:
        return None
    others = [
        vote.grade
        for vote in said.values()
        if vote.who != who and vote.kind == "person" and vote.grade is not None
    ]
    return majority(others)


def quality(
    who: str,
    acts: Sequence[tuple[int, Entry]],
    votes: Votes[int],
    answers: Sequence[GoldAnswer],
    thresholds: Thresholds,
) -> Quality:
    """How one person does, from acts in force with their pairs and answers to gold questions."""
    agreed: list[tuple[str, bool]] = []
    for pair, act in acts:
        if act.act == "judge":
            wanted = reference(votes, pair, who)
            if wanted is not None:
                agreed.append((act.time, act.grade == wanted))
    # Training is for learning: it counts neither here nor in drift.
    gold = [answer for answer in answers if not answer.training and answer.said is not None]
    right = sum(answer.right for answer in gold)
    same = sum(each for _, each in agreed)
    course = sorted(agreed + [(answer.time, answer.right) for answer in gold])
    drift, drifts = _drift([each for _, each in course], thresholds.most_drift)
    timed = [
        a.seconds for _, a in acts if a.act in ("judge", "cannot tell") and a.seconds is not None
    ]
    pace = median(timed[-RECENT:]) if timed else None
    flags = []
    if is_below(right, len(gold), thresholds.least_gold):
        flags.append(f"{right} of {len(gold)} gold questions right")
    if is_below(same, len(agreed), thresholds.least_agreement):
        flags.append(f"agrees with others on {same} of {len(agreed)} documents")
    if pace is not None and len(timed) >= RECENT and pace < thresholds.least_seconds:
        flags.append(f"{pace:.1f} seconds a document of late")
    if drifts and drift is not None:
        flags.append(f"agreement fell by {drift:.0%} of late")
    return Quality(who, len(gold), right, len(agreed), same, pace, drift, tuple(flags))


def _drift(course: list[bool], most: float) -> tuple[float | None, bool]:
    """By how much agreement fell, and whether that is more than is allowed and than chance."""
    if len(course) < 2 * RECENT:
        return None, False
    before, late = course[:-RECENT], course[-RECENT:]
    usual = mean(before)
    drift = usual - mean(late)
    return drift, drift > most and float(bdtr(sum(late), RECENT, usual)) < CHANCE
