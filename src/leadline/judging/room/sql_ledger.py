"""The ledger in a database, and who has which place at which pair."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, and_, delete, insert, select, update

from leadline.judging.ledger import Entry, Ledger
from leadline.judging.room.database import Database, entries, places

FIELDS = [column for column in entries.columns if column.name != "id"]


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


def _at(place: Place) -> ColumnElement[bool]:
    return and_(places.c.topic == place.topic, places.c.doc == place.doc, places.c.who == place.who)


class SqlLedger(Ledger):
    """Entries in a database, each on the disk before `append` returns."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.reload()

    def reload(self) -> None:
        """Read all entries anew: what is in the database is what happened."""
        with self.database.engine.connect() as connection:
            rows = connection.execute(select(*FIELDS).order_by(entries.c.id))
            self.entries = [Entry(**row) for row in rows.mappings()]

    def append(self, entry: Entry) -> None:
        self.write([entry])

    def write(
        self,
        added: Sequence[Entry] = (),
        kept: Sequence[Place] = (),
        freed: Sequence[Place] = (),
    ) -> None:
        """Add entries, and what becomes of places: all of it or nothing.

        Freed places are given up first, so that others can have their slots. Entries are on the
        disk when this returns. Places alone are not waited for: one that is lost in a power cut
        is lent again.
        """
        with self.database.transaction(lasting=bool(added)) as connection:
            if added:
                connection.execute(insert(entries), [asdict(entry) for entry in added])
            for place in freed:
                connection.execute(delete(places).where(_at(place)))
            for place in kept:
                values = {"slot": place.slot, "until": place.until}
                if not connection.execute(update(places).where(_at(place)).values(values)).rowcount:
                    connection.execute(insert(places), [asdict(place)])
        self.entries.extend(added)

    def places(self) -> list[Place]:
        """All places that are lent or judged, in the order in which they were lent."""
        columns = [column for column in places.columns if column.name != "id"]
        with self.database.engine.connect() as connection:
            rows = connection.execute(select(*columns).order_by(places.c.id))
            return [Place(**row) for row in rows.mappings()]

    def replace_places(self, wanted: list[Place]) -> None:
        """These places and no others."""
        with self.database.engine.begin() as connection:
            connection.execute(delete(places))
            if wanted:
                connection.execute(insert(places), [asdict(place) for place in wanted])
