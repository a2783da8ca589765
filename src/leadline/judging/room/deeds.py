"""Who did what besides judging: rows are added, never changed and never removed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from leadline.judging.room.database import Database
from leadline.judging.room.schema import append, deeds

COLUMNS = ("id", "time", "who", "act", "about")


@dataclass(frozen=True)
class Deed:
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
class Deeds:
    """The log of a project."""

    database: Database
    clock: Callable[[], str] = now

    def add(self, who: str, act: str, about: str = "") -> None:
        """Write one; it is on the disk when this returns."""
        row = {"time": self.clock(), "who": who, "act": act, "about": about[:2000]}
        with self.database.transaction() as connection:
            append(connection, deeds, row)

    def last(self, n: int, before: int | None = None) -> list[Deed]:
        """The last n, or the last n before one of that number; the latest first."""
        wanted = select(*(deeds.c[name] for name in COLUMNS)).order_by(deeds.c.id.desc()).limit(n)
        if before is not None:
            wanted = wanted.where(deeds.c.id < before)
        with self.database.engine.connect() as connection:
            return [Deed(**row) for row in connection.execute(wanted).mappings()]
