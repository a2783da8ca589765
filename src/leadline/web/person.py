"""People and machines who may come in, and the secrets that let them: how both are kept."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Boolean, Column, Float, Index, MetaData, String, Table

from leadline.judging.ledger import Kind
from leadline.judging.room.room import Assessor, Refused

Role = Literal["assessor", "organiser"]
LONGEST = 60

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


@dataclass(frozen=True)
class Person:
    """Someone who may come in: a name, a role, and whether it is a machine."""

    name: str
    role: Role = "assessor"
    kind: Kind = "person"
    closed: bool = False

    @property
    def assessor(self) -> Assessor:
        """As the room knows it."""
        return Assessor(self.name, self.kind)


@dataclass(frozen=True)
class SignedIn:
    """Someone who has come in, the token that proves that a request is theirs, and until when."""

    person: Person
    csrf: str
    until: float


def check_name(name: str) -> str:
    """A name as it is kept; a Refused if it cannot be one."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST or not name.isprintable():
        raise Refused("name", f"a name has 1 to {LONGEST} characters that can be printed")
    return name
