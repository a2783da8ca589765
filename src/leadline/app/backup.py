"""A project's database in one file, made while a server runs, and back into an empty database.

One line says what it is, then one line a row, table by table, in gzip. All is read in one
transaction, so it is the database of one moment. What lets people in without a password - links,
cookies, tokens - is left out: one that was withdrawn since must not work again.
"""

import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, text
from sqlalchemy.exc import DBAPIError, StatementError

from leadline.app.database import CHAINS, READING_ALL, Database, sqlite_url
from leadline.app.opening import DATABASE, database_of
from leadline.app.schema import Walk, entries, tables
from leadline.io.problems import InputError
from leadline.io.source import Source
from leadline.io.write import whole_file, write_whole
from leadline.judging.project import NAME, read_project

FORMAT = "leadline judge backup"
VERSION = 2
"""Version 1 had no hashes for gold answers and the log, and is not restored."""

NOT_KEPT = ("owner", "secret")
"""Of the server that holds the database, and what lets people in."""

MANY = 1_000
LONGEST_ROW = 1 << 24


def kept_tables() -> list[Table]:
    """The tables that a backup has, places before the entries that need them."""
    first = [each for each in tables.sorted_tables if each.name not in (*NOT_KEPT, "entry")]
    return [*first, entries]


def back_up(database: Database, path: Path, project: str) -> int:
    """Write all tables and the project's settings to a file; how many entries the ledger has."""
    with (
        whole_file(path, private=True) as part,
        part.open("wb") as out,
        # Neither name nor time inside: the same database is the same backup.
        gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed,
    ):
        return _write(database, packed, project)


def _write(database: Database, out: gzip.GzipFile, project: str) -> int:
    walks = {table.name: Walk(table.name) for table in CHAINS}
    with database.patience(READING_ALL), database.engine.connect() as connection:
        if not database.is_sqlite:
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        else:
            connection.exec_driver_sql("BEGIN")
        head = {"format": FORMAT, "version": VERSION, "project": project}
        out.write(json.dumps(head).encode() + b"\n")
        for table in kept_tables():
            keys = list(table.primary_key.columns)
            for row in connection.execute(select(table).order_by(*keys)).mappings():
                out.write(json.dumps([table.name, dict(row)]).encode() + b"\n")
                if table.name in walks:
                    walks[table.name].step(dict(row))
        connection.rollback()
    for walk in walks.values():
        walk.checked.require(database.name)
    return walks["entry"].rows


def project_of(path: Path) -> str:
    """The settings that a backup has; an InputError if it is none."""
    return str(_head(next(_lines(path), None), path)["project"])


def restore(database: Database, path: Path) -> int:
    """Fill an empty database with a backup, all of it or nothing; how many entries there are.

    The chains are checked as rows come. An InputError if the file is no whole backup.
    """
    known = {table.name: table for table in kept_tables()}
    walks = {table.name: Walk(table.name) for table in CHAINS}
    try:
        with database.patience(READING_ALL), database.transaction() as connection:
            for table in known.values():
                if connection.scalar(select(func.count()).select_from(table)):
                    where = f"{database.name}: is not empty ({table.name})"
                    raise ValueError(f"{where}; restore elsewhere")
            for name, rows in _batches(_rows(path, known)):
                for row in rows if name in walks else ():
                    walks[name].step(row)
                _insert(connection, known[name], rows)
            for walk in walks.values():
                if walk.wrong is not None:
                    message = f"{walk.table} {walk.wrong} is not as it was written, or the one"
                    raise InputError.of(str(path), "backup", f"{message} before it")
            if not database.is_sqlite:
                for table in known.values():
                    _count_on(connection, table)
    except (DBAPIError, StatementError, TypeError) as error:
        # A value that its column cannot hold, or that another row forbids: the first line says it.
        reason = str(error).splitlines()[0]
        raise InputError.of(str(path), "backup", f"has rows that no ledger has: {reason}") from None
    return walks["entry"].rows


def _rows(path: Path, known: dict[str, Table]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row of a backup with the name of its table."""
    lines = _lines(path)
    _head(next(lines, None), path)
    for number, line in enumerate(lines, 2):
        try:
            name, given = line
            row = {each.name: given[each.name] for each in known[name].columns}
        except (TypeError, ValueError, KeyError):
            raise InputError.of(str(path), "backup", "is no row of a backup", number) from None
        yield name, row


def _batches(
    rows: Iterator[tuple[str, dict[str, Any]]],
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Rows of the same table together, so many at a time."""
    for name, some in itertools.groupby(rows, key=lambda each: each[0]):
        while batch := [row for _, row in itertools.islice(some, MANY)]:
            yield name, batch


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows and table.name == "place":
        most = 1 + max((row["slot"] for row in rows if row["slot"] is not None), default=0)
        k = "UPDATE owner SET per_pair = :k WHERE per_pair < :k"
        connection.execute(text(k), {"k": most})
    if rows:
        connection.execute(insert(table), rows)


def _count_on(connection: Connection, table: Table) -> None:
    """PostgreSQL numbers new rows after those that are there."""
    number = table.columns.get("id")
    if number is not None and number.autoincrement is True:
        last = f"SELECT coalesce(max(id), 0) + 1 FROM {table.name}"
        sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
        connection.execute(text(f"SELECT setval({sequence}, ({last}), false)"))


def _lines(path: Path) -> Iterator[Any]:
    try:
        for text in Source(str(path), path).texts(longest=LONGEST_ROW):
            yield from map(json.loads, text.splitlines())
    except InputError:
        raise
    except (RecursionError, ValueError) as error:
        raise InputError.of(str(path), "backup", f"is no whole backup: {error}") from None


def _head(line: Any, path: Path) -> dict[str, Any]:
    known = isinstance(line, dict) and line.get("format") == FORMAT
    if not known or not isinstance(line.get("project"), str):
        raise InputError.of(str(path), "backup", "is no backup of leadline judge")
    if line.get("version") != VERSION:
        message = f"is a backup of version {str(line.get('version'))[:20]}, but only version "
        message += f"{VERSION} can be restored: use the leadline that wrote it"
        raise InputError.of(str(path), "backup", message)
    return dict(line)


def back_up_project(folder: str | Path, file: str | Path, *, database: str | None = None) -> int:
    """Write what a project's database holds, and its settings, to a file; how many entries.

    A server may be at work there: it is all of one moment.
    """
    settings = (Path(folder) / NAME).read_text(encoding="utf-8")
    with database_of(folder, database) as found:
        return back_up(found, Path(file), settings)


def restore_project(folder: str | Path, file: str | Path, *, database: str | None = None) -> int:
    """Fill the empty database of a project with a backup; how many entries it has.

    A folder without judge.toml gets the one of the backup.
    """
    where = Path(folder)
    settings = project_of(Path(file))
    if not (where / NAME).exists():
        where.mkdir(parents=True, exist_ok=True)
        write_whole(where / NAME, settings)
    read_project(where)
    held = Database(database or sqlite_url(where / DATABASE))
    try:
        return restore(held, Path(file))
    finally:
        held.close()
