"""What every act in a room goes through: one at a time, on the disk first, then counted.

Nobody is told anything before the ledger has it, and whatever is in the ledger counts: the state
here is made from the ledger at the start, and again after any error of the database.
"""

import contextlib
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from leadline.judging.ledger import Act, Entry, Kind
from leadline.judging.room.database import NotHeld
from leadline.judging.room.gold import Gold
from leadline.judging.room.intake import Intake
from leadline.judging.room.lease import SteadyClock
from leadline.judging.room.pending import Pending
from leadline.judging.room.room_lock import RoomLock, Unavailable
from leadline.judging.room.rules import Rules
from leadline.judging.room.sql_ledger import Place, SqlLedger
from leadline.judging.room.state import RoomState
from leadline.judging.session import Session

Done = TypeVar("Done")
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
class RoomCore:
    """A ledger, the state made from it, and the lock around both."""

    start: Callable[[], Session]
    ledger: SqlLedger
    rules: Rules = field(default_factory=Rules)
    clock: Callable[[], float] = field(default_factory=SteadyClock)

    def __post_init__(self) -> None:
        self.lock = RoomLock()
        self.intake = Intake(self.ledger)
        self.gold = Gold(self.ledger.database)
        self.version = 0
        self._stale = False
        self._not_before = 0.0
        self._trouble = ""
        self._pending: Pending | None = None
        # Undone and to be judged again, even if the rule says that it is enough.
        self._again: set[tuple[int, str]] = set()
        self._chance = random.Random()
        self._rebuild()

    def _rebuild(self) -> None:
        self._write_pending()
        self.ledger.database.at_most(self.rules.per_pair)
        self.state = RoomState.of(self.start(), self.ledger, self.rules, self.clock())
        self.version += 1
        self._stale = False

    def reconfigure(self, start: Callable[[], Session], rules: Rules) -> None:
        """Go on by other rules: everything is made anew from the ledger."""
        with self.lock:
            self.ready()
            before = self.start, self.rules
            self.start, self.rules = start, rules
            try:
                self._guarded(self._rebuild)
            except ValueError:
                self.start, self.rules = before
                self._guarded(self._rebuild)
                raise

    def ready(self) -> None:
        """Catch up with the database after an error of it; an Unavailable if it is not there."""
        if self._stale:
            if time.monotonic() < self._not_before:
                raise Unavailable(self._trouble)
            try:
                self.ledger.database.hold_again()
                self.ledger.reload()
                self.gold.reload()
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
        pending = self._pending
        if pending is None:
            self._guarded(lambda: self.ledger.write(entries, kept, freed))
            return
        if pending.bars(freed):
            self._write_pending()
        pending.add(entries, kept, freed)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Acts that are written by one commit when this ends; nobody else is let in before.

        Here memory goes ahead of the disk. If that then fails, all is made anew from the ledger.
        """
        with self.lock:
            self._pending = Pending()
            try:
                yield
                self._write_pending()
            except BaseException:
                self._stale = self._stale or bool(self._pending)
                raise
            finally:
                self._pending = None

    def _write_pending(self) -> None:
        pending = self._pending
        if pending:
            self._guarded(lambda: self.ledger.write(pending.entries, pending.kept, pending.freed))
            self._pending = Pending()

    def _guarded(self, work: Callable[[], Done]) -> Done:
        try:
            return work()
        except (SQLAlchemyError, NotHeld) as error:
            raise self._unavailable(error) from None

    def change_campaign(self, work: Callable[[], Done]) -> Done:
        """Work on what is beside the ledger, one at a time; an Unavailable if it cannot be done."""
        with self.lock:
            self.ready()
            done = self._guarded(work)
            self.version += 1
            return done

    def _apply(self, entry: Entry, pair: int) -> None:
        if not self.state.apply(entry, pair):
            # The order cannot take back what it was told.
            self._rebuild()
        self.version += 1

    def _is_on(self, act: Entry, pair: int) -> bool:
        return (act.topic, act.doc) == self.state.name(pair)
