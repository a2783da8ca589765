"""Tables of people and machines who may come in, and of the secrets that let them."""

from sqlalchemy import Boolean, Column, Float, Index, MetaData, String, Table

tables = MetaData()
people = Table(
    "person",
    tables,
    Column("name", String, primary_key=True),
    Column("role", String(20), nullable=False),
    Column("kind", String(10), nullable=False),
    Column("password", String),
    Column("closed", Boolean, nullable=False),
)
secrets_ = Table(
    "secret",
    tables,
    Column("hash", String(64), primary_key=True),
    Column("use", String(20), nullable=False),
    Column("name", String, nullable=False),
    Column("csrf", String(64), nullable=False),
    Column("until", Float, nullable=False),
    Index("secret_name", "name"),
)
