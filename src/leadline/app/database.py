"""The database of a judging project: SQLite in its folder, or PostgreSQL by URL.

Whatever is committed is on the disk: SQLite syncs its log at every commit, PostgreSQL is told to.
One process at a time may hold it, because the state of the order lives in that process. The lock
is on the database itself and held for life. Whoever holds it raises a number in the database, and
every change of the ledger says that number: one who lost the lock and does not know can write
nothing. The number is odd until whoever holds the database lets go of it. PostgreSQL's lock ends
with a restart of PostgreSQL: whoever comes then waits, so that the one who had it takes it again.
"""

import contextlib
import os
import selectors
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    bindparam,
    create_engine,
    event,
    make_url,
    select,
    text,
    update,
)
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    NoSuchModuleError,
    SQLAlchemyError,
)

from leadline.app.schema import (
    GUARDS,
    START,
    Checked,
    Walk,
    append,
    audit_log,
    chain_anew,
    check,
    check_layout,
    entries,
    gold_answers,
    lay_out,
    owners,
)

SECONDS = 10.0
LOOK_EVERY = 0.25


class Deadlines:
    """Watches the connections of an engine: a server that hangs is no reason to hang with it.

    The time runs anew with each statement, and is over when the answer is there. Cutting off means
    that the waiting thread gets an error, as if the server had gone.
    """

    def __init__(self, engine: Engine, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._due: dict[int, tuple[float, Any]] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        event.listen(engine, "checkout", self._checked_out)
        event.listen(engine, "checkin", lambda raw, record: self.met(raw))
        event.listen(engine, "before_cursor_execute", self._asked)
        event.listen(engine, "after_cursor_execute", self._answered)
        event.listen(engine, "commit", lambda connection: self.set(_raw(connection)))
        event.listen(engine, "rollback", lambda connection: self.set(_raw(connection)))

    def set(self, raw: Any) -> None:
        """An answer is waited for from now on."""
        with self._lock:
            self._due[id(raw)] = time.monotonic() + self.seconds, raw
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    def met(self, raw: Any) -> None:
        """The answer is there."""
        with self._lock:
            self._due.pop(id(raw), None)

    @contextlib.contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """A longer time, for what takes long by its nature."""
        usual, self.seconds = self.seconds, max(seconds, self.seconds)
        try:
            yield
        finally:
            self.seconds = usual

    def close(self) -> None:
        """Watch no more."""
        self._over.set()

    def _checked_out(self, raw: Any, record: Any, proxy: Any) -> None:
        self.set(raw)
        try:
            raw.execute("SELECT 1")
            raw.rollback()
        except Exception:
            raise DisconnectionError from None
        finally:
            self.met(raw)

    def _asked(self, connection: Any, *more: Any) -> None:
        self.set(_raw(connection))

    def _answered(self, connection: Any, *more: Any) -> None:
        self.met(_raw(connection))

    def _watch(self) -> None:
        while not self._over.wait(LOOK_EVERY):
            now = time.monotonic()
            with self._lock:
                late = [(key, raw) for key, (due, raw) in self._due.items() if due < now]
                for key, _ in late:
                    del self._due[key]
            for _, raw in late:
                _cut_off(raw)


def _raw(connection: Any) -> Any:
    return connection.connection.dbapi_connection


def _cut_off(raw: Any) -> None:
    with contextlib.suppress(Exception), socket.socket(fileno=os.dup(raw.pgconn.socket)) as door:
        door.shutdown(socket.SHUT_RDWR)


FAR = 1 << 62
"""Where Windows locks a byte: beyond those that SQLite locks itself, and beyond any content."""


class FileLock:
    """Held until it is closed or the process ends, whatever ends it.

    On the file itself: one beside it could be taken away while it is held. SQLite's own locks are
    of another kind and are not touched, as long as this is closed after all connections.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))

    def take(self) -> bool:
        """Whether the lock is ours now."""
        try:
            if sys.platform == "win32":
                import msvcrt

                os.lseek(self._file, FAR, os.SEEK_SET)
                msvcrt.locking(self._file, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def is_of_the_database(self) -> bool:
        """Whether the file that is locked is still the one of that name."""
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return False

    def close(self) -> None:
        """Let go of it."""
        os.close(self._file)


def only_for_the_owner(file: Path) -> None:
    """Make a file that nobody else can read; what SQLite puts beside it has the same rights."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.suppress(OSError):
        file.chmod(0o600)


PATIENCE = 10.0
"""Seconds to wait for a process that was killed to let go of the database."""

GRACE = 3.0
"""Seconds in which whoever did not let go of a PostgreSQL database may take its lock again."""

READING_ALL = 120.0
"""Seconds within which the whole ledger is read, or laid out."""

CHAINS = (entries, gold_answers, audit_log)
"""The tables whose rows are chained by hash."""

TAKEN = "another leadline judge has this project now, or our last connection is still being ended"
RELAXED = "SET LOCAL synchronous_commit = off"

# Made once: they come with every change.
_OURS = owners.c.epoch == bindparam("ours")
_MINE = update(owners).where(_OURS).values(id=1)
_WANTED = select(owners.c.id).where(_OURS).with_for_update()


class NotHeld(Exception):
    """Somebody else has the database, or it is not known whether we have it."""


class Database:
    """An engine, held by this process until it is closed."""

    def __init__(self, url: str, hold: bool = True, read_only: bool = False) -> None:
        self.engine = connect(url, read_only)
        self.is_sqlite = self.engine.dialect.name == "sqlite"
        self.deadlines = None if self.is_sqlite else Deadlines(self.engine)
        self.epoch = -1
        self._file: FileLock | None = None
        self._writer: Connection | None = None
        self._turn = threading.RLock()
        self._closed = threading.Event()
        try:
            if read_only:
                self._check_readable()
            elif self.path is not None:
                only_for_the_owner(self.path)
            if hold and not read_only:
                self._hold()
            elif not read_only:
                self._lay_out()
        except DBAPIError as error:
            self.close()
            raise ValueError(f"{self.name}: {self._reason(error)}") from None
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """Its URL without password and options."""
        return shown_url(self.engine.url.render_as_string(hide_password=True))

    def _reason(self, error: DBAPIError) -> str:
        """The first line of what the database says, without secrets of its URL."""
        said = str(error.orig).strip().splitlines()[0]
        url = self.engine.url
        for secret in (url.password, *url.query.values()):
            for each in (secret,) if isinstance(secret, str) else secret or ():
                said = said.replace(each, "***") if len(each) > 3 else said
        return said

    @property
    def path(self) -> Path | None:
        """The file, of SQLite in a file."""
        named = self.engine.url.database
        return Path(named) if self.is_sqlite and named and named != ":memory:" else None

    def _check_readable(self) -> None:
        """Raise a ValueError unless there are the tables to read."""
        if self.path is not None and not self.path.is_file():
            raise ValueError(f"{self.name}: there is no such database yet")
        with self.engine.connect() as connection:
            check_layout(connection, self.name)

    def check(self) -> list[Checked]:
        """Walk along every chain: the ledger, the answers to gold questions and the log."""
        with self.patience(READING_ALL), self.engine.connect() as connection:
            found = []
            for table in CHAINS:
                rows = connection.execute(select(table).order_by(table.c.id)).mappings()
                found.append(check(map(dict, rows), table.name))
            return found

    def check_heads(self) -> None:
        """Raise a ValueError if the last row of a chain is not as it was written."""
        with self.engine.connect() as connection:
            for table in CHAINS:
                last = select(table).order_by(table.c.id.desc()).limit(2)
                rows = [dict(row) for row in connection.execute(last).mappings()]
                if rows:
                    before = rows[1]["hash"] if len(rows) > 1 else START
                    walk = Walk(table.name, before or START)
                    walk.step(rows[0])
                    walk.checked.require(self.name)

    def repair(self, time: str) -> list[tuple[str, str, str]]:
        """Chain anew the tables with wrong or former hashes; return name, old and new end of each.

        What the rows say now is taken as true, and the log says that it was done.
        """
        wanted = [each for each in self.check() if each.wrong is not None or each.former]
        names = {each.table for each in wanted}
        with self.patience(READING_ALL), self.transaction() as connection:
            for table in (each for each in CHAINS if each.name in names):
                chain_anew(connection, table)
        ends = {each.table: each.end for each in self.check()}
        done = [(each.table, each.end, ends[each.table]) for each in wanted]
        with self.transaction() as connection:
            for name, before, after in done:
                about = f"{name}: sound up to {before or 'nothing'}, now ends in {after}"
                row = {"time": time, "who": "", "act": "repair chain", "about": about}
                append(connection, audit_log, row)
        return done

    # Who holds it.

    def _hold(self) -> None:
        end = time.monotonic() + PATIENCE
        self._wait_for_the_last()
        while not self._try_to_hold():
            if time.monotonic() > end:
                raise ValueError(f"{self.name}: is in use by another leadline judge; end that one")
            time.sleep(0.05)
        self._lay_out()
        self._raise_epoch()
        if not self.is_sqlite:
            threading.Thread(target=self._keep, daemon=True).start()

    def _keep(self) -> None:
        """Take the lock back as soon as PostgreSQL is there again, also while nobody judges."""
        while not self._closed.wait(LOOK_EVERY):
            if not self._turn.acquire(blocking=False):
                continue
            try:
                if self._is_lost():
                    self._let_go()
                    # Only if nobody had it meanwhile: else the ledger has to be read anew.
                    if not self._try_to_hold() or not self._still_holds():
                        self._let_go()
            except SQLAlchemyError:
                self._let_go()
            finally:
                self._turn.release()

    def _is_lost(self) -> bool:
        """Whether the connection that holds it has ended: the server says nothing unasked."""
        if self._writer is None or self._writer.invalidated:
            return True
        with selectors.DefaultSelector() as ready:
            ready.register(_raw(self._writer).fileno(), selectors.EVENT_READ)
            return bool(ready.select(0))

    def hold_again(self) -> None:
        """Take the lock again after the database was away; a NotHeld if another has it now."""
        with self._turn:
            if self._still_holds():
                return
            self._let_go()
            if not self._try_to_hold():
                raise NotHeld(TAKEN)
            self._raise_epoch()

    def _still_holds(self) -> bool:
        try:
            with self.transaction(lasting=False):
                return True
        except (SQLAlchemyError, NotHeld):
            return False

    def _try_to_hold(self) -> bool:
        if not self.is_sqlite:
            self._writer = self._writer or self.engine.connect()
            ask = text("SELECT pg_try_advisory_lock(hashtext('leadline judge'))")
            held = bool(self._writer.scalar(ask))
            self._writer.commit()
            self._answered(self._writer)
            return held
        if self.path is None:
            return True
        self._file = self._file or FileLock(self.path)
        return self._file.take()

    def _wait_for_the_last(self) -> None:
        """Let whoever did not let go of it come back, on the connection that will hold the lock."""
        if self.is_sqlite:
            return
        self._writer = self.engine.connect()
        known = self._writer.scalar(text("SELECT to_regclass('owner')")) is not None
        held = known and (self._writer.scalar(select(owners.c.epoch)) or 0) % 2 == 1
        self._writer.commit()
        self._answered(self._writer)
        # If PostgreSQL restarts meanwhile, this connection ends, and with it our try.
        time.sleep(GRACE if held else 0)

    def _lay_out(self) -> None:
        with self.patience(READING_ALL):
            lay_out(self.engine, self.name)

    def _raise_epoch(self) -> None:
        with self.transaction(fenced=False) as connection:
            connection.execute(update(owners).values(epoch=owners.c.epoch + 1 + owners.c.epoch % 2))
            self.epoch = int(connection.scalar(select(owners.c.epoch)) or 0)

    def _fence(self, connection: Connection) -> None:
        """Nothing is written by one who does not hold it; whoever takes it waits for the rest."""
        if self.is_sqlite:
            if self._file is not None and not self._file.is_of_the_database():
                raise NotHeld("the file of the database was moved or replaced: start again")
            held = bool(connection.execute(_MINE, {"ours": self.epoch}).rowcount)
        else:
            held = connection.scalar(_WANTED, {"ours": self.epoch}) is not None
        if not held:
            raise NotHeld(TAKEN)

    # Work.

    @contextlib.contextmanager
    def transaction(self, lasting: bool = True, fenced: bool = True) -> Iterator[Connection]:
        """All or nothing; on the disk when it ends, if it is to last. A NotHeld if not ours.

        There is one connection that writes, for one at a time. PostgreSQL has the lock with it:
        what is written there alone cannot be written without.
        """
        with self._turn:
            if self.is_sqlite and self._writer is None:
                self._writer = self.engine.connect()
            connection = self._writer
            if connection is None or connection.invalidated:
                raise NotHeld("the connection that held the database was lost")
            try:
                if not lasting:
                    relaxed = "PRAGMA synchronous=NORMAL" if self.is_sqlite else RELAXED
                    connection.exec_driver_sql(relaxed)
                if fenced:
                    self._fence(connection)
                yield connection
                connection.commit()
                self._answered(connection)
            except BaseException:
                with contextlib.suppress(SQLAlchemyError):
                    connection.rollback()
                    self._answered(connection)
                raise
            finally:
                if self.is_sqlite and not lasting:
                    connection.rollback()
                    connection.exec_driver_sql("PRAGMA synchronous=FULL")

    def _answered(self, connection: Connection) -> None:
        if self.deadlines is not None and not connection.invalidated:
            self.deadlines.met(connection.connection.dbapi_connection)

    @contextlib.contextmanager
    def patience(self, seconds: float) -> Iterator[None]:
        """A longer time to answer."""
        if self.deadlines is None:
            yield
            return
        with self.deadlines.patience(seconds):
            yield

    def at_most(self, per_pair: int) -> None:
        """The database itself allows so many places at a pair from now on."""
        with self.transaction() as connection:
            connection.execute(update(owners).values(per_pair=per_pair))

    def record_address(self, address: str) -> None:
        """Keep the address of the server that holds it, for whoever makes links beside it."""
        with self.transaction() as connection:
            connection.execute(update(owners).values(address=address))

    @property
    def address(self) -> str:
        """The address of the server that was started last; empty if there was none."""
        with self.engine.connect() as connection:
            return str(connection.scalar(select(owners.c.address)) or "")

    def _let_go(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(SQLAlchemyError):
                writer.invalidate()
            with contextlib.suppress(SQLAlchemyError):
                writer.close()

    def close(self) -> None:
        """Let go of it."""
        self._closed.set()
        with self._turn:
            if self.epoch > 0 and not self.is_sqlite:
                with (
                    contextlib.suppress(SQLAlchemyError, NotHeld),
                    self.transaction() as connection,
                ):
                    connection.execute(update(owners).values(epoch=owners.c.epoch + 1))
            self._let_go()
        self.engine.dispose()
        if self.deadlines is not None:
            self.deadlines.close()
        # After all connections: closing a file ends the locks that SQLite has on it.
        if self._file is not None:
            self._file.close()
            self._file = None


def connect(url: str, read_only: bool = False) -> Engine:
    """An engine whose commits are durable; a ValueError if the URL is of no known kind."""
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgres", "postgresql"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() not in GUARDS:
            raise ValueError(f"{shown_url(url)}: only sqlite and postgresql are known")
        if parsed.get_backend_name() == "sqlite":
            engine = create_engine(parsed)
        else:
            if "connect_timeout" not in parsed.query:
                parsed = parsed.update_query_dict({"connect_timeout": "5"})
            engine = create_engine(parsed, pool_timeout=5, pool_size=8, max_overflow=4)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError):
        raise ValueError(
            f"{shown_url(url)}: is no database URL, such as sqlite:///judgments.sqlite or "
            "postgresql://user@host/name"
        ) from None
    event.listen(engine, "connect", lambda connection, _: _prepare(connection, read_only))
    return engine


def shown_url(url: str) -> str:
    """A database URL as messages have it: without password and options.

    >>> shown_url("postgresql://ann:secret@host/name?password=secret"), shown_url("secret")
    ('postgresql://ann:***@host/name', '***')
    """
    kind, colon, rest = url.partition("://")
    if not colon:
        return "***"
    user, at, where = rest.rpartition("@")
    name, colon, _ = user.partition(":")
    return f"{kind}://{name}{':***' if colon else ''}{at}{where.partition('?')[0]}"


def sqlite_url(path: str | os.PathLike[str]) -> str:
    """The URL of a database in a file."""
    return f"sqlite:///{Path(path).absolute()}"


def _prepare(connection: Any, read_only: bool) -> None:
    cursor = connection.cursor()
    if type(connection).__module__.startswith("psycopg"):
        name = "default_transaction_read_only" if read_only else "synchronous_commit"
        cursor.execute(f"SET {name} = on")
        connection.commit()
    else:
        # In WAL mode only FULL syncs at every commit.
        how = ("query_only=1",) if read_only else ("journal_mode=WAL", "synchronous=FULL")
        for pragma in (*how, "busy_timeout=5000"):
            cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
