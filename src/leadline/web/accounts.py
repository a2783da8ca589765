"""Who may do what: people and machines with roles, invitations, passwords, cookies and tokens.

Secrets that we make are kept only as SHA-256, passwords only as argon2. One process holds the
database, so what was looked up is kept in memory.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    MetaData,
    String,
    Table,
    insert,
    select,
    update,
)

from leadline.judging.ledger import Kind
from leadline.judging.room.database import Database
from leadline.judging.room.room import Assessor, Refused

if TYPE_CHECKING:
    from argon2 import PasswordHasher

Role = Literal["assessor", "organiser"]
DAY_SECONDS = 86_400.0
INVITED_SECONDS = 7 * DAY_SECONDS
SIGNED_IN_SECONDS = 30 * DAY_SECONDS
ACCOUNT, OPEN = "account", "open"
"""The uses of a cookie: of somebody who signed in, or of a server without sign-in."""

SHORTEST_PASSWORD = 10
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


def check_password(password: str) -> None:
    """A Refused if it is too short to be a password."""
    if len(password) < SHORTEST_PASSWORD:
        raise Refused("password", f"a password has at least {SHORTEST_PASSWORD} characters")


class Accounts:
    """People, invitations and sign-ins of one project."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.engine = database.engine
        self.clock = clock
        tables.create_all(self.engine)
        self._signed_in: dict[tuple[str, str], SignedIn] = {}
        self._closed: frozenset[str] = frozenset()

    @cached_property
    def _hasher(self) -> "PasswordHasher":
        from argon2 import PasswordHasher

        return PasswordHasher()

    @cached_property
    def _nobody(self) -> str:
        """A hash that no password fits, so that an unknown name takes as long as a known one."""
        return self._hasher.hash(secrets.token_hex(16))

    # People.

    def everyone(self) -> list[Person]:
        """All who have a name here."""
        columns = (people.c.name, people.c.role, people.c.kind, people.c.closed)
        with self.engine.connect() as connection:
            rows = connection.execute(select(*columns).order_by(people.c.name))
            return [Person(**row) for row in rows.mappings()]

    def find(self, name: str) -> Person | None:
        """The person of that name."""
        return next((person for person in self.everyone() if person.name == name), None)

    def add(self, name: str, role: Role, kind: Kind = "person") -> Person:
        """Someone new; a Refused if the name is taken."""
        person = Person(check_name(name), role, kind)
        if self.find(person.name) is not None:
            raise Refused("taken", f"there is somebody named {person.name} already")
        row = {"name": person.name, "role": role, "kind": kind, "password": None, "closed": False}
        with self.engine.begin() as connection:
            connection.execute(insert(people), [row])
        return person

    def has_organiser(self) -> bool:
        """Whether some organiser can sign in."""
        wanted = select(people.c.name).where(
            people.c.role == "organiser",
            people.c.password.is_not(None),
            people.c.closed.is_(False),
        )
        with self.engine.connect() as connection:
            return connection.execute(wanted).first() is not None

    def ensure(self, name: str, role: Role) -> Person:
        """The person of that name, added if there is none."""
        return self.find(check_name(name)) or self.add(name, role)

    def close(self, name: str, closed: bool = True) -> None:
        """Nobody of that name may come in any more, or again."""
        with self.engine.begin() as connection:
            done = connection.execute(
                update(people).where(people.c.name == name).values(closed=closed)
            )
            if closed:
                connection.execute(secrets_.delete().where(secrets_.c.name == name))
        self._closed = self._closed | {name} if closed else self._closed - {name}
        self._signed_in = {
            key: each for key, each in self._signed_in.items() if each.person.name != name
        }
        if not done.rowcount:
            raise Refused("unknown", f"there is nobody named {name}")

    # Secrets.

    def _issue(self, use: str, name: str, lifetime: float) -> tuple[str, str]:
        secret, csrf = secrets.token_urlsafe(32), secrets.token_urlsafe(24)
        row = {
            "hash": _hash(secret),
            "use": use,
            "name": name,
            "csrf": csrf,
            "until": self.clock() + lifetime,
        }
        with self.engine.begin() as connection:
            connection.execute(secrets_.delete().where(secrets_.c.until < self.clock()))
            connection.execute(insert(secrets_), [row])
        return secret, csrf

    def invite(self, person: Person) -> str:
        """The secret of a link with which this person sets a password, once."""
        return self._issue("invitation", person.name, INVITED_SECONDS)[0]

    def token(self, person: Person) -> str:
        """A secret for programs, sent as `Authorization: Bearer`."""
        return self._issue("token", person.name, 3650 * DAY_SECONDS)[0]

    def sign_in(self, person: Person, use: str = ACCOUNT) -> str:
        """The secret of a cookie, which is worth something only in the mode it was made in."""
        return self._issue(use, person.name, SIGNED_IN_SECONDS)[0]

    def known(self, use: str, secret: str) -> str | None:
        """The name of whoever came in with this secret lately, without asking the database."""
        found = self._signed_in.get((use, _hash(secret)))
        return None if found is None else found.person.name

    def may_stay(self, who: SignedIn) -> bool:
        """Whether someone who came in may still look: not closed meanwhile, nor too late."""
        return who.until > self.clock() and who.person.name not in self._closed

    def enter(self, use: str, secret: str) -> SignedIn | None:
        """Whoever this secret lets in, None if it lets nobody in."""
        key = use, _hash(secret)
        known = self._signed_in.get(key)
        if known is None:
            known = self._look_up(*key)
            if known is None:
                return None
            self._signed_in[key] = known
        if known.until < self.clock() or known.person.closed:
            self._signed_in.pop(key, None)
            return None
        return known

    def _look_up(self, use: str, hashed: str) -> SignedIn | None:
        wanted = select(
            people.c.name,
            people.c.role,
            people.c.kind,
            people.c.closed,
            secrets_.c.csrf,
            secrets_.c.until,
        ).where(secrets_.c.hash == hashed, secrets_.c.use == use, secrets_.c.name == people.c.name)
        with self.engine.connect() as connection:
            row = connection.execute(wanted).first()
        if row is None:
            return None
        return SignedIn(Person(row.name, row.role, row.kind, row.closed), row.csrf, row.until)

    def forget(self, use: str, secret: str) -> bool:
        """This secret lets nobody in any more; whether it did until now.

        Of several who ask at the same moment one alone is told that it did.
        """
        hashed = _hash(secret)
        self._signed_in.pop((use, hashed), None)
        wanted = secrets_.c.hash == hashed, secrets_.c.use == use
        with self.engine.begin() as connection:
            return bool(connection.execute(secrets_.delete().where(*wanted)).rowcount)

    # Passwords.

    def set_password(self, name: str, password: str) -> None:
        """What this person signs in with from now on."""
        check_password(password)
        hashed = self._hasher.hash(password)
        with self.engine.begin() as connection:
            connection.execute(update(people).where(people.c.name == name).values(password=hashed))

    def check_password(self, name: str, password: str) -> Person | None:
        """The person, if this is the password."""
        from argon2.exceptions import VerificationError

        with self.engine.connect() as connection:
            row = connection.execute(select(people).where(people.c.name == name)).first()
        known = row is not None and row.password is not None and not row.closed
        try:
            self._hasher.verify(
                row.password if known and row is not None else self._nobody, password
            )
        except VerificationError:
            return None
        if not known or row is None:
            return None
        return Person(row.name, row.role, row.kind, row.closed)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", errors="surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
