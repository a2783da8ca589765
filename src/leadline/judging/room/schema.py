"""The tables of a judging project, and what the database itself refuses, whoever writes."""

from typing import Any

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
    bindparam,
    insert,
    inspect,
    select,
    text,
    update,
)

from leadline.judging.room.chain import START, link

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
    Column("who", String, nullable=False),
    Column("time", String(40), nullable=False),
    Column("form", String(20), nullable=False),
    Column("added", Integer, nullable=False),
    Column("undone", String(40)),
)
"""What was imported, by whom and when, and when it was undone."""

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
        *staying("entry", "sqlite"),
        *_sqlite("entry_needs_place", "INSERT ON entry", f"{_JUDGES} AND NOT {_PLACED}", PLACELESS),
        *_sqlite("place_below_k_new", "INSERT ON place", _BEYOND, OVER),
        *_sqlite("place_below_k_kept", "UPDATE ON place", _BEYOND, OVER),
    ],
    "postgresql": [
        *staying("entry", "postgresql"),
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


def lay_out(engine: Engine) -> None:
    """Make the tables, add what one of an earlier version lacks, and put the guards up."""
    with engine.begin() as connection:
        tables.create_all(connection)
        _widen(connection)
        if connection.scalar(text("SELECT count(*) FROM owner")) == 0:
            connection.execute(owners.insert(), [{"id": 1, "epoch": 0, "per_pair": 1}])
        for statement in GUARDS[engine.dialect.name]:
            connection.exec_driver_sql(statement)


def _widen(connection: Connection) -> None:
    for table in (entries, owners):
        if "hash" in widen(connection, table):
            chain_anew(connection, table)


def widen(connection: Connection, table: Table) -> list[str]:
    """Add the columns that a table of an earlier version lacks; return their names."""
    known = {column["name"] for column in inspect(connection).get_columns(table.name)}
    added = [column for column in table.columns if column.name not in known]
    for column in added:
        kind = column.type.compile(connection.dialect)
        rule = "" if column.nullable else " NOT NULL DEFAULT ''"
        connection.exec_driver_sql(
            f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}{rule}"
        )
    return [column.name for column in added]
