"""How far a project is: pairs judged, judgments to go, the pace, the time to finish."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.app.pool_order import PoolOrder
from leadline.app.quality import LONGEST_PAUSE
from leadline.data.arrays import Int64s
from leadline.judging.order import FixedOrder

if TYPE_CHECKING:
    from leadline.app.state import RoomState
    from leadline.judging.session import Session

WINDOW = 1800.0
"""Seconds before the last judgment over which the pace is measured."""


def pool_pairs(session: "Session") -> Int64s | None:
    """Return the pairs of the project's pool, None where an order decides what is judged."""
    if not isinstance(session.order, PoolOrder):
        return None
    assert isinstance(session.stepper, FixedOrder)
    return session.stepper.pair


def numbers(pairs: Collection[int]) -> Int64s:
    """Return pairs as an array."""
    return np.fromiter(pairs, np.int64, len(pairs))


@dataclass(frozen=True)
class TopicCount:
    """How many pairs of a topic are in the pool, are judged, and are left to judge.

    What nobody could tell is neither judged nor left.
    """

    topic: str
    pairs: int
    judged: int
    left: int


def by_topic(session: "Session") -> list[TopicCount]:
    """Count the pairs of each topic that has some to judge: those of the pool, or all."""
    pairs, pool = session.runs.pairs, pool_pairs(session)
    chosen = np.arange(len(pairs)) if pool is None else np.unique(pool)
    done = np.intersect1d(chosen, numbers(session.judged.grade))
    left = np.setdiff1d(np.setdiff1d(chosen, done), numbers(session.judged.spent))
    n = len(pairs.topics)
    counts = [np.bincount(pairs.topic[each], minlength=n) for each in (chosen, done, left)]
    rows = zip(pairs.topics, *(count.tolist() for count in counts), strict=True)
    return [TopicCount(*row) for row in rows if row[1]]


@dataclass(frozen=True)
class JudgingPace:
    """Judgments an hour of all people together, and how many people gave them.

    Over the half hour before the last judgment; breaks of more than five minutes are left out.
    """

    per_hour: float
    people: int

    @classmethod
    def of(cls, times: list[tuple[float, str]]) -> "JudgingPace | None":
        """Measure the pace from the time and the assessor of each judgment; None below two."""
        if not times:
            return None
        since = max(times)[0] - WINDOW
        recent = sorted(each for each in times if each[0] > since)
        pauses = [after - before for (before, _), (after, _) in pairwise(recent)]
        work = [pause for pause in pauses if pause <= LONGEST_PAUSE]
        if not sum(work):
            return None
        return cls(3600 * len(work) / sum(work), len({who for _, who in recent}))


@dataclass(frozen=True)
class Progress:
    """Pairs to judge, how many of them are judged, and judgments to go: at least and at most.

    `pool` tells whether the pairs are those of a pool, else they are all that runs return.
    `to_judge` counts judgments and not pairs: a pair that several judge needs several.
    """

    pool: bool
    pairs: int
    judged: int
    given: int
    to_judge: tuple[int, int] | None
    pace: JudgingPace | None

    def row(self) -> dict[str, Any]:
        """Return what the organiser's page is sent."""
        hours = None
        if self.pace is not None and self.to_judge is not None:
            hours = [round(n / self.pace.per_hour, 3) for n in self.to_judge]
        return {
            "pool": self.pool,
            "pairs": self.pairs,
            "judged": self.judged,
            "given": self.given,
            "to_judge": self.to_judge,
            "per_hour": None if self.pace is None else round(self.pace.per_hour),
            "people": 0 if self.pace is None else self.pace.people,
            "hours": hours,
        }


def progress(state: "RoomState", to_go: tuple[int, int] | None) -> Progress:
    """Measure the progress of a project; `to_go` counts the pairs to go where a rule ends it."""
    session, votes, k = state.session, state.votes, state.rules.per_pair
    pool, pairs = pool_pairs(session), session.runs.pairs
    member = np.ones(len(pairs), np.bool_)
    if pool is not None:
        member = np.zeros(len(pairs), np.bool_)
        member[pool] = True
    judged = int(member[numbers(session.judged.grade)].sum())
    given = int(member[numbers(session.judged.given)].sum())
    # What was begun needs fewer judgments than the rest.
    begun = sum(
        min(k, len(votes.counted(pair)))
        for pair in votes.by_pair
        if member[pair] and not state.settled(pair)
    )
    waiting = (k * to_go[0], k * to_go[1]) if to_go is not None else None
    if pool is not None:
        spent = int(member[numbers(session.judged.spent)].sum())
        left = int(member.sum()) - judged - spent
        most = left if to_go is None else min(left, to_go[1])
        least = most if to_go is None else min(left, to_go[0])
        waiting = (k * least, k * most)
    if waiting is not None:
        waiting = max(0, waiting[0] - begun), max(0, waiting[1] - begun)
    return Progress(
        pool is not None, int(member.sum()), judged, given, waiting, JudgingPace.of(_times(state))
    )


def left_for(state: "RoomState", who: str) -> tuple[int, int] | None:
    """Return how many pairs of the pool are left for somebody; None without a pool.

    Those of the topics that are assigned to this person, or of all open topics if none is.
    """
    session, votes, k = state.session, state.votes, state.rules.per_pair
    pool, pairs, holders = pool_pairs(session), session.runs.pairs, state.topics.holders
    if pool is None:
        return None
    own = np.array([holders.mine(topic, who) for topic in pairs.topics], np.bool_)
    if not own.any():
        own = np.array([holders.may_have(topic, who) for topic in pairs.topics], np.bool_)
    left = np.zeros(len(pairs), np.bool_)
    left[pool] = own[pairs.topic[pool]]
    left[numbers(session.judged.grade)] = False
    left[numbers(session.judged.spent)] = False
    done = sum(
        who in said or len(votes.counted(pair)) >= k
        for pair, said in votes.by_pair.items()
        if left[pair]
    )
    n = int(left.sum()) - done
    return n, n


def _times(state: "RoomState") -> list[tuple[float, str]]:
    """Return time and assessor of people's judgments of late; imported ones have no pace."""
    found: list[tuple[float, str]] = []
    for who, acts in state.acts.items():
        latest: float | None = None
        for act in reversed(acts):
            if act.act not in ("judge", "cannot tell") or act.asked is None:
                continue
            if act.kind != "person":
                break
            time = datetime.fromisoformat(act.time).timestamp()
            latest = time if latest is None else max(latest, time)
            if time < latest - WINDOW:
                break
            found.append((time, who))
    return found
