"""The ledger in a database, the organisers' log, and messages."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update

from leadline.app.database import READING_ALL, Database
from leadline.app.schema import START, Checked, append, audit_log, entries, link, messages, places
from leadline.judging.ledger import Entry, Ledger

NOT_SAID = ("id", "batch", "hash")
FIELDS = [column for column in entries.columns if column.name not in NOT_SAID]
AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """One of the k places at a pair: lent to a person until then, or judged if `until` is None.

    A machine whose judgments are kept apart has a place without a slot.
    """

    topic: str
    doc: str
    who: str
    slot: int | None
    until: float | None


# Made once: to put a statement together takes longer than to run it.
_HERE = and_(
    places.c.topic == bindparam("its_topic"),
    places.c.doc == bindparam("its_doc"),
    places.c.who == bindparam("its_who"),
)
_FREE = delete(places).where(_HERE)
_KEEP = update(places).where(_HERE).values(slot=bindparam("its_slot"), until=bindparam("its_until"))
_LEND = insert(places)
_ADD = insert(entries)


def _its(place: Place) -> dict[str, Any]:
    return {
        "its_topic": place.topic,
        "its_doc": place.doc,
        "its_who": place.who,
        "its_slot": place.slot,
        "its_until": place.until,
    }


class SqlLedger(Ledger):
    """Entries in a database, each on the disk before `append` returns."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.end = START
        self.reload()

    def reload(self) -> None:
        """Read all entries anew: what is in the database is what happened."""
        with (
            self.database.patience(READING_ALL),
            self.database.engine.connect() as connection,
        ):
            rows = connection.execute(select(*FIELDS).order_by(entries.c.id))
            self.entries = [Entry(**row) for row in rows.mappings()]
            last = select(entries.c.hash).order_by(entries.c.id.desc()).limit(1)
            end = connection.scalar(last)
        self.end = end or START

    def check(self) -> Checked:
        """Walk along the chain of all rows."""
        return self.database.check()[0]

    def append(self, entry: Entry) -> None:
        self.write([entry])

    def write(
        self,
        added: Sequence[Entry] = (),
        kept: Sequence[Place] = (),
        freed: Sequence[Place] = (),
        batch: int | None = None,
        also: Callable[[Connection], object] | None = None,
    ) -> None:
        """Add entries, and what becomes of places: all of it or nothing.

        Freed places are given up first, so that others can have their slots, and entries come
        last: nobody judges without a place. Entries are on the disk when this returns. Places
        alone are not waited for: one that is lost in a power cut is lent again. `batch` is the
        import that entries come with, `also` what is done besides.
        """
        rows, end = [], self.end
        for entry in added:
            row = {**asdict(entry), "batch": batch}
            end = link(end, row)
            rows.append({**row, "hash": end})
        with self.database.transaction(lasting=bool(added)) as connection:
            for place in freed:
                connection.execute(_FREE, _its(place))
            for place in kept:
                if not connection.execute(_KEEP, _its(place)).rowcount:
                    connection.execute(_LEND, asdict(place))
            if also is not None:
                also(connection)
            for start in range(0, len(rows), AT_ONCE):
                connection.execute(_ADD, rows[start : start + AT_ONCE])
        self.entries.extend(added)
        self.end = end

    def places(self) -> list[Place]:
        """All places that are lent or judged, in the order in which they were lent."""
        columns = [column for column in places.columns if column.name != "id"]
        with self.database.engine.connect() as connection:
            rows = connection.execute(select(*columns).order_by(places.c.id))
            return [Place(**row) for row in rows.mappings()]

    def replace_places(self, wanted: list[Place]) -> None:
        """These places and no others."""
        with self.database.transaction() as connection:
            connection.execute(delete(places))
            for start in range(0, len(wanted), AT_ONCE):
                some = wanted[start : start + AT_ONCE]
                connection.execute(_LEND, [asdict(place) for place in some])


COLUMNS = ("id", "time", "who", "act", "about")


@dataclass(frozen=True)
class AuditLogEntry:
    """Somebody did something, at some time, about something."""

    id: int
    time: str
    who: str
    act: str
    about: str


def now() -> str:
    """The time, to the millisecond, in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class AuditLog:
    """The log of a project."""

    database: Database
    clock: Callable[[], str] = now

    def add(self, who: str, act: str, about: str = "") -> None:
        """Write one; it is on the disk when this returns."""
        row = {"time": self.clock(), "who": who, "act": act, "about": about[:2000]}
        with self.database.transaction() as connection:
            append(connection, audit_log, row)

    def last(self, n: int, before: int | None = None) -> list[AuditLogEntry]:
        """The last n, or the last n before one of that number; the latest first."""
        wanted = (
            select(*(audit_log.c[name] for name in COLUMNS))
            .order_by(audit_log.c.id.desc())
            .limit(n)
        )
        if before is not None:
            wanted = wanted.where(audit_log.c.id < before)
        with self.database.engine.connect() as connection:
            return [AuditLogEntry(**row) for row in connection.execute(wanted).mappings()]


@dataclass(frozen=True)
class Message:
    """What was told to all, by whom and when, and whether it was withdrawn."""

    id: int
    who: str
    time: str
    text: str
    withdrawn: bool = False


class MessagesToAll:
    """All messages, as the database has them; kept in memory, since every page asks."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.engine.connect() as connection:
            rows = connection.execute(select(messages).order_by(messages.c.id)).mappings()
            self.all = [Message(**{**row, "withdrawn": bool(row["withdrawn"])}) for row in rows]

    def current(self) -> Message | None:
        """The last one that was not withdrawn."""
        return next((each for each in reversed(self.all) if not each.withdrawn), None)

    def send(self, who: str, text: str) -> Message:
        """Tell all; everybody sees it with the next document."""
        number = 1 + max((each.id for each in self.all), default=0)
        made = Message(number, who, now(), text)
        with self.database.transaction() as connection:
            connection.execute(insert(messages), [asdict(made)])
        self.all.append(made)
        return made

    def withdraw(self, number: int) -> bool:
        """Show a message no more; whether there is one of that number."""
        at = next((at for at, each in enumerate(self.all) if each.id == number), None)
        if at is None:
            return False
        with self.database.transaction() as connection:
            gone = update(messages).where(messages.c.id == number).values(withdrawn=True)
            connection.execute(gone)
        before = self.all[at]
        self.all[at] = Message(before.id, before.who, before.time, before.text, True)
        return True
