"""A backup while others judge is of one moment, and comes back the same."""

import gzip
import json
import stat
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from leadline.app.backup import back_up, project_of, restore, restore_project
from leadline.app.database import Database, sqlite_url
from leadline.app.gold import Gold, GoldQuestion
from leadline.app.room import Assessor
from leadline.app.sql_ledger import AuditLog, SqlLedger
from leadline.io.problems import InputError
from leadline.judging.project import Rules
from tests.app.rooms import in_file, room_over, some_runs

ANN = Assessor("ann")


def filled(path: Path) -> Database:
    database = in_file(path)
    room = room_over(database, some_runs(), Rules(per_pair=2))
    for _ in range(3):
        room.judge(ANN, room.next(ANN) or 0, 1)
    room.next(Assessor("ben"))
    room.gold.put([GoldQuestion("1", "d0", 1, "why")])
    AuditLog(database).add("boss", "close", "x")
    with database.engine.begin() as connection:
        person = (
            "INSERT INTO person (name, role, kind, closed) VALUES ('ann','assessor','person',{})"
        )
        connection.execute(text(person.format("false")))
        secret = "INSERT INTO secret VALUES ('h', 'token', 'ann', 'c', 9e9, 0)"
        connection.execute(text(secret))
    return database


def test_what_is_backed_up_comes_back_but_for_what_lets_people_in(tmp_path: Path) -> None:
    database = filled(tmp_path / "x.sqlite")
    file = tmp_path / "kept.gz"
    beside = Database(sqlite_url(tmp_path / "x.sqlite"), hold=False)
    assert back_up(beside, file, 'title = "x"\n') == 3
    beside.close()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert project_of(file) == 'title = "x"\n'
    other = in_file(tmp_path / "y.sqlite")
    assert restore(other, file) == 3
    assert SqlLedger(other).entries == SqlLedger(database).entries
    assert SqlLedger(other).end == SqlLedger(database).end
    assert SqlLedger(other).places() == SqlLedger(database).places()
    assert Gold(other).questions == Gold(database).questions
    assert AuditLog(other).last(9) == AuditLog(database).last(9)
    with other.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM secret")) == 0
        assert connection.scalar(text("SELECT name FROM person")) == "ann"
    room = room_over(other, some_runs(), Rules(per_pair=2))
    room.judge(ANN, room.next(ANN) or 0, 0)
    assert room.ledger.check().wrong is None
    with pytest.raises(ValueError, match="is not empty"):
        restore(other, file)
    database.close()
    other.close()


def test_a_backup_is_of_one_moment_while_others_judge(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(60))
    done = threading.Event()

    def judge() -> None:
        while not done.is_set() and (pair := room.next(ANN)) is not None:
            room.judge(ANN, pair, 0)

    thread = threading.Thread(target=judge)
    thread.start()
    beside = Database(sqlite_url(tmp_path / "x.sqlite"), hold=False)
    for number in range(5):
        n = back_up(beside, tmp_path / f"{number}.gz", "")
        other = in_file(tmp_path / f"{number}.sqlite")
        assert restore(other, tmp_path / f"{number}.gz") == n
        other.close()
    done.set()
    thread.join()
    beside.close()
    database.close()


def test_a_backup_of_another_version_is_refused_by_name(tmp_path: Path) -> None:
    database = filled(tmp_path / "x.sqlite")
    back_up(database, tmp_path / "kept.gz", "")
    [head, *rest] = gzip.decompress((tmp_path / "kept.gz").read_bytes()).splitlines(keepends=True)
    for version in (1, 3, "2"):
        former = json.dumps({**json.loads(head), "version": version}).encode() + b"\n"
        (tmp_path / "former.gz").write_bytes(gzip.compress(b"".join([former, *rest])))
        with pytest.raises(InputError, match=f"of version {version}, but only version 2"):
            restore_project(tmp_path / "p", tmp_path / "former.gz")
        assert not (tmp_path / "p").exists()
    database.close()


def test_a_backup_is_for_its_owner_and_replaces_no_device(tmp_path: Path) -> None:
    database = filled(tmp_path / "x.sqlite")
    (tmp_path / "kept.gz").write_text("old")
    (tmp_path / "kept.gz").chmod(0o644)
    back_up(database, tmp_path / "kept.gz", "")
    assert (tmp_path / "kept.gz").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to("/dev/null")
    back_up(database, tmp_path / "link", "")
    assert (tmp_path / "link").is_char_device()
    database.close()


def test_what_is_no_whole_backup_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    database = filled(tmp_path / "x.sqlite")
    back_up(database, tmp_path / "kept.gz", "")
    whole = (tmp_path / "kept.gz").read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if b'["entry"' in line)
    name, row = json.loads(lines[at])
    forged = json.dumps([name, {**row, "grade": 0}]).encode() + b"\n"
    wrong = {
        "cut": whole[:-20],
        "other": b"hello",
        "empty": b"",
        "forged": gzip.compress(b"".join([*lines[:at], forged, *lines[at + 1 :]])),
        "without": gzip.compress(b"".join([*lines[:at], *lines[at + 1 :]])),
        "row": gzip.compress(lines[0] + b'["entry", 3]\n'),
        "no project": gzip.compress(b'{"format": "leadline judge backup", "version": 2}\n'),
        "damaged": whole[:40] + b"\xff" * 20 + whole[60:],
        "slot": gzip.compress(b"".join(lines).replace(b'"slot": 0', b'"slot": "x"', 1)),
        "same place": gzip.compress(b"".join([lines[0], lines[1], lines[1]])),
        "a list": gzip.compress(b"".join(lines).replace(b'"who": "ann"', b'"who": []', 1)),
        "deep": gzip.compress(lines[0] + b"[" * 100_000 + b"\n"),
    }
    other = in_file(tmp_path / "y.sqlite")
    for name, content in wrong.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError):
            restore(other, tmp_path / name)
        with other.engine.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM entry")) == 0
    database.close()
    other.close()
