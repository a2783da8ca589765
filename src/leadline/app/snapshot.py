"""What the organiser sees: where the runs stand, who did what, who disagrees; sent live."""

import asyncio
import contextlib
import ctypes
import json
import logging
import math
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from leadline.app.accounts import SignedIn
from leadline.app.gold import Gold, GoldAnswer
from leadline.app.opening import Judging
from leadline.app.progress import left_for, progress
from leadline.app.quality import agreement_of_pairs, graded, krippendorff_alpha, quality
from leadline.app.room import Room, Unavailable
from leadline.app.state import RoomState
from leadline.completions.winner import WinnerModel
from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.runs import Runs
from leadline.judging.forecast import (
    LEAST_NEW,
    SHARE_NEW,
    Forecast,
    Known,
    Rest,
    ToGo,
    to_go,
)
from leadline.judging.ledger import Entry
from leadline.judging.merge import Vote, Votes
from leadline.judging.project import Thresholds
from leadline.judging.session import Session
from leadline.stats.certainty import WITHIN, modelled

if TYPE_CHECKING:
    from leadline.app.site import Site


MOST_PAIRS = 200


@dataclass(frozen=True)
class Said:
    """What everybody said of documents and gold questions until now."""

    votes: Votes[int]
    acts: dict[str, list[tuple[int, Entry]]]
    machines: frozenset[str]
    answers: dict[str, Sequence[GoldAnswer]]
    grades: tuple[int, ...]
    expected: Thresholds

    @classmethod
    def of(cls, room: Room, expected: Thresholds) -> "Said":
        """A copy; asked under the room's lock."""
        state = room.state
        people = [who for who, tally in state.tallies.items() if tally.kind == "person"]
        answers = room.gold.answers
        return cls(
            state.votes.copy(),
            {
                who: list(zip(state.act_pairs.get(who, []), state.acts.get(who, []), strict=True))
                for who in sorted({*people, *answers})
            },
            frozenset(who for who, tally in state.tallies.items() if tally.kind == "machine"),
            {who: tuple(each) for who, each in answers.items()},
            state.rules.grades,
            expected,
        )

    def agreement(self) -> dict[str, Any]:
        """People among themselves, and every machine with each of them, never mixed."""
        several = {pair: said for pair, said in self.votes.by_pair.items() if len(said) > 1}
        people = graded(several, ["person"])
        both = graded(several, ["person", "machine"])
        alpha = krippendorff_alpha(people)
        return {
            "alpha": None if alpha is None or math.isnan(alpha) else round(alpha, 4),
            "alpha_pairs": sum(len(said) > 1 for said in people.values()),
            "grades": list(self.grades),
            "pairs": [
                {
                    "first": each.first,
                    "second": each.second,
                    "machine": each.first in self.machines or each.second in self.machines,
                    "n": each.n,
                    "same": round(each.same, 4),
                    "kappa": None if each.kappa is None else round(each.kappa, 4),
                    "confusion": [list(row) for row in each.confusion],
                }
                for each in agreement_of_pairs(both, self.grades)[:MOST_PAIRS]
            ],
            "people": [
                asdict(quality(who, acts, self.votes, self.answers.get(who, ()), self.expected))
                for who, acts in self.acts.items()
            ],
        }


@dataclass(frozen=True)
class RunsNow:
    """Copies: nothing here changes when somebody judges."""

    runs: Runs
    base: Floats
    upper: Floats
    projected: Floats
    ahead: Floats
    may_be_best: frozenset[int]
    leader: int
    judged: Int64s
    size: Int64s
    pooled: Bools

    @classmethod
    def of(cls, state: RoomState, pooled: Bools) -> "RunsNow":
        """As it is now."""
        standing, course = state.session.standing, state.course
        return cls(
            runs=standing.runs,
            base=standing.base.copy(),
            upper=standing.upper.copy(),
            projected=standing.projected.copy(),
            ahead=standing.contest.upper.copy(),
            may_be_best=frozenset(standing.may_be_best.tolist()),
            leader=standing.leader,
            judged=course.judged.copy(),
            size=course.size,
            pooled=pooled,
        )

    def rows(self) -> list[dict[str, Any]]:
        """Those that may be best first, of these the highest lower end."""
        names, base, may = self.runs.names, self.base, self.may_be_best
        order = sorted(range(len(names)), key=lambda run: (run not in may, -base[run], names[run]))
        return [self._row(run) for run in order]

    def _row(self, run: int) -> dict[str, Any]:
        projected = float(self.projected[run])
        share = self.judged[run] / self.size[run].clip(1)
        return {
            "run": self.runs.names[run],
            "group": self.runs.group[run],
            "pooled": bool(self.pooled[run]),
            "lower": round(float(self.base[run]), 6),
            "upper": round(float(self.upper[run]), 6),
            "projected": None if math.isnan(projected) else round(projected, 6),
            "leads": run == self.leader,
            "may": run in self.may_be_best,
            "ahead": None if run == self.leader else round(float(self.ahead[run]), 6),
            "share": [round(float(each), 4) for each in share],
        }


WORK = 0.2
"""The share of its time that it works while it plays: others judge meanwhile."""

REST = 20.0
"""How many times as long as it worked it waits before it plays again."""

log = logging.getLogger(__name__)


class PlayedAhead:
    """Rebuilt when enough has been judged since; meanwhile what was judged is taken off.

    Asked under the room's lock; what plays has copies and touches nothing of the session.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._model: WinnerModel | None = None
        self._made: tuple[int, ToGo] | None = None
        self._worker: threading.Thread | None = None
        self._not_before = 0.0

    def now(self) -> ToGo | None:
        """What is known now: exact for a budget, None where there is no telling."""
        session, stop = self.session, self.session.stop
        if stop is None:
            return None
        if stop.reason(session.standing) is not None:
            return ToGo(0, 0)
        left = stop.left(session.standing)
        if left is not None and stop.distance(session.standing) is None:
            return ToGo(left, left)
        if self._is_due():
            self._worker = threading.Thread(target=self._play, args=(self._rest(),), daemon=True)
            self._worker.start()
        if self._made is None:
            return None if left is None else ToGo(1, left)
        n, found = self._made
        return found.since(len(session.judged) - n).within(left)

    def wait(self, seconds: float) -> None:
        """Wait for what is being played."""
        if self._worker is not None:
            self._worker.join(seconds)

    def _is_due(self) -> bool:
        session, n = self.session, len(self.session.judged)
        # A sampled course cannot be played in advance from judgments that it did not sample.
        sampled = session.standing.likely is not None or session.standing.two_runs is not None
        if n < LEAST_NEW or sampled:
            return False
        if not modelled(session.runs, session.weigher):
            return False
        if self._worker is not None and self._worker.is_alive():
            return False
        if self._made is not None and abs(n - self._made[0]) < max(LEAST_NEW, SHARE_NEW * n):
            return False
        return time.monotonic() >= self._not_before

    def _rest(self) -> Rest:
        session = self.session
        assert session.stop is not None
        known = dict(session.judged.grade)
        return Rest(session.runs, session.order, session.stop, session.weigher, known)

    def _play(self, rest: Rest) -> None:
        begun = worked = time.thread_time()

        def pause() -> None:
            nonlocal worked
            now = time.thread_time()
            time.sleep((now - worked) * (1 - WORK) / WORK)
            worked = now

        try:
            model = self._model = self._model or WinnerModel(rest.runs, rest.measure)
            self._made = len(rest.grade), to_go(rest, model, pause)
        except Exception:
            # Nobody must miss a document because of a forecast.
            log.exception("the rest could not be played in advance")
        self._not_before = time.monotonic() + REST * (time.thread_time() - begun)


MOST_DISPUTES = 100
STALE = 2.0
"""Seconds for which agreement is not computed anew while judgments come in; then it is, also if
nothing comes in any more."""


PUT_RIGHT_AFTER = 10
"""Judgments of a person before they are told anew how many are to go."""


class Snapshots:
    """Made at most once for each change, however many look.

    The room's lock is held only while what may change is copied.
    """

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self._making = threading.Lock()
        self._made: tuple[int, dict[str, Any]] | None = None
        self._agreement: tuple[float, int, dict[str, Any]] | None = None
        self._agreements = 0
        self._forecast: Forecast | None = None
        self._forecasts = 0
        self._ahead: PlayedAhead | None = None
        self._told: dict[str, tuple[int, tuple[int, int]]] = {}
        self._worker: threading.Thread | None = None
        self._not_before = 0.0

    @property
    def version(self) -> int:
        """Another one whenever there is something new to see."""
        news = self.judging.room.version + self._forecasts + self._agreements
        return news + self._agreement_is_due()

    def _agreement_is_due(self) -> bool:
        last = self._agreement
        if last is None:
            return True
        return last[1] != self.judging.room.version and time.monotonic() - last[0] > STALE

    def now(self) -> dict[str, Any]:
        """All of it, ready to be sent."""
        room = self.judging.room
        with self._making:
            with room.lock:
                room.ready()
                version = self.version
                if self._made is not None and self._made[0] == version:
                    return self._made[1]
                counts = self._counts(room.state, version)
                runs = RunsNow.of(room.state, self.judging.parts.collection.pooled)
                # What is judged while agreement is counted is not part of it.
                seen, due = room.version, self._agreement_is_due()
                said = Said.of(room, self.judging.project.thresholds) if due else None
            if said is not None:
                self._agreement = time.monotonic(), seen, said.agreement()
                self._agreements += 1
            assert self._agreement is not None
            made = {**counts, "runs": runs.rows(), "agreement": self._agreement[2]}
            self._made = version, made
            return made

    def _counts(self, state: RoomState, version: int) -> dict[str, Any]:
        session, course = state.session, state.course
        standing = session.standing
        disputed = state.votes.disputed()
        to_go = self.to_go(state)
        now = progress(state, to_go)
        return {
            "version": version,
            "measure": str(session.weigher),
            "order": str(session.order),
            "stop": "" if session.stop is None else str(session.stop),
            "judged": now.judged,
            "given": now.given,
            "pairs": now.pairs,
            "progress": now.row(),
            "reason": session.reason() or "",
            "two_runs": "" if standing.two_runs is None else standing.two_runs.line(),
            "ended": "" if state.ended is None else state.ended.who,
            "to_go": to_go,
            "outlook": self._outlook(state),
            "depths": course.depths,
            "falling": [[p.judged, p.contenders] for p in course.falling()],
            "short": [standing.runs.names[run] for run in standing.short_of_certain],
            "assessors": _assessors(state),
            "disputes": _disputes(state, disputed[:MOST_DISPUTES]),
            "disputed": len(disputed),
            "gold": gold_rows(self.judging.room.gold),
            "machine_judgments": sum(
                tally.judged for tally in state.tallies.values() if tally.kind == "machine"
            ),
        }

    def to_go(self, state: RoomState) -> tuple[int, int] | None:
        """At least and at most so many judgments are to go; None where there is no telling."""
        if self._ahead is None or self._ahead.session is not state.session:
            self._ahead = PlayedAhead(state.session)
        found = self._ahead.now()
        return None if found is None else (found.least, found.most)

    def to_go_for(self, state: RoomState, who: str, n: int) -> tuple[int, int] | None:
        """The same for somebody with n judgments: counted down with each, corrected every ten.

        A number that stands still after one document would tell that it was a gold question.
        """
        now, known = self.to_go(state), self._told.get(who)
        if now is None and (known is None or not 0 <= n - known[0] < PUT_RIGHT_AFTER):
            now = left_for(state, who)
        elif now is None and known is not None:
            now = known[1]
        if now is None or now[1] == 0:
            self._told.pop(who, None)
            return now
        before, found = self._told.get(who, (n, now))
        if who not in self._told or not 0 <= n - before < PUT_RIGHT_AFTER:
            before, found = self._told[who] = n, now
        return max(1, found[0] - (n - before)), max(1, found[1] - (n - before))

    def _outlook(self, state: RoomState) -> dict[str, Any] | None:
        """Certain, likely or open, and judgments to go; None where there is no model."""
        forecast = self._forecast
        if forecast is None or forecast.session is not state.session:
            forecast = self._forecast = Forecast(state.session)
        self._make_meanwhile(forecast)
        now = forecast.kept()
        if now is None:
            return None
        outlook, after = now.outlook, now.after_budget
        return {
            "certainty": outlook.certainty,
            "leader": state.session.runs.names[outlook.leader],
            "probability": round(outlook.probability, 3),
            "within": WITHIN,
            "held": now.held,
            "to_likely": outlook.to_likely,
            "to_certain": outlook.to_certain,
            "left": now.left,
            "after_budget": None if after is None else round(after, 3),
        }

    def _make_meanwhile(self, forecast: Forecast) -> None:
        """Make a new forecast, if it is time, while others judge: the next snapshot has it.

        It rests far longer than it works: nobody must wait for a document because of it.
        """
        if self._worker is not None and self._worker.is_alive():
            return
        known = forecast.due() if time.monotonic() >= self._not_before else None
        if known is not None:
            self._worker = threading.Thread(
                target=self._make_aside, args=(forecast, known), daemon=True
            )
            self._worker.start()

    def _make_aside(self, forecast: Forecast, known: Known) -> None:
        begun = time.thread_time()
        try:
            forecast.make(known)
            self._forecasts += 1
            del known
            give_back_memory()
        finally:
            self._not_before = time.monotonic() + REST * (time.thread_time() - begun)


def give_back_memory() -> None:
    """Return the memory of large arrays to the system: glibc would keep most of it."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _assessors(state: RoomState) -> list[dict[str, Any]]:
    now = state.leases.waiting
    return [
        {
            "who": tally.who,
            "kind": tally.kind,
            "judged": tally.judged,
            "cannot_tell": tally.cannot_tell,
            "skipped": tally.skipped,
            "undone": tally.undone,
            "per_hour": None if tally.per_hour is None else round(tally.per_hour),
            "seconds": None if tally.mean_seconds is None else round(tally.mean_seconds, 1),
            "has": len(now.get(tally.who, [])),
        }
        for tally in sorted(state.tallies.values(), key=lambda each: (-each.judged, each.who))
    ]


def gold_rows(gold: Gold) -> list[dict[str, Any]]:
    """Return every gold question, how many answered it, and how many of them rightly."""
    said = [each for answers in gold.answers.values() for each in answers]
    answered = Counter((each.topic, each.doc) for each in said)
    right = Counter((each.topic, each.doc) for each in said if each.right)
    return [
        {**asdict(each), "answered": answered[place], "right": right[place]}
        for place, each in gold.questions.items()
    ]


def _disputes(state: RoomState, pairs: list[int]) -> list[dict[str, Any]]:
    found = []
    for pair in pairs:
        topic, doc = state.name(pair)
        votes = vote_rows(state.votes.counted(pair))
        found.append({"topic": topic, "doc": doc, "votes": votes})
    return found


def vote_rows(votes: Iterable[Vote]) -> list[dict[str, Any]]:
    """Return what people said of a document, with their names."""
    names = ("who", "grade", "kind", "note")
    return [{name: getattr(vote, name) for name in names} for vote in votes]


PAUSE = 0.5
SHARE = 25.0
"""A pause is so many times as long as what it took to look, so that looking costs little."""

LONGEST = 2.0
"""Seconds that a pause lasts at most, since the page calls what it shows live."""

SIGN_OF_LIFE = 15.0
MAY_STAY = 2.0
"""Seconds after which it is looked up again whether somebody may still look."""


async def stream(site: "Site", who: SignedIn) -> AsyncIterator[str]:
    """Events until the server closes, or this one may not look any more."""
    site.streams[who.person.name] += 1
    try:
        async for event in _events(site, who):
            yield event
    finally:
        site.streams[who.person.name] -= 1


async def _events(site: "Site", who: SignedIn) -> AsyncIterator[str]:
    seen, last, due, looked = -1, time.monotonic(), 0.0, time.monotonic()
    yield "retry: 2000\n\n"
    while not site.closing.is_set():
        now = time.monotonic()
        if now - looked > MAY_STAY:
            looked = now
            with contextlib.suppress(SQLAlchemyError):
                if await site.aside(site.accounts.look_up, who.use, who.hash) is None:
                    return
        if site.snapshots.version != seen and now >= due:
            try:
                made = await run_in_threadpool(site.snapshots.now)
                seen = made["version"]
                yield f"event: standing\nid: {seen}\ndata: {json.dumps(made)}\n\n"
                last = time.monotonic()
                due = last + min(LONGEST, SHARE * (last - now))
            except (Unavailable, SQLAlchemyError):
                due = time.monotonic() + PAUSE
        elif now - last > SIGN_OF_LIFE:
            last = now
            yield ": still here\n\n"
        try:
            await asyncio.wait_for(site.closing.wait(), PAUSE)
        except TimeoutError:
            continue
