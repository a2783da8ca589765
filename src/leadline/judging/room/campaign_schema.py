"""Tables for organising many people: who has which topic, gold questions, messages, deeds."""

from sqlalchemy import (
    Boolean,
    Column,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from leadline.judging.room.person_schema import tables as person_tables
from leadline.judging.room.schema import NUMBER, staying

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
    UniqueConstraint("topic", "doc", "who"),
)
"""What people said to gold questions; no part of the ledger, and of no score."""

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
)
"""Who did what besides judging. Rows are added, never changed and never removed."""


def lay_out_campaign(engine: Engine) -> None:
    """Make the tables; deeds stay as they were written."""
    with engine.begin() as connection:
        tables.create_all(connection)
        person_tables.create_all(connection)
        for statement in staying("deed", engine.dialect.name):
            connection.exec_driver_sql(statement)
