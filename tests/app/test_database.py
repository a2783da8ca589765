"""A database of one process, whose ledger nobody changes, and whose commits last."""

from pathlib import Path

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError

from leadline.app.database import Database, connect, sqlite_url
from leadline.app.room import Assessor, Unavailable
from leadline.app.schema import places
from tests.app.rooms import in_file, room_over, some_runs

ANN = Assessor("ann")


def test_the_ledger_cannot_be_changed_or_shortened(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs())
    room.judge(ANN, room.next(ANN) or 0, 1)
    for statement in ("UPDATE entry SET grade = 0", "DELETE FROM entry"):
        with (
            pytest.raises(DBAPIError, match="append-only"),
            database.engine.begin() as connection,
        ):
            connection.execute(text(statement))
    database.close()


def test_one_who_only_reads_cannot_write(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "x.sqlite")
    Database(url).close()
    database = Database(url, read_only=True)
    with database.engine.connect() as connection, pytest.raises(DBAPIError, match="readonly"):
        connection.exec_driver_sql("DELETE FROM person")
    database.close()


def test_two_processes_cannot_hold_one_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leadline.app.database.PATIENCE", 0.1)
    first = in_file(tmp_path / "x.sqlite")
    with pytest.raises(ValueError, match="in use by another"):
        in_file(tmp_path / "x.sqlite")
    first.close()
    in_file(tmp_path / "x.sqlite").close()


def test_the_lock_is_on_the_database_and_not_on_a_file_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leadline.app.database.PATIENCE", 0.1)
    first = in_file(tmp_path / "x.sqlite")
    for beside in tmp_path.glob("x.sqlite.*"):
        beside.unlink()
    with pytest.raises(ValueError, match="in use by another"):
        in_file(tmp_path / "x.sqlite")
    first.close()


def test_one_who_lost_the_database_without_knowing_writes_nothing(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs())
    pair = room.next(ANN)
    assert pair is not None
    # As if another had taken it meanwhile.
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE owner SET epoch = epoch + 1"))
    with pytest.raises(Unavailable, match="another leadline judge"):
        room.judge(ANN, pair, 1)
    with database.engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM entry")) == 0
    # The lock on the file is still ours: it is taken again, and the judgment with it.
    room.judge(ANN, pair, 1)
    assert room.ledger.check().rows == 1
    database.close()


def test_a_database_that_was_replaced_is_not_written_to(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs())
    pair = room.next(ANN)
    assert pair is not None
    (tmp_path / "x.sqlite").rename(tmp_path / "moved")
    with pytest.raises(Unavailable, match="moved or replaced"):
        room.judge(ANN, pair, 1)
    database.close()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("judgments.sqlite", "is no database URL, such as sqlite:///"),
        ("mysql://host/name", "only sqlite and postgresql are known"),
        ("nonsense://x", "is no database URL|only sqlite"),
    ],
)
def test_a_url_of_no_known_kind_is_refused(url: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        connect(url)


def test_a_folder_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises((ValueError, OSError), match=r"No such file|unable to open") as caught:
        in_file(tmp_path / "nowhere" / "x.sqlite")
    assert "\n" not in str(caught.value)


def test_its_name_has_no_password() -> None:
    url = connect("postgres://ann:secret@host/name").url
    assert url.drivername == "postgresql+psycopg"
    assert "secret" not in url.render_as_string(hide_password=True)


def test_every_commit_is_synced_and_what_need_not_last_only_while_it_is_written(
    tmp_path: Path,
) -> None:
    database = in_file(tmp_path / "x.sqlite")
    normal, full = 1, 2
    for lasting, level in ((True, full), (False, normal), (True, full)):
        with database.transaction(lasting) as connection:
            assert connection.scalar(text("PRAGMA synchronous")) == level
    with database.engine.connect() as connection:
        assert connection.scalar(text("PRAGMA journal_mode")) == "wal"
    database.close()


@pytest.mark.parametrize("lasting", [True, False])
def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path, lasting: bool) -> None:
    database = in_file(tmp_path / "x.sqlite")
    row = {"topic": "1", "doc": "a", "who": "ann", "slot": 0, "until": None}
    with pytest.raises(DBAPIError), database.transaction(lasting) as connection:
        connection.execute(insert(places), [row, row])
    with database.transaction(lasting) as connection:
        assert connection.scalar(text("SELECT count(*) FROM place")) == 0
        connection.execute(insert(places), [row])
    database.close()
    again = Database(sqlite_url(tmp_path / "x.sqlite"))
    with again.transaction() as connection:
        assert connection.scalar(text("SELECT count(*) FROM place")) == 1
    again.close()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ann:hush7@host/name",
        "postgresql://ann:hush7@127.0.0.1:1/name",
        "postgresql://ann:hu/sh7@127.0.0.1:1/name",
        "postgresql://ann:hu#sh7@127.0.0.1:notaport/name",
        "postgresql://ann@127.0.0.1:1/name?password=hush7",
        "postgresql://ann:hush7@127.0.0.1:1/name?nosuchoption=hush7",
        "postgresql://ann:hush7@127.0.0.1:1/name?sslmode=hush7",
        "postgresql:ann:hush7@host",
        "hush7",
    ],
)
def test_no_message_tells_a_password(url: str) -> None:
    with pytest.raises(ValueError, match=": ") as caught:
        Database(url)
    assert "sh7" not in str(caught.value)
