"""What the organiser sees: where the runs stand, how it went, who did what, who disagrees."""

import math
import threading
import time
from dataclasses import asdict
from typing import Any

from leadline.comparison.sureness import WITHIN
from leadline.judging.forecast import Forecast, Known
from leadline.judging.room.ahead import REST, PlayedAhead
from leadline.judging.room.assessor_agreement import graded, krippendorff_alpha, pairwise
from leadline.judging.room.quality import quality
from leadline.judging.room.state import RoomState
from leadline.verbs.judge import Judging

MOST_DISPUTES = 100
STALE = 5.0
"""Seconds for which agreement is not computed anew while judgments come in."""

QUICK_LISTS = 1_000
"""With more lists than this a forecast takes too long to wait for."""


class Snapshots:
    """Made at most once for each change, however many look."""

    def __init__(self, judging: Judging) -> None:
        self.judging = judging
        self._made: tuple[int, dict[str, Any]] | None = None
        self._agreement: tuple[float, int, dict[str, Any]] | None = None
        self._forecast: Forecast | None = None
        self._ahead: PlayedAhead | None = None
        self._worker: threading.Thread | None = None
        self._not_before = 0.0

    def now(self) -> dict[str, Any]:
        """All of it, ready to be sent."""
        room = self.judging.room
        with room.lock:
            room.ready()
            if self._made is None or self._made[0] != room.version:
                self._made = room.version, self._make(room.state, room.version)
            return self._made[1]

    def _make(self, state: RoomState, version: int) -> dict[str, Any]:
        session, course = state.session, state.course
        standing = session.standing
        reason = session.reason()
        return {
            "version": version,
            "measure": str(session.weigher),
            "order": str(session.order),
            "stop": "" if session.stop is None else str(session.stop),
            "judged": len(standing.judged),
            "given": len(standing.judged.given),
            "pairs": len(session.runs.pairs),
            "reason": reason or "",
            "ended": "" if state.ended is None else state.ended.who,
            "to_go": self.to_go(state),
            "outlook": self._outlook(state),
            "depths": course.depths,
            "runs": _runs(state),
            "falling": [[p.judged, p.contenders] for p in course.falling()],
            "short": [standing.runs.names[run] for run in standing.short_of_certain],
            "assessors": _assessors(state),
            "agreement": self._agree(state, version),
            "disputes": _disputes(state),
            "disputed": len(state.votes.disputed()),
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

    def qualities(self) -> list[dict[str, Any]]:
        """How each person judges: gold questions, agreement, speed, drift, flags."""
        room = self.judging.room
        with room.lock:
            room.ready()
            self.now()
            return self._agree(room.state, room.version)["people"]  # type: ignore[no-any-return]

    def _qualities(self, state: RoomState) -> list[dict[str, Any]]:
        answers, expected = self.judging.room.gold.answers, self.judging.project.thresholds
        names = {who: None for who, tally in state.tallies.items() if tally.kind == "person"}
        found = []
        for who in sorted(names | dict.fromkeys(answers)):
            acts = [(state.pair(act.topic, act.doc), act) for act in state.acts.get(who, [])]
            known = quality(who, acts, state.votes, answers.get(who, []), expected)
            found.append({**asdict(known), "flags": list(known.flags)})
        return found

    def _outlook(self, state: RoomState) -> dict[str, Any] | None:
        """Certain, likely or open, and judgments to go; None where there is no model."""
        forecast = self._forecast
        if forecast is None or forecast.session is not state.session:
            forecast = self._forecast = Forecast(state.session)
        runs = state.session.runs
        if len(runs.names) * len(runs.pairs.topics) <= QUICK_LISTS:
            now = forecast.now()
        else:
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
        finally:
            self._not_before = time.monotonic() + REST * (time.thread_time() - begun)

    def _agree(self, state: RoomState, version: int) -> dict[str, Any]:
        last = self._agreement
        now = time.monotonic()
        if last is None or (last[1] != version and now - last[0] > STALE):
            last = now, version, {**_agreement(state), "people": self._qualities(state)}
            self._agreement = last
        return last[2]


def _runs(state: RoomState) -> list[dict[str, Any]]:
    standing, course = state.session.standing, state.course
    base, names = standing.base, standing.runs.names
    upper, projected, ahead = standing.upper, standing.projected, standing.contest.upper
    may = set(standing.may_be_best.tolist())
    leader = standing.leader
    share = course.judged / course.size.clip(1)
    order = sorted(range(len(names)), key=lambda run: (run not in may, -base[run], names[run]))
    return [
        {
            "run": names[run],
            "group": standing.runs.group[run],
            "lower": round(float(base[run]), 6),
            "upper": round(float(upper[run]), 6),
            "projected": None if math.isnan(projected[run]) else round(float(projected[run]), 6),
            "leads": run == leader,
            "may": run in may,
            "ahead": None if run == leader else round(float(ahead[run]), 6),
            "share": [round(float(each), 4) for each in share[run]],
        }
        for run in order
    ]


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


def _agreement(state: RoomState) -> dict[str, Any]:
    """People among themselves, and every machine with each of them, never mixed."""
    grades = state.rules.grades
    people = graded(state.votes.by_pair, ["person"])
    both = graded(state.votes.by_pair, ["person", "machine"])
    machines = {tally.who for tally in state.tallies.values() if tally.kind == "machine"}
    pairs = pairwise(both, grades)
    alpha = krippendorff_alpha(people)
    return {
        "alpha": None if alpha is None or math.isnan(alpha) else round(alpha, 4),
        "alpha_pairs": sum(len(said) > 1 for said in people.values()),
        "grades": list(grades),
        "pairs": [
            {
                "first": each.first,
                "second": each.second,
                "machine": each.first in machines or each.second in machines,
                "n": each.n,
                "same": round(each.same, 4),
                "kappa": None if each.kappa is None else round(each.kappa, 4),
                "confusion": [list(row) for row in each.confusion],
            }
            for each in pairs[:200]
        ],
    }


def _disputes(state: RoomState) -> list[dict[str, Any]]:
    found = []
    for pair in state.votes.disputed()[:MOST_DISPUTES]:
        topic, doc = state.name(pair)
        votes = [
            {"who": vote.who, "grade": vote.grade, "kind": vote.kind, "note": vote.note}
            for vote in state.votes.counted(pair)
        ]
        found.append({"topic": topic, "doc": doc, "votes": votes})
    return found
