"""The tables of a judging project, chained by hash, and what the database itself refuses.

The ledger and who has which document; topics, gold questions, messages and the organisers' log;
people and the secrets that let them in.
"""

import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    bindparam,
    insert,
    inspect,
    select,
    text,
    update,
)

CHAINED = {
    "entry": (
        *("act", "topic", "doc", "grade", "who", "kind", "time", "seconds", "note", "asked"),
        *("model", "prompt", "confidence", "batch"),
    ),
    "gold_answer": (
        *("act", "topic", "doc", "who", "said", "grade", "training", "time", "seconds", "note"),
        "after",
    ),
    "deed": ("time", "who", "act", "about"),
}
"""The tables whose rows are chained, and the columns that are hashed."""

REAL = ("seconds", "confidence")
START = ""


def link(before: str, row: Mapping[str, Any], table: str = "entry") -> str:
    """Return the hash of a row: of its values as a database gives them back, and of `before`.

    >>> row = dict.fromkeys(CHAINED["entry"])
    >>> link("", {**row, "seconds": 5}) == link("", {**row, "seconds": 5.0})
    True
    """
    return _hash(before, [_stored(name, row[name]) for name in CHAINED[table]])


def _hash(before: str, values: list[Any]) -> str:
    return hashlib.sha256(f"{before}\n{json.dumps(values)}".encode()).hexdigest()


def _stored(name: str, value: Any) -> Any:
    """A value as its column gives it back: SQLite knows neither whole seconds nor -0.0."""
    real = name in REAL and isinstance(value, int | float)
    return float(value) + 0.0 if real else value


def _former_links(before: str, row: Mapping[str, Any], table: str) -> Iterator[str]:
    """Hashes that say the same with numbers as they were imported: 5 or -0.0 for 5.0 or 0.0."""
    spelt: list[list[Any]] = []
    for name in CHAINED[table]:
        value = _stored(name, row[name])
        spelt.append([value])
        if name in REAL and isinstance(value, float) and value.is_integer():
            spelt[-1] += [int(value)] if value else [0, -0.0]
    for values in itertools.product(*spelt):
        yield _hash(before, list(values))


@dataclass(frozen=True)
class Checked:
    """The result of a walk along a chain: rows, its end, and the id of the first wrong row.

    `former` rows were hashed before numbers were normalised; they say what they said.
    """

    table: str
    rows: int
    end: str
    wrong: int | None = None
    former: int = 0

    def require(self, where: str) -> None:
        """Raise a ValueError if a row is wrong."""
        if self.wrong is not None:
            raise ValueError(
                f"{where}: {self.table} {self.wrong:,} is not as it was written, or the one "
                "before it. See leadline judge FOLDER --check and --repair"
            )


class Walk:
    """A walk along a chain, row by row in the order of their ids."""

    def __init__(self, table: str = "entry", end: str = START) -> None:
        self.table, self.end = table, end
        self.rows = self.former = 0
        self.wrong: int | None = None

    def step(self, row: Mapping[str, Any]) -> None:
        """Take the next row, which has `id` and `hash`."""
        self.rows += 1
        if self.wrong is not None:
            return
        if row["hash"] != link(self.end, row, self.table):
            if row["hash"] not in _former_links(self.end, row, self.table):
                self.wrong = int(row["id"])
                return
            self.former += 1
        self.end = row["hash"]

    @property
    def checked(self) -> Checked:
        """What was found so far."""
        return Checked(self.table, self.rows, self.end, self.wrong, self.former)


def check(rows: Iterable[Mapping[str, Any]], table: str = "entry") -> Checked:
    """Walk along all rows of a table."""
    walk = Walk(table)
    for row in rows:
        walk.step(row)
    return walk.checked


tables = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")


def _id() -> Column[int]:
    """The number of a row, in the order in which rows came."""
    return Column("id", NUMBER, primary_key=True, autoincrement=True)


def _text(name: str, length: int | None = None) -> Column[str]:
    """A column of text that is never null."""
    return Column(name, String(length), nullable=False)


def _pair() -> tuple[Column[str], Column[str]]:
    """Topic and document."""
    return _text("topic"), _text("doc")


entries = Table(
    "entry",
    tables,
    _id(),
    _text("act", 20),
    *_pair(),
    Column("grade", Integer),
    _text("who"),
    _text("kind", 10),
    _text("time", 40),
    Column("seconds", Float),
    _text("note"),
    Column("asked", Integer),
    Column("model", String, nullable=False, server_default=""),
    Column("prompt", String, nullable=False, server_default=""),
    Column("confidence", Float),
    Column("batch", Integer),
    Column("hash", String(64)),
)
"""The ledger. Rows are added, never changed and never removed; the database itself sees to it.

`batch` is the import that a row came with, `hash` chains it to the rows before.
"""

places = Table(
    "place",
    tables,
    _id(),
    *_pair(),
    _text("who"),
    Column("slot", Integer),
    Column("until", Float),
    UniqueConstraint("topic", "doc", "slot"),
    UniqueConstraint("topic", "doc", "who"),
)
"""Who has which of a pair's k places: `until` for as long as it is lent, null once it is judged.

The constraints are what holds judgments of a pair at k, whoever writes: a slot is below k and
taken once, and nobody judges without a place. A machine whose judgments are kept apart has no
slot, nor has an imported judgment beyond k.
"""

owners = Table(
    "owner",
    tables,
    Column("id", Integer, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("per_pair", Integer, nullable=False),
    Column("address", String),
)
"""One row: which server holds the project, told by a number that each one raises, k, and the
address of the server that was started last."""

imports = Table(
    "import",
    tables,
    Column("id", Integer, primary_key=True),
    _text("who"),
    _text("time", 40),
    _text("form", 20),
    Column("added", Integer, nullable=False),
    Column("undone", String(40)),
)
"""What was imported, by whom and when, and when it was undone."""

topic_holders = Table(
    "topic_holder",
    tables,
    _id(),
    _text("topic"),
    _text("who"),
    Column("taken", Boolean, nullable=False),
    UniqueConstraint("topic", "who"),
)
"""Whose topic it is: assigned by an organiser, or taken by the assessor who began it."""

gold_questions = Table(
    "gold",
    tables,
    _id(),
    *_pair(),
    Column("grade", Integer, nullable=False),
    _text("why"),
    Column("training", Boolean, nullable=False),
    UniqueConstraint("topic", "doc"),
)
"""Documents whose grade is known, and why it is so; for training, or to be mixed in."""

gold_answers = Table(
    "gold_answer",
    tables,
    _id(),
    *_pair(),
    _text("who"),
    Column("said", Integer),
    Column("grade", Integer, nullable=False),
    Column("training", Boolean, nullable=False),
    _text("time", 40),
    Column("seconds", Float),
    _text("act", 20),
    _text("note"),
    Column("after", Integer, nullable=False),
    Column("hash", String(64)),
)
"""Answers to gold questions; no part of the ledger, and of no score.

Rows are added, never changed and never removed: `act` is judge, cannot tell, skip or undo, and the
last one about a question counts. `after` is how many rows the ledger had by then.
"""

messages = Table(
    "message",
    tables,
    _id(),
    _text("who"),
    _text("time", 40),
    _text("text"),
    Column("withdrawn", Boolean, nullable=False),
)
"""What organisers told all."""

audit_log = Table(
    "deed",
    tables,
    _id(),
    _text("time", 40),
    _text("who"),
    _text("act", 40),
    _text("about"),
    Column("hash", String(64)),
)
"""Who did what besides judging. Rows are added, never changed and never removed."""

people = Table(
    "person",
    tables,
    Column("name", String, primary_key=True),
    _text("role", 20),
    _text("kind", 10),
    Column("password", String),
    Column("closed", Boolean, nullable=False),
    Column("generation", Integer, nullable=False, server_default="0"),
)
"""A secret is valid while its generation is that of its person: raising it ends all of them."""

secrets_ = Table(
    "secret",
    tables,
    Column("hash", String(64), primary_key=True),
    _text("use", 20),
    _text("name"),
    _text("csrf", 64),
    Column("until", Float, nullable=False),
    Column("generation", Integer, nullable=False, server_default="0"),
    Index("secret_name", "name"),
)

STAYS = "the ledger is append-only"
PLACELESS = "nobody judges without a place"
OVER = "a pair has no more than k places"

_JUDGES = "NEW.act IN ('judge', 'cannot tell') AND NEW.batch IS NULL"
_PLACED = """EXISTS (SELECT 1 FROM place WHERE place.topic = NEW.topic AND place.doc = NEW.doc
        AND place.who = NEW.who AND place.until IS NULL)"""
_BEYOND = "NEW.slot < 0 OR NEW.slot >= (SELECT per_pair FROM owner WHERE id = 1)"


def _sqlite(name: str, when: str, condition: str, told: str) -> list[str]:
    body = f"BEGIN SELECT RAISE(ABORT, '{told}'); END"
    return [
        f"DROP TRIGGER IF EXISTS {name}",
        f"CREATE TRIGGER {name} BEFORE {when} FOR EACH ROW WHEN {condition} {body}",
    ]


def _postgresql(name: str, when: str, each: str, condition: str, told: str) -> list[str]:
    body = f"IF {condition} THEN RAISE EXCEPTION '{told}'; END IF; RETURN NEW;"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body} END $$",
        f"CREATE OR REPLACE TRIGGER {name} BEFORE {when} FOR EACH {each} EXECUTE FUNCTION {name}()",
    ]


def staying(table: str, dialect: str) -> list[str]:
    """Statements after which the rows of a table are never changed and never removed."""
    if dialect == "postgresql":
        when = f"UPDATE OR DELETE OR TRUNCATE ON {table}"
        return _postgresql(f"{table}_stays", when, "STATEMENT", "true", STAYS)
    known = f"EXISTS (SELECT 1 FROM {table} WHERE {table}.id = NEW.id)"
    return [
        *_sqlite(f"{table}_stays_on_update", f"UPDATE ON {table}", "1", STAYS),
        *_sqlite(f"{table}_stays_on_delete", f"DELETE ON {table}", "1", STAYS),
        # REPLACE takes a row away without asking the trigger above.
        *_sqlite(f"{table}_stays_on_replace", f"INSERT ON {table}", known, STAYS),
    ]


GUARDS = {
    "sqlite": [
        *(each for table in CHAINED for each in staying(table, "sqlite")),
        *_sqlite("entry_needs_place", "INSERT ON entry", f"{_JUDGES} AND NOT {_PLACED}", PLACELESS),
        *_sqlite("place_below_k_new", "INSERT ON place", _BEYOND, OVER),
        *_sqlite("place_below_k_kept", "UPDATE ON place", _BEYOND, OVER),
    ],
    "postgresql": [
        *(each for table in CHAINED for each in staying(table, "postgresql")),
        *_postgresql(
            "entry_needs_place", "INSERT ON entry", "ROW", f"{_JUDGES} AND NOT {_PLACED}", PLACELESS
        ),
        *_postgresql("place_below_k", "INSERT OR UPDATE ON place", "ROW", _BEYOND, OVER),
    ],
}


def append(connection: Connection, table: Table, row: dict[str, Any]) -> None:
    """Add a row to a chained table, with the hash that chains it to the last one."""
    last = select(table.c.hash).order_by(table.c.id.desc()).limit(1)
    end = connection.scalar(last) or START
    connection.execute(insert(table), [{**row, "hash": link(end, row, table.name)}])


def chain_anew(connection: Connection, table: Table) -> None:
    """Hash all rows of a table anew, and guard it again."""
    dialect = connection.dialect.name
    name = f"{table.name}_stays" if dialect == "postgresql" else f"{table.name}_stays_on_update"
    on = f" ON {table.name}" if dialect == "postgresql" else ""
    connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name}{on}")
    end, hashes = START, []
    for row in connection.execute(select(table).order_by(table.c.id)).mappings():
        end = link(end, dict(row), table.name)
        hashes.append({"its_id": row["id"], "its_hash": end})
    if hashes:
        here = table.c.id == bindparam("its_id")
        connection.execute(update(table).where(here).values(hash=bindparam("its_hash")), hashes)
    for statement in staying(table.name, dialect):
        connection.exec_driver_sql(statement)


def lay_out(engine: Engine, name: str) -> None:
    """Make the tables and put the guards up; a ValueError if a table is of another version."""
    with engine.begin() as connection:
        tables.create_all(connection)
        check_layout(connection, name)
        if connection.scalar(text("SELECT count(*) FROM owner")) == 0:
            connection.execute(owners.insert(), [{"id": 1, "epoch": 0, "per_pair": 1}])
        for statement in GUARDS[engine.dialect.name]:
            connection.exec_driver_sql(statement)


def check_layout(connection: Connection, name: str) -> None:
    """Raise a ValueError if a database of this name lacks a table or a column."""
    known = inspect(connection)
    for table in tables.sorted_tables:
        columns = known.get_columns(table.name) if known.has_table(table.name) else []
        missing = set(table.columns.keys()) - {column["name"] for column in columns}
        if missing:
            what = f"its table {table.name} has no {', '.join(sorted(missing))}"
            raise ValueError(f"{name}: was not made by this version of leadline: {what}")
