"""Tables of people and machines who may sign in, and of the secrets that let them."""

from sqlalchemy import (
    Boolean,
    Column,
    Engine,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    inspect,
    text,
)

tables = MetaData()
people = Table(
    "person",
    tables,
    Column("name", String, primary_key=True),
    Column("role", String(20), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("password", String),
    Column("closed", Boolean, nullable=False),
    Column("generation", Integer, nullable=False, server_default="0"),
)
"""A secret is valid while its generation is that of its person: raising it ends all of them."""

secrets_ = Table(
    "secret",
    tables,
    Column("hash", String(64), primary_key=True),
    Column("use", String(20), nullable=False),
    Column("name", String, nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("until", Float, nullable=False),
    Column("generation", Integer, nullable=False, server_default="0"),
    Index("secret_name", "name"),
)


def lay_out_people(engine: Engine) -> None:
    """Create the tables, and add the generation to those of an older project."""
    tables.create_all(engine)
    for table in (people, secrets_):
        if "generation" not in {each["name"] for each in inspect(engine).get_columns(table.name)}:
            column = f"ALTER TABLE {table.name} ADD COLUMN generation INTEGER NOT NULL DEFAULT 0"
            with engine.begin() as connection:
                connection.execute(text(column))
