"""Judgments from elsewhere: each import has a number, and can be undone as a whole."""

from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, func, insert, select, update

from leadline.judging.ledger import Entry
from leadline.judging.replay import in_force_at
from leadline.judging.room.schema import entries, imports
from leadline.judging.room.sql_ledger import SqlLedger


class UnknownImport(ValueError):
    """There is no such import, or it was undone."""


@dataclass(frozen=True)
class Import:
    """What was imported, by whom, when, in which format, and when it was undone, if it was."""

    id: int
    who: str
    time: str
    form: str
    added: int
    undone: str | None = None


@dataclass(frozen=True)
class Intake:
    """The imports of a ledger."""

    ledger: SqlLedger

    def all(self) -> list[Import]:
        """Every import, the first one first."""
        with self.ledger.database.engine.connect() as connection:
            rows = connection.execute(select(imports).order_by(imports.c.id))
            return [Import(**row) for row in rows.mappings()]

    def add(self, added: list[Entry], who: str, time: str, form: str) -> int:
        """Write all of it or nothing; its number."""
        with self.ledger.database.engine.connect() as connection:
            number = int(connection.scalar(select(func.max(imports.c.id))) or 0) + 1
        made = Import(number, who, time, form, len(added))

        def note(connection: Connection) -> None:
            connection.execute(insert(imports), [asdict(made)])

        self.ledger.write(added, batch=number, also=note)
        return number

    def undo(self, number: int, who: str, time: str) -> int:
        """Take back what of an import is still in force; how many judgments that were.

        An undo takes back the last act of a person on a pair. What that person did there after
        the import is taken back first, and stands again afterwards.
        """
        known = next((each for each in self.all() if each.id == number), None)
        if known is None or known.undone:
            raise UnknownImport(f"there is no import {number} that could be undone")
        first, end = self._where(number)
        acts: dict[tuple[str, str, str], list[int]] = {}
        for at in in_force_at(self.ledger.entries):
            entry = self.ledger.entries[at]
            acts.setdefault((entry.topic, entry.doc, entry.who), []).append(at)
        written: list[Entry] = []
        n = 0
        for standing in acts.values():
            gone = [at for at in standing if first <= at < end]
            if not gone:
                continue
            n += len(gone)
            since = [self.ledger.entries[at] for at in standing if at >= gone[0]]
            note = f"import {number} was undone by {who}"
            written += [replace(_undo(entry), time=time, note=note) for entry in reversed(since)]
            written += [self.ledger.entries[at] for at in standing if at >= end]

        def tell(connection: Connection) -> None:
            done = update(imports).where(imports.c.id == number).values(undone=time)
            connection.execute(done)

        self.ledger.write(written, also=tell)
        return n

    def _where(self, number: int) -> tuple[int, int]:
        """Where in the ledger an import begins and ends: it was written at one go."""
        mine = entries.c.batch == number
        with self.ledger.database.engine.connect() as connection:
            first = connection.scalar(select(func.min(entries.c.id)).where(mine))
            if first is None:
                return 0, 0
            before = select(func.count()).select_from(entries).where(entries.c.id < first)
            start = int(connection.scalar(before) or 0)
            n = connection.scalar(select(func.count()).select_from(entries).where(mine))
            return start, start + int(n or 0)


def _undo(entry: Entry) -> Entry:
    return Entry("undo", entry.topic, entry.doc, who=entry.who, kind=entry.kind)
