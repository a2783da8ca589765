"""Entries and places in a database: all of what is written, or nothing of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.app.database import Database
from leadline.app.sql_ledger import Place, SqlLedger
from leadline.judging.ledger import Entry
from leadline.judging.project import Rules
from tests.app.rooms import in_file, room_over, some_runs

ONE = Entry("judge", "1", "a", 2, "ann", "2030", "a note", 3, 1.5)
TWO = Entry("skip", "1", "b", who="llm", kind="machine")


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database("sqlite://")
    yield database
    database.close()


def test_the_database_itself_refuses_a_place_too_many(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(), Rules(per_pair=2))
    room.ledger.write(kept=[Place("1", "d0", "ann", 0, None), Place("1", "d0", "bob", 1, None)])
    with pytest.raises(DBAPIError):
        room.ledger.write(kept=[Place("1", "d0", "cid", 1, 5.0)])
    with pytest.raises(DBAPIError), database.engine.begin() as connection:
        connection.execute(
            text("INSERT INTO place (topic, doc, who, slot) VALUES ('1', 'd0', 'ann', 2)")
        )
    database.close()


def test_entries_are_read_back_as_they_were(database: Database) -> None:
    ledger = SqlLedger(database)
    ledger.write([ONE], kept=[Place("1", "a", "ann", 0, None)])
    ledger.append(TWO)
    ledger.append(ONE)
    assert ledger.entries == SqlLedger(database).entries == [ONE, TWO, ONE]
    ledger.entries = []
    ledger.reload()
    assert ledger.entries == [ONE, TWO, ONE]


def test_places_are_kept_changed_and_freed(database: Database) -> None:
    ledger = SqlLedger(database)
    lent, apart = Place("1", "a", "ann", 0, 9.0), Place("1", "a", "llm", None, 9.0)
    ledger.write(kept=[lent, apart])
    judged = Place("1", "a", "ann", 0, None)
    ledger.write(kept=[judged])
    assert ledger.places() == [judged, apart]
    # The slot is free before it is taken by another.
    ledger.write(kept=[Place("1", "a", "bob", 0, 5.0)], freed=[judged])
    assert [place.who for place in ledger.places()] == ["llm", "bob"]
    ledger.replace_places([lent])
    assert ledger.places() == [lent]
    ledger.replace_places([])
    assert ledger.places() == []


def test_what_the_database_refuses_leaves_nothing(database: Database) -> None:
    ledger = SqlLedger(database)
    ledger.write(kept=[Place("1", "a", "ann", 0, None)])
    with pytest.raises(DBAPIError):
        ledger.write([ONE], kept=[Place("1", "b", "bob", 0, None), Place("1", "a", "bob", 0, 5.0)])
    assert ledger.entries == SqlLedger(database).entries == []
    assert [place.who for place in ledger.places()] == ["ann"]
