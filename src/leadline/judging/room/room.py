"""A room of assessors at work on one order: who gets what, who said what, what it comes to.

Nothing counts before the ledger has it, and whatever is in the ledger counts: the state here is
made from the ledger at the start, and again after any error of the database.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from sqlalchemy.exc import SQLAlchemyError

from leadline.judging.ledger import Act, Entry, Kind
from leadline.judging.room.database import NotHeld
from leadline.judging.room.intake import Intake, UnknownImport
from leadline.judging.room.lease import Holder
from leadline.judging.room.room_lock import RoomLock, Unavailable
from leadline.judging.room.rules import Rules
from leadline.judging.room.sql_ledger import Place, SqlLedger
from leadline.judging.room.state import RoomState
from leadline.judging.session import Session

Source = tuple[str, str, float | None]
"""A machine's model, prompt version and confidence."""

PAUSE = 1.0
"""Seconds in which nobody asks again a database that did not answer."""


class Refused(ValueError):
    """An act that the room does not accept; `code` says why in one word."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Assessor:
    """Who judges, and whether it is a person."""

    name: str
    kind: Kind = "person"


@dataclass
class Room:
    """Asks and answers of many people at once, one at a time inside."""

    start: Callable[[], Session]
    ledger: SqlLedger
    rules: Rules = field(default_factory=Rules)
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self.lock = RoomLock()
        self.intake = Intake(self.ledger)
        self.version = 0
        self._stale = False
        self._not_before = 0.0
        self._trouble = ""
        # Undone and to be judged again, even if the rule says that it is enough.
        self._again: set[tuple[int, str]] = set()
        self._chance = random.Random()
        self._rebuild()

    def _rebuild(self) -> None:
        self.ledger.database.at_most(self.rules.per_pair)
        self.state = RoomState.of(self.start(), self.ledger, self.rules)
        self.version += 1
        self._stale = False

    def ready(self) -> None:
        """Catch up with the database after an error of it; an Unavailable if it is not there."""
        if self._stale:
            if time.monotonic() < self._not_before:
                raise Unavailable(self._trouble)
            try:
                self.ledger.database.hold_again()
                self.ledger.reload()
                self._rebuild()
            except (SQLAlchemyError, NotHeld) as error:
                # Nobody else waits for it in the next moment.
                self._not_before = time.monotonic() + PAUSE
                raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> Unavailable:
        self._stale = True
        what = type(getattr(error, "orig", error)).__name__
        held = isinstance(error, NotHeld)
        self._trouble = str(error) if held else f"the database did not answer: {what}"
        return Unavailable(self._trouble)

    # What assessors do.

    def next(self, who: Assessor) -> int | None:
        """The pair that this assessor has to judge now; None if there is nothing."""
        with self.lock:
            self.ready()
            if self.state.ended is not None:
                return None
            mine = self.state.waiting(who)
            if not mine:
                self._draw(who)
                mine = self.state.waiting(who)
            elif self._is_enough(mine[0], who):
                return None
            else:
                self._renew(mine[0], who)
            return mine[0] if mine else None

    def _is_enough(self, pair: int, who: Assessor) -> bool:
        """Whether the rule says stop: not to machines, nor about what is judged again."""
        if self.rules.apart(who.kind) or (pair, who.name) in self._again:
            return False
        return self.state.session.reason() is not None

    def lease(self, who: Assessor, n: int) -> list[int]:
        """Up to n pairs that this assessor has to judge, in any order."""
        with self.lock:
            self.ready()
            if self.state.ended is not None:
                return []
            mine = self.state.waiting(who)
            for pair in mine[:n]:
                self._renew(pair, who)
            if len(mine) < n:
                self._draw(who, n - len(mine))
            return list(self.state.waiting(who)[:n])

    def _draw(self, who: Assessor, n: int | None = None) -> None:
        """Lend this assessor a batch of pairs."""
        now = self.clock()
        chosen: list[Place] = []
        freed: list[Place] = []
        for pair in self.state.choose(who, n or self.rules.batch, now):
            slot, former = self.state.leases.free_slot(pair, now) or (None, None)
            topic, doc = self.state.name(pair)
            if self.rules.apart(who.kind):
                slot = None
            elif former is not None:
                freed.append(Place(topic, doc, former, slot, None))
            chosen.append(Place(topic, doc, who.name, slot, now + self.rules.lease))
        if self.rules.shuffle:
            self._chance.shuffle(chosen)
        if not chosen:
            return
        self._write(kept=chosen, freed=freed)
        for place in freed:
            self.state.leases.free(self.state.pair(place.topic, place.doc), place.who)
        for place in chosen:
            pair = self.state.pair(place.topic, place.doc)
            self.state.leases.lend(pair, who.name, Holder(place.slot, place.until))

    def _renew(self, pair: int, who: Assessor) -> None:
        """Who looks at a document keeps it; written down only when half the time is over."""
        holder = self.state.leases.holder(pair, who.name)
        now = self.clock()
        if holder is None or (holder.until or 0) - now > self.rules.lease / 2:
            return
        topic, doc = self.state.name(pair)
        until = now + self.rules.lease
        self._write(kept=[Place(topic, doc, who.name, holder.slot, until)])
        self.state.leases.at[pair][who.name] = Holder(holder.slot, until)

    def judge(
        self,
        who: Assessor,
        pair: int,
        grade: int | None,
        note: str = "",
        seconds: float | None = None,
        source: Source = ("", "", None),
    ) -> None:
        """A grade, or None for "cannot tell"; on the disk when this returns.

        The same judgment sent again, because its answer was lost, is taken as said once. A machine
        gives its model, the version of its prompt and how sure it is as the source.
        """
        if grade is not None and grade not in self.rules.grades:
            listed = ", ".join(map(str, self.rules.grades))
            raise Refused("grade", f"there is no grade {grade}: choose one of {listed}")
        with self.lock:
            self.ready()
            said = self.state.votes.of(pair).get(who.name)
            if said is not None:
                if said.grade == grade:
                    return
                raise Refused("judged", "you have judged this document already; undo that first")
            self._must_be_open()
            holder = self.state.leases.holder(pair, who.name)
            if holder is None:
                raise Refused("not yours", "this document is not yours to judge, or not any more")
            act: Act = "judge" if grade is not None else "cannot tell"
            model, prompt, confidence = source
            entry = self._entry(act, pair, who, grade, note, seconds)
            entry = replace(entry, model=model, prompt=prompt, confidence=confidence)
            self._write([entry], [Place(entry.topic, entry.doc, who.name, holder.slot, None)])
            self.state.leases.keep(pair, who.name)
            self._again.discard((pair, who.name))
            self._apply(entry, pair)

    def skip(self, who: Assessor, pair: int, note: str = "") -> None:
        """Put a pair off: others may get it, and this assessor when nothing else is left."""
        with self.lock:
            self.ready()
            self._must_be_open()
            holder = self.state.leases.holder(pair, who.name)
            if holder is None or holder.until is None:
                raise Refused("not yours", "this document is not yours to judge, or not any more")
            entry = self._entry("skip", pair, who, None, note, None)
            place = Place(entry.topic, entry.doc, who.name, holder.slot, None)
            self._write([entry], freed=[place])
            self.state.leases.free(pair, who.name)
            self._apply(entry, pair)

    def undo(self, who: Assessor) -> int | None:
        """Take back this assessor's last act; the pair, which comes next, or None."""
        with self.lock:
            self.ready()
            self._must_be_open()
            last = self.state.last_act(who.name)
            if last is None:
                return None
            pair = self.state.pair(last.topic, last.doc)
            now = self.clock()
            until = now + self.rules.lease
            entry = self._entry("undo", pair, who, None, "", None)
            holder = self.state.leases.holder(pair, who.name)
            if holder is None and self.rules.apart(who.kind):
                holder = Holder(None, until)
            elif holder is None:
                free = self.state.leases.free_slot(pair, now)
                holder = None if free is None or free[1] is not None else Holder(free[0], until)
            if holder is None:
                self._write([entry])
            else:
                self._write([entry], [Place(last.topic, last.doc, who.name, holder.slot, until)])
                self.state.leases.lend(pair, who.name, Holder(holder.slot, until), first=True)
                self._again.add((pair, who.name))
            self._apply(entry, pair)
            return pair

    # What organisers do.

    def adjudicate(self, who: Assessor, pair: int, grade: int, note: str = "") -> None:
        """The grade of a pair for good, whatever the assessors said."""
        if grade not in self.rules.grades:
            raise Refused("grade", f"there is no grade {grade}")
        with self.lock:
            self.ready()
            entry = self._entry("adjudicate", pair, who, grade, note, None)
            self._write([entry])
            self._apply(entry, pair)

    def end(self, who: Assessor, ended: bool = True) -> None:
        """Nobody gets or judges anything any more, until it is reopened."""
        with self.lock:
            self.ready()
            if (self.state.ended is not None) == ended:
                return
            entry = Entry("end" if ended else "reopen", "", "", who=who.name, time=self._now())
            self._write([entry])
            self._apply(entry, -1)

    def add_entries(self, added: list[Entry], who: str = "", form: str = "") -> int:
        """Judgments from elsewhere, all of them or none; the number by which they can be undone.

        Everything is made anew with them.
        """
        with self.lock:
            self.ready()
            return self._anew(lambda: self.intake.add(added, who, self._now(), form))

    def undo_import(self, who: Assessor, number: int) -> int:
        """Take back what came with an import; how many judgments that were."""
        with self.lock:
            self.ready()
            return self._anew(lambda: self.intake.undo(number, who.name, self._now()))

    def _anew(self, change: Callable[[], int]) -> int:
        try:
            done = change()
            self._rebuild()
        except (SQLAlchemyError, NotHeld) as error:
            raise self._unavailable(error) from None
        except UnknownImport as error:
            raise Refused("unknown", str(error)) from None
        return done

    # How it is done.

    def _must_be_open(self) -> None:
        if self.state.ended is not None:
            raise Refused("ended", f"judging was ended by {self.state.ended.who}")

    def _now(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")

    def _entry(
        self,
        act: Act,
        pair: int,
        who: Assessor,
        grade: int | None,
        note: str,
        seconds: float | None,
    ) -> Entry:
        topic, doc = self.state.name(pair)
        handed = self.state.session.handed
        return Entry(act, topic, doc, grade, who.name, self._now(), note, handed, seconds, who.kind)

    def _write(
        self,
        entries: Sequence[Entry] = (),
        kept: Sequence[Place] = (),
        freed: Sequence[Place] = (),
    ) -> None:
        try:
            self.ledger.write(entries, kept, freed)
        except (SQLAlchemyError, NotHeld) as error:
            raise self._unavailable(error) from None

    def _apply(self, entry: Entry, pair: int) -> None:
        if not self.state.apply(entry, pair):
            # The order cannot take back what it was told.
            self._rebuild()
        self.version += 1
