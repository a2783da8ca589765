"""What the database itself refuses, whoever writes; and databases of earlier versions."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.judging.room.database import Database
from leadline.judging.room.room import Assessor
from leadline.judging.room.rules import Rules
from tests.judging.room.rooms import in_file, room_over, some_runs

ANN = Assessor("ann")
ENTRY = "INSERT INTO entry (act, topic, doc, grade, who, kind, time, note{more}) VALUES ({values})"


def refused(database: Database, statement: str, told: str) -> None:
    with pytest.raises(DBAPIError, match=told), database.engine.begin() as connection:
        connection.execute(text(statement))


def test_no_row_of_the_ledger_is_replaced(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs())
    room.judge(ANN, room.next(ANN) or 0, 1)
    values = "'skip', '1', 'd0', NULL, 'ann', 'person', '', ''"
    row = ENTRY.format(more=", id", values=f"{values}, 1")
    refused(database, row.replace("INSERT", "INSERT OR REPLACE"), "append-only")
    refused(database, row.replace("INSERT", "REPLACE"), "append-only")
    with database.engine.connect() as connection:
        assert connection.scalar(text("SELECT act FROM entry")) == "judge"
    database.close()


def test_no_pair_has_more_than_k_places_and_nobody_judges_without_one(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room_over(database, some_runs(), Rules(per_pair=2))
    place = "INSERT INTO place (topic, doc, who, slot) VALUES ('1', 'd0', '{}', {})"
    with database.engine.begin() as connection:
        connection.execute(text(place.format("ann", 0)))
        connection.execute(text(place.format("bob", 1)))
    refused(database, place.format("cid", 2), "no more than k")
    refused(database, place.format("cid", -1), "no more than k")
    refused(database, "UPDATE place SET slot = 2 WHERE who = 'ann'", "no more than k")
    values = "'judge', '1', 'd0', 1, '{}', 'person', '', ''"
    refused(database, ENTRY.format(more="", values=values.format("cid")), "without a place")
    with database.engine.begin() as connection:
        connection.execute(text(ENTRY.format(more="", values=values.format("ann"))))
    database.close()


def test_a_database_of_an_earlier_version_is_widened_and_guarded(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as old:
        old.execute(
            "CREATE TABLE entry (id INTEGER PRIMARY KEY, act VARCHAR(20), topic VARCHAR, "
            "doc VARCHAR, grade INTEGER, who VARCHAR, kind VARCHAR(10), time VARCHAR(40), "
            "seconds FLOAT, note VARCHAR, asked INTEGER)"
        )
        old.execute(
            "INSERT INTO entry VALUES (1, 'judge', '1', 'd0', 1, 'ann', 'person', '', 2.5, '', 1)"
        )
        old.execute("CREATE TABLE owner (id INTEGER PRIMARY KEY, epoch INTEGER, per_pair INTEGER)")
        old.execute("INSERT INTO owner VALUES (1, 3, 1)")
    old.close()
    database = in_file(path)
    assert (database.epoch, database.address) == (4, "")
    database.record_address("http://127.0.0.1:8001")
    assert database.address == "http://127.0.0.1:8001"
    room = room_over(database, some_runs())
    assert room.state.session.grades == {room.state.pair("1", "d0"): 1}
    room.judge(ANN, room.next(ANN) or 0, 1)
    found = room.ledger.check()
    assert (found.rows, found.wrong) == (2, None)
    refused(database, "DELETE FROM entry", "append-only")
    database.close()
    # What was there before the chain is chained too.
    with sqlite3.connect(path) as changed:
        changed.execute("DROP TRIGGER entry_stays_on_update")
        changed.execute("UPDATE entry SET grade = 0 WHERE id = 1")
    changed.close()
    again = Database(f"sqlite:///{path}", hold=False)
    assert room_over(in_file(path), some_runs()).ledger.check().wrong == 1
    again.close()
