"""People and machines who may come in."""

from dataclasses import dataclass, field
from typing import Literal

from leadline.judging.ledger import Kind
from leadline.judging.room.room import Assessor, Refused

Role = Literal["assessor", "organiser"]
LONGEST = 60


@dataclass(frozen=True)
class Person:
    """Someone who may come in: a name, a role, and whether it is a machine.

    Secrets that were made for another `generation` let nobody in.
    """

    name: str
    role: Role = "assessor"
    kind: Kind = "person"
    closed: bool = False
    generation: int = field(default=0, compare=False)

    @property
    def assessor(self) -> Assessor:
        """As the room knows it."""
        return Assessor(self.name, self.kind)


@dataclass(frozen=True)
class SignedIn:
    """Someone who has come in, and the token that proves that a request is theirs.

    `use` and `hash` are those of the secret that let them in.
    """

    person: Person
    csrf: str
    use: str = ""
    hash: str = ""


def check_name(name: str) -> str:
    """A name as it is kept; a Refused if it cannot be one."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST or not name.isprintable():
        raise Refused("name", f"a name has 1 to {LONGEST} characters that can be printed")
    return name
