"""The database of a judging project: SQLite in its folder, or PostgreSQL by URL.

Whatever is committed is on the disk: SQLite syncs its log at every commit, PostgreSQL is told to.
One process at a time may hold it, because the state of the order lives in that process.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.schema import DDL

PATIENCE = 10.0
"""Seconds to wait for a process that was killed to let go of the database."""

RELAXED = "SET LOCAL synchronous_commit = off"

tables = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")

entries = Table(
    "entry",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("act", String(20), nullable=False),
    Column("topic", String, nullable=False),
    Column("doc", String, nullable=False),
    Column("grade", Integer),
    Column("who", String, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("time", String(40), nullable=False),
    Column("seconds", Float),
    Column("note", String, nullable=False),
    Column("asked", Integer),
)
"""The ledger. Rows are added, never changed and never removed; the database itself sees to it."""

places = Table(
    "place",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("topic", String, nullable=False),
    Column("doc", String, nullable=False),
    Column("who", String, nullable=False),
    Column("slot", Integer),
    Column("until", Float),
    UniqueConstraint("topic", "doc", "slot"),
    UniqueConstraint("topic", "doc", "who"),
)
"""Who has which of a pair's k places: `until` for as long as it is lent, null once it is judged.

The constraints are what holds judgments of a pair at k, whoever writes. A machine whose judgments
are kept apart has no slot.
"""

APPEND_ONLY = {
    "sqlite": [
        f"""CREATE TRIGGER IF NOT EXISTS entry_stays_on_{act.lower()} BEFORE {act} ON entry
        BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"""
        for act in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        """CREATE OR REPLACE FUNCTION entry_stays() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$""",
        """CREATE OR REPLACE TRIGGER entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON entry
        FOR EACH STATEMENT EXECUTE FUNCTION entry_stays()""",
    ],
}
for dialect, statements in APPEND_ONLY.items():
    for statement in statements:
        guard = DDL(statement).execute_if(dialect=dialect)  # type: ignore[no-untyped-call]
        event.listen(entries, "after_create", guard)


class Database:
    """An engine, held by this process until it is closed."""

    def __init__(self, url: str) -> None:
        self.engine = connect(url)
        self._file: BinaryIO | None = None
        self._holder: Connection | None = None
        try:
            self._hold()
            tables.create_all(self.engine)
        except DBAPIError as error:
            self.close()
            raise ValueError(f"{self.name}: {reason(error)}") from None
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """Its URL without the password."""
        return self.engine.url.render_as_string(hide_password=True)

    def _hold(self) -> None:
        end = time.monotonic() + PATIENCE
        while not self._try_to_hold():
            if time.monotonic() > end:
                raise ValueError(f"{self.name}: is in use by another leadline judge; end that one")
            time.sleep(0.05)

    def _try_to_hold(self) -> bool:
        if self.engine.dialect.name == "postgresql":
            self._holder = self._holder or self.engine.connect()
            ask = text("SELECT pg_try_advisory_lock(hashtext('leadline judge'))")
            held = bool(self._holder.scalar(ask))
            self._holder.commit()
            return held
        path = self.engine.url.database
        if not path or path == ":memory:":
            return True
        for file in (Path(path), Path(f"{path}.lock")):
            _only_for_the_owner(file)
        return self._lock_file(Path(f"{path}.lock"))

    def _lock_file(self, path: Path) -> bool:
        try:
            import fcntl
        except ImportError:  # Windows has no such lock.
            return True
        if self._file is None:
            self._file = path.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    @contextlib.contextmanager
    def transaction(self, lasting: bool = True) -> Iterator[Connection]:
        """All or nothing; on the disk when it ends, if it is to last."""
        with self.engine.connect() as connection:
            is_sqlite = self.engine.dialect.name == "sqlite"
            if not lasting:
                relaxed = "PRAGMA synchronous=NORMAL" if is_sqlite else RELAXED
                connection.exec_driver_sql(relaxed)
            try:
                yield connection
                connection.commit()
            finally:
                if is_sqlite and not lasting:
                    connection.rollback()
                    connection.exec_driver_sql("PRAGMA synchronous=FULL")

    def close(self) -> None:
        """Let go of it."""
        with contextlib.suppress(DBAPIError):
            if self._holder is not None:
                self._holder.close()
        self.engine.dispose()
        if self._file is not None:
            self._file.close()
            self._file = None


def _only_for_the_owner(file: Path) -> None:
    """Make a file that nobody else can read; what SQLite puts beside it has the same rights."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.suppress(OSError):
        file.chmod(0o600)


def connect(url: str) -> Engine:
    """An engine whose commits are durable; a ValueError if the URL is of no known kind."""
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgres", "postgresql"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in APPEND_ONLY:
            raise ValueError(f"{url}: only sqlite and postgresql are known")
        engine = create_engine(parsed, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError):
        raise ValueError(
            f"{url}: is no database URL, such as sqlite:///judgments.sqlite or "
            "postgresql://user@host/name"
        ) from None
    event.listen(engine, "connect", _prepare)
    return engine


def sqlite_url(path: str | os.PathLike[str]) -> str:
    """The URL of a database in a file."""
    return f"sqlite:///{Path(path).absolute()}"


def _prepare(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    if type(connection).__module__.startswith("psycopg"):
        cursor.execute("SET synchronous_commit = on")
        connection.commit()
    else:
        # In WAL mode only FULL syncs at every commit.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=5000"):
            cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def reason(error: DBAPIError) -> str:
    """The first line of what the database says."""
    return str(error.orig).strip().splitlines()[0]
