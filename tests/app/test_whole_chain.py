"""All rows that must stay as written are chained: whatever is stored gives back its own hash."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leadline.app.backup import back_up, back_up_project, restore, restore_project
from leadline.app.database import Database, sqlite_url
from leadline.app.exchange import read_judgments
from leadline.app.gold import GoldQuestion
from leadline.app.opening import check_ledger, open_project, repair_ledger
from leadline.app.room import Assessor, Room
from leadline.app.schema import CHAINED, link
from leadline.app.sql_ledger import AuditLog, SqlLedger
from leadline.judging.ledger import Entry
from leadline.judging.project import GRADED, Rules
from tests.app.postgres import Postgres, can_run_postgres
from tests.app.projects import small
from tests.app.rooms import in_file, room_over, some_runs

ANN, BOSS = Assessor("ann"), Assessor("boss")
NOW = "2026-01-01T00:00:00+00:00"


def label_studio(lead_time: str, doc: str = "d0") -> str:
    choice = '{"type": "choices", "value": {"choices": ["1"]}}'
    annotation = f'{{"lead_time": {lead_time}, "result": [{choice}]}}'
    return f'[{{"data": {{"topic": "1", "doc": "{doc}"}}, "annotations": [{annotation}]}}]'


def imported(room: Room, lead_time: str) -> None:
    room.add_entries(read_judgments(label_studio(lead_time), "labelstudio", "ann", NOW, GRADED))


@pytest.mark.parametrize("lead_time", ["5", "-0.0", "0", "2.5", "null", "1e2"])
def test_whatever_time_label_studio_writes_a_backup_can_be_restored(
    tmp_path: Path, lead_time: str
) -> None:
    database = in_file(tmp_path / "x.sqlite")
    imported(room_over(database, some_runs()), lead_time)
    assert back_up(database, tmp_path / "kept.gz", "") == 1
    other = in_file(tmp_path / "y.sqlite")
    assert restore(other, tmp_path / "kept.gz") == 1
    for each in (database, other):
        checked = SqlLedger(each).check()
        assert (checked.wrong, checked.former) == (None, 0)
    database.close()
    other.close()


@pytest.mark.skipif(not can_run_postgres(), reason="needs a PostgreSQL server")
def test_the_same_with_postgresql(tmp_path: Path) -> None:
    with Postgres() as server:
        database = Database(server.database("one"))
        imported(room_over(database, some_runs()), "5")
        back_up(database, tmp_path / "kept.gz", "")
        other = Database(server.database("two"))
        assert restore(other, tmp_path / "kept.gz") == 1
        with database.engine.begin() as connection:
            connection.exec_driver_sql("DROP TRIGGER entry_stays ON entry")
            connection.exec_driver_sql("UPDATE entry SET grade = 0")
        assert database.check()[0].wrong == 1
        assert [table for table, _, _ in database.repair("now")] == ["entry"]
        assert database.check()[0].wrong is None
        with pytest.raises(DBAPIError, match="append-only"), database.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE entry SET grade = 1")
        database.close()
        other.close()


@pytest.mark.parametrize("lead_time", ["NaN", "Infinity", "-1", '"5"', "true", "1" + "0" * 400])
def test_a_time_that_is_none_is_refused(lead_time: str) -> None:
    with pytest.raises(ValueError, match=r"lead_time|seconds"):
        read_judgments(label_studio(lead_time), "labelstudio", "ann", NOW, GRADED)


@pytest.mark.parametrize("email", ["5", "null", "[]"])
def test_a_person_without_a_name_is_refused_or_taken_as_text(email: str) -> None:
    given = label_studio("5").replace('{"lead', f'{{"completed_by": {{"email": {email}}}, "lead')
    try:
        read = read_judgments(given, "labelstudio", "ann", NOW, GRADED)
    except ValueError:
        return
    assert read[0].who in ("5", "ann")


def project_with(folder: Path, *, gold: bool = True) -> Path:
    """A project with two judgments, a gold answer and a row in the log."""
    small(folder, order="MoffatA(p=0.8)", stop="", gold_feedback=False)
    judging = open_project(folder)
    room = judging.room
    if gold:
        room.adjudicate(BOSS, room.state.pair("1", "d4"), 1)
        room.gold.put([GoldQuestion("1", "d4", 1, training=True)])
    for _ in range(3 if gold else 2):
        room.judge(ANN, room.next(ANN) or 0, 1, "a note")
    AuditLog(judging.database).add("boss", "close", "x")
    judging.close()
    return folder


def altered(folder: Path, *statements: str) -> None:
    """Change the database behind its back."""
    with sqlite3.connect(folder / "judgments.sqlite") as raw:
        names = raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for (name,) in names:
            raw.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            raw.execute(statement)
    raw.close()


ATTACKS = {
    "judgment": "UPDATE entry SET grade = 0 WHERE id = 2",
    "hashes removed": "UPDATE entry SET hash = NULL",
    "last hash removed": "UPDATE entry SET hash = NULL WHERE id = (SELECT max(id) FROM entry)",
    "gold answer": "UPDATE gold_answer SET said = 0",
    "gold hashes": "UPDATE gold_answer SET said = 0, hash = NULL",
    "log": "UPDATE deed SET about = 'y'",
    "log row put in": "INSERT INTO deed (time, who, act, about) VALUES ('', 'x', 'y', 'z')",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_was_changed_is_found_and_not_backed_up_until_it_is_repaired(
    tmp_path: Path, attack: str
) -> None:
    folder = project_with(tmp_path / "p")
    assert all(found.wrong is None for found in check_ledger(folder))
    altered(folder, ATTACKS[attack])
    assert [found.table for found in check_ledger(folder) if found.wrong] != []
    with pytest.raises(ValueError, match="is not as it was written"):
        back_up_project(folder, tmp_path / "kept.gz")
    assert not (tmp_path / "kept.gz").exists()
    before = [found.end for found in check_ledger(folder)]
    repaired = repair_ledger(folder)
    assert repaired
    assert all(found.wrong is None for found in check_ledger(folder))
    assert before != [found.end for found in check_ledger(folder)]
    # It is in the log, and the guards are up again.
    with sqlite3.connect(folder / "judgments.sqlite") as raw:
        assert raw.execute("SELECT act FROM deed ORDER BY id").fetchall()[-1] == ("repair chain",)
        with pytest.raises(sqlite3.DatabaseError, match="append-only"):
            raw.execute("UPDATE entry SET grade = 1")
    raw.close()
    back_up_project(folder, tmp_path / "kept.gz")
    assert restore_project(tmp_path / "q", tmp_path / "kept.gz") == 3


def test_a_sound_ledger_is_not_repaired(tmp_path: Path) -> None:
    folder = project_with(tmp_path / "p")
    before = check_ledger(folder)
    assert repair_ledger(folder) == []
    assert check_ledger(folder) == before


@pytest.mark.parametrize("attack", ["last hash removed", "log", "gold answer"])
def test_a_project_whose_last_row_was_changed_is_not_opened(tmp_path: Path, attack: str) -> None:
    folder = project_with(tmp_path / "p")
    altered(folder, ATTACKS[attack])
    with pytest.raises(ValueError, match="--check"):
        open_project(folder)
    repair_ledger(folder)
    open_project(folder).close()


def test_to_check_changes_nothing(tmp_path: Path) -> None:
    folder = project_with(tmp_path / "p")
    file = folder / "judgments.sqlite"
    altered(folder)
    file.chmod(0o640)
    before = file.read_bytes()
    check_ledger(folder)
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o640
    file.unlink()
    with pytest.raises(ValueError, match=r"judgments.sqlite"):
        check_ledger(folder)
    assert not file.exists()


def former_link(before: str, row: dict[str, object]) -> str:
    """As rows were hashed before numbers were normalised."""
    said = json.dumps([row[name] for name in CHAINED["entry"]])
    return hashlib.sha256(f"{before}\n{said}".encode()).hexdigest()


@pytest.mark.parametrize("given", [5, -0.0])
def test_a_ledger_that_was_hit_is_read_as_it_is_and_repaired(tmp_path: Path, given: float) -> None:
    folder = project_with(tmp_path / "p", gold=False)
    [ledger, *_] = check_ledger(folder)
    entry = Entry("judge", "1", "d4", 1, "ben", NOW, seconds=given)
    row = {**vars_of(entry), "batch": 1}
    first = former_link(ledger.end, row)
    second = link(first, {**row, "seconds": 2.5, "doc": "d3"})
    statement = (
        "INSERT INTO entry (act, topic, doc, grade, who, kind, time, seconds, note, model, prompt, "
        "batch, hash) VALUES "
        "('judge', '1', '{}', 1, 'ben', 'person', '{}', {}, '', '', '', 1, '{}')"
    )
    altered(
        folder,
        statement.format("d4", NOW, given, first),
        statement.format("d3", NOW, 2.5, second),
    )
    [found, *_] = check_ledger(folder)
    assert (found.rows, found.wrong, found.end, found.former) == (4, None, second, 1)
    back_up_project(folder, tmp_path / "kept.gz")
    assert restore_project(tmp_path / "q", tmp_path / "kept.gz") == 4
    open_project(folder).close()
    assert [table for table, _, _ in repair_ledger(folder)] == ["entry"]
    assert check_ledger(folder)[0].former == 0


def vars_of(entry: Entry) -> dict[str, object]:
    return {name: getattr(entry, name, None) for name in CHAINED["entry"]}


def test_revised_and_undone_gold_answers_stay_on_record(tmp_path: Path) -> None:
    rules = Rules(gold_every=1, gold_feedback=False)
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs(), rules, "MoffatA(p=0.8)")
    pair = room.state.pair("1", "d5")
    room.adjudicate(BOSS, pair, 1)
    room.gold.put([GoldQuestion("1", "d5", 1)])
    while not room.gold.answers:
        room.judge(ANN, room.next(ANN) or 0, 0)
    room.revise(ANN, pair, 1)
    room.undo(ANN)
    with database.engine.connect() as connection:
        rows = connection.execute(text("SELECT act, said FROM gold_answer ORDER BY id")).fetchall()
    assert [tuple(row) for row in rows] == [("judge", 0), ("judge", 1), ("undo", None)]
    beside = Database(sqlite_url(tmp_path / "x"), read_only=True)
    assert all(found.wrong is None for found in beside.check())
    beside.close()
    database.close()
