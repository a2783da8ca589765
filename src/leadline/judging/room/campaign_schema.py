"""Tables for organising many people: who has which topic, gold questions, messages, deeds."""

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    inspect,
    text,
)

from leadline.judging.room.person_schema import tables as person_tables
from leadline.judging.room.schema import NUMBER, append, chain_anew, staying, widen

tables = MetaData()

topic_holders = Table(
    "topic_holder",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("topic", String, nullable=False),
    Column("who", String, nullable=False),
    Column("taken", Boolean, nullable=False),
    UniqueConstraint("topic", "who"),
)
"""Whose topic it is: assigned by an organiser, or taken by the assessor who began it."""

gold_questions = Table(
    "gold",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("topic", String, nullable=False),
    Column("doc", String, nullable=False),
    Column("grade", Integer, nullable=False),
    Column("why", String, nullable=False),
    Column("training", Boolean, nullable=False),
    UniqueConstraint("topic", "doc"),
)
"""Documents whose grade is known, and why it is so; for training, or to be mixed in."""

gold_answers = Table(
    "gold_answer",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("topic", String, nullable=False),
    Column("doc", String, nullable=False),
    Column("who", String, nullable=False),
    Column("said", Integer),
    Column("grade", Integer, nullable=False),
    Column("training", Boolean, nullable=False),
    Column("time", String(40), nullable=False),
    Column("seconds", Float),
    Column("act", String(20), nullable=False),
    Column("note", String, nullable=False),
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
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("who", String, nullable=False),
    Column("time", String(40), nullable=False),
    Column("text", String, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
)
"""What organisers told all."""

deeds = Table(
    "deed",
    tables,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("time", String(40), nullable=False),
    Column("who", String, nullable=False),
    Column("act", String(40), nullable=False),
    Column("about", String, nullable=False),
    Column("hash", String(64)),
)
"""Who did what besides judging. Rows are added, never changed and never removed."""


def lay_out_campaign(engine: Engine) -> None:
    """Make the tables; answers to gold questions and deeds stay as they were written."""
    with engine.begin() as connection:
        former = inspect(connection).has_table("gold_answer") and "hash" not in {
            column["name"] for column in inspect(connection).get_columns("gold_answer")
        }
        if former:
            connection.exec_driver_sql("ALTER TABLE gold_answer RENAME TO gold_answer_former")
        tables.create_all(connection)
        if former:
            _take_over(connection)
        if "hash" in widen(connection, deeds):
            chain_anew(connection, deeds)
        person_tables.create_all(connection)
        for table in (gold_answers, deeds):
            for statement in staying(table.name, engine.dialect.name):
                connection.exec_driver_sql(statement)


def _take_over(connection: Connection) -> None:
    """Copy answers from a table in which there was one row for each."""
    old = connection.execute(text("SELECT * FROM gold_answer_former ORDER BY id")).mappings()
    for row in old.all():
        act = "cannot tell" if row["said"] is None else "judge"
        kept = {name: value for name, value in row.items() if name != "id"}
        kept |= {"training": bool(row["training"]), "act": act, "note": "", "after": 0}
        append(connection, gold_answers, kept)
    connection.exec_driver_sql("DROP TABLE gold_answer_former")
