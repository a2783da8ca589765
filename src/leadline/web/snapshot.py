"""What the organiser sees: where the runs stand, how it went, who did what, who disagrees."""

import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from leadline.comparison.sureness import WITHIN
from leadline.judging.forecast import Forecast, Known
from leadline.judging.merge import Vote
from leadline.judging.room.ahead import REST, PlayedAhead
from leadline.judging.room.gold import Gold
from leadline.judging.room.state import RoomState
from leadline.verbs.judge import Judging
from leadline.web.agreeing import Said
from leadline.web.run_rows import RunsNow

MOST_DISPUTES = 100
STALE = 5.0
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
                runs = RunsNow.of(room.state)
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
        return {
            "version": version,
            "measure": str(session.weigher),
            "order": str(session.order),
            "stop": "" if session.stop is None else str(session.stop),
            "judged": len(standing.judged),
            "given": len(standing.judged.given),
            "pairs": len(session.runs.pairs),
            "reason": session.reason() or "",
            "ended": "" if state.ended is None else state.ended.who,
            "to_go": self.to_go(state),
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
        """The same for somebody with n judgments: counted down with each, put right every ten.

        A number that stands still after one document would tell that it was a gold question.
        """
        now = self.to_go(state)
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
            "sure": outlook.sure,
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
        finally:
            self._not_before = time.monotonic() + REST * (time.thread_time() - begun)


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
