"""What the database itself refuses, whoever writes; and databases of other versions."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.app.database import Database, sqlite_url
from leadline.app.room import Assessor
from leadline.judging.project import Rules
from tests.app.rooms import in_file, room_over, some_runs

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


def test_tables_of_another_version_are_refused_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    in_file(path).close()
    with sqlite3.connect(path) as other:
        other.execute("ALTER TABLE person DROP COLUMN generation")
    other.close()
    for how in ({}, {"hold": False}, {"read_only": True}):
        with pytest.raises(ValueError, match=r"not made by this version.*person has no generation"):
            Database(sqlite_url(path), **how)


def test_the_address_of_the_server_is_kept(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    assert database.address == ""
    database.record_address("http://127.0.0.1:8001")
    assert database.address == "http://127.0.0.1:8001"
    database.close()
