"""Who may do what: people and machines with roles, invitations, passwords, cookies and tokens.

Secrets that we make are kept only as SHA-256, passwords only as argon2. A secret is valid while its
generation is its person's: whatever ends a person's access raises that number in one update.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, delete, func, insert, select, update

from leadline.app.database import Database
from leadline.app.room import ActionRefused, Assessor
from leadline.app.schema import people, secrets_
from leadline.judging.ledger import Kind

if TYPE_CHECKING:
    from argon2 import PasswordHasher


Role = Literal["assessor", "organiser", "group"]
"""A group made runs: it sees its own ones, and judges nothing."""

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
    can_sign_in: bool = field(default=False, compare=False)

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
        raise ActionRefused("name", f"a name has 1 to {LONGEST} characters that can be printed")
    return name


SHORTEST_PASSWORD = 10
GUESSES = 1e6
"""So many guesses, the likeliest first, a password must stand: common ones stand fewer."""

LOOKED_AT = 72


def check_password(password: str, name: str = "") -> None:
    """A Refused if it is too short to be a password, or one of the first that are tried."""
    if len(password) < SHORTEST_PASSWORD:
        raise ActionRefused("password", f"a password has at least {SHORTEST_PASSWORD} characters")
    from zxcvbn import zxcvbn

    found = zxcvbn(password[:LOOKED_AT], [name] if name else [])
    if float(found["guesses"]) < GUESSES:
        raise ActionRefused(
            "password", "this password is among the first that are tried: take a few words more"
        )


DAY_SECONDS = 86_400.0
INVITED_SECONDS = 7 * DAY_SECONDS
SIGNED_IN_SECONDS, KNOWN_SECONDS = 30 * DAY_SECONDS, 365 * DAY_SECONDS
ACCOUNT, OPEN = "account", "open"
"""The uses of a cookie: of somebody who signed in, or of a server without sign-in."""

TOKEN, OPEN_TOKEN = "token", "open token"
"""For programs; one that was made without sign-in lets nobody in where accounts are demanded."""

INVITATION, DEVICE, WAY_IN = "invitation", "device", "way in"
"""Other uses: to set a password, of a browser that was let in, without sign-in."""

State = Literal["active", "invited", "expired", "closed"]
MOST_TOKENS = 20
"""Tokens of one person that let somebody in at the same time."""

_PERSON = (
    *(people.c.name, people.c.role, people.c.kind, people.c.closed, people.c.generation),
    people.c.password.is_not(None).label("can_sign_in"),
)
_VALID = (secrets_.c.name == people.c.name) & (secrets_.c.generation == people.c.generation)


class Accounts:
    """People, invitations and sign-ins of one project."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.engine = database.engine
        self.clock = clock

    # People.

    def everyone(self) -> list[Person]:
        """All who have a name here."""
        with self.engine.connect() as connection:
            return [_person(row) for row in connection.execute(select(*_PERSON).order_by("name"))]

    def states(self) -> dict[str, tuple[State, float | None]]:
        """Whether each is active, invited (until when), without a link that works, or closed.

        Machines, and people where there is no sign-in, need no password.
        """
        with self.engine.connect() as connection:
            rows = connection.execute(select(*_PERSON)).all()
            links = select(secrets_.c.name, secrets_.c.until).where(
                _VALID, secrets_.c.use == INVITATION
            )
            until = {row.name: row.until for row in connection.execute(links)}
            inside = select(secrets_.c.name).where(_VALID, secrets_.c.use.in_([OPEN, ACCOUNT]))
            in_now = {row.name for row in connection.execute(inside)}
        found: dict[str, tuple[State, float | None]] = {}
        for row in rows:
            invited = until.get(row.name)
            if row.closed:
                found[row.name] = "closed", None
            elif row.can_sign_in or row.kind == "machine":
                found[row.name] = "active", None
            elif invited is not None and invited > self.clock():
                found[row.name] = "invited", invited
            else:
                found[row.name] = ("active" if row.name in in_now else "expired"), None
        return found

    def find(self, name: str) -> Person | None:
        """The person of that name."""
        return next((person for person in self.everyone() if person.name == name), None)

    def add(self, name: str, role: Role, kind: Kind = "person") -> Person:
        """Someone new; a Refused if the name is taken."""
        person = Person(check_name(name), role, kind)
        if self.find(person.name) is not None:
            raise ActionRefused("taken", f"there is somebody named {person.name} already")
        row = {"name": person.name, "role": role, "kind": kind, "password": None, "closed": False}
        with self.engine.begin() as connection:
            connection.execute(insert(people), [row])
        return person

    def has_organiser(self) -> bool:
        """Whether some organiser can sign in."""
        organisers = (each for each in self.everyone() if each.role == "organiser")
        return any(each.can_sign_in and not each.closed for each in organisers)

    def ensure(self, name: str, role: Role) -> Person:
        """The person of that name, added if there is none."""
        return self.find(check_name(name)) or self.add(name, role)

    def close(self, name: str) -> None:
        """Nobody of that name may come in any more, nor stay."""
        self._change(name, ended=True, closed=True)

    def welcome(self, name: str, role: Role) -> Person:
        """Somebody who has no password, lost it or was closed, as this from now on."""
        person = self.ensure(name, role)
        if person.kind == "machine":
            raise ActionRefused("machine", f"{person.name} is a machine: make a new token for it")
        generation = self._change(person.name, role=role, closed=False)
        return replace(person, role=role, closed=False, generation=generation)

    def reset(self, person: Person) -> str:
        """No password and nothing else lets this person in any more but the link given back."""
        generation = self._change(person.name, ended=True, password=None, closed=False)
        return self.invite(replace(person, closed=False, generation=generation))

    def _change(
        self, name: str, ended: bool = False, generation: int | None = None, **values: object
    ) -> int:
        """Change a person in one update; if `ended`, every secret ends with it. The generation.

        Only a person of the `generation` is changed, if one is given.
        """
        changed = update(people).where(people.c.name == name)
        if generation is not None:
            changed = changed.where(people.c.generation == generation)
        changed = changed.values(generation=people.c.generation + int(ended), **values)
        with self.engine.begin() as connection:
            found = connection.scalar(changed.returning(people.c.generation))
            if found is None:
                stale = "" if generation is None else " with this link any more"
                raise ActionRefused("unknown", f"there is nobody named {name}{stale}")
            if ended:
                old = secrets_.c.generation < found
                connection.execute(delete(secrets_).where(secrets_.c.name == name, old))
        return int(found)

    def _remove(self, *which: ColumnElement[bool]) -> int:
        with self.engine.begin() as connection:
            return connection.execute(delete(secrets_).where(*which)).rowcount

    # Secrets.

    def _issue(self, use: str, person: Person, lifetime: float) -> str:
        """A new secret of the generation that the person was read with, dead if it has passed."""
        secret = secrets.token_urlsafe(32)
        row = {
            "hash": _hash(secret),
            "use": use,
            "name": person.name,
            "csrf": secrets.token_urlsafe(24),
            "until": self.clock() + lifetime,
            "generation": person.generation,
        }
        with self.engine.begin() as connection:
            connection.execute(delete(secrets_).where(secrets_.c.until < self.clock()))
            connection.execute(insert(secrets_), [row])
        return secret

    def invite(self, person: Person) -> str:
        """The secret of a link with which this person sets a password, once; the last one only."""
        self._remove(secrets_.c.name == person.name, secrets_.c.use == INVITATION)
        return self._issue(INVITATION, person, INVITED_SECONDS)

    def token(self, person: Person, use: str = TOKEN) -> str:
        """A secret for programs, sent as `Authorization: Bearer`; a Refused if there are many."""
        mine = secrets_.c.name == person.name, secrets_.c.use.in_([TOKEN, OPEN_TOKEN])
        with self.engine.connect() as connection:
            n = connection.scalar(select(func.count()).select_from(secrets_).where(*mine)) or 0
        if n >= MOST_TOKENS:
            raise ActionRefused("tokens", f"there are {n} tokens already: withdraw them first")
        return self._issue(use, person, 3650 * DAY_SECONDS)

    def withdraw(self, name: str) -> int:
        """No token of this person lets anybody in any more; how many there were."""
        return self._remove(secrets_.c.name == name, secrets_.c.use.in_([TOKEN, OPEN_TOKEN]))

    def sign_in(self, person: Person, use: str = ACCOUNT) -> str:
        """The secret of a cookie: who it is, in the mode it was made in; or of a known browser."""
        return self._issue(use, person, KNOWN_SECONDS if use == DEVICE else SIGNED_IN_SECONDS)

    def way_in(self, person: Person) -> str:
        """The secret of a link that lets this person in once, where there is no sign-in."""
        self._remove(secrets_.c.use == WAY_IN)
        return self._issue(WAY_IN, person, SIGNED_IN_SECONDS)

    def enter(self, use: str, secret: str) -> SignedIn | None:
        """Whoever this secret lets in, None if it lets nobody in."""
        return self.look_up(use, _hash(secret))

    def look_up(self, use: str, hashed: str) -> SignedIn | None:
        """The same by the secret's hash."""
        wanted = select(*_PERSON, secrets_.c.csrf, secrets_.c.use).where(
            secrets_.c.hash == hashed,
            _VALID,
            people.c.closed.is_(False),
            secrets_.c.until >= self.clock(),
        )
        with self.engine.connect() as connection:
            row = connection.execute(wanted).first()
        # A token that was made with sign-in is good without it too, never the other way round.
        if row is None or row.use not in ((use, TOKEN) if use == OPEN_TOKEN else (use,)):
            return None
        return SignedIn(_person(row), row.csrf, row.use, hashed)

    def forget(self, use: str, secret: str) -> bool:
        """This secret lets nobody in any more; whether it did until now.

        Of several who ask at the same moment one alone is told that it did.
        """
        return bool(self._remove(secrets_.c.hash == _hash(secret), secrets_.c.use == use))

    # Passwords.

    def set_password(self, name: str, password: str, generation: int | None = None) -> Person:
        """What this person signs in with from now on; every secret of before is worth nothing.

        A Refused if a `generation` is given and has passed meanwhile, by a reset for instance.
        """
        check_password(password, name)
        hashed = self.hasher.hash(password)
        self._change(name, ended=True, generation=generation, password=hashed)
        found = self.find(name)
        assert found is not None
        return found

    def check_password(self, name: str, password: str) -> Person | None:
        """The person, if this is the password.

        It was read before the slow part: whoever signs in with a password that is changed meanwhile
        gets a secret of the former generation.
        """
        from argon2.exceptions import VerificationError

        known = people.c.name == name, people.c.password.is_not(None), people.c.closed.is_(False)
        with self.engine.connect() as connection:
            row = connection.execute(select(*_PERSON, people.c.password).where(*known)).first()
        try:
            self.hasher.verify(self._nobody if row is None else row.password, password)
        except VerificationError:
            return None
        return None if row is None else _person(row)

    @cached_property
    def hasher(self) -> "PasswordHasher":
        """What makes and checks argon2 of passwords."""
        from argon2 import PasswordHasher

        return PasswordHasher()

    @cached_property
    def _nobody(self) -> str:
        """A hash that no password fits, so that an unknown name takes as long as a known one."""
        return self.hasher.hash(secrets.token_hex(16))


def _person(row: Any) -> Person:
    return Person(row.name, row.role, row.kind, row.closed, row.generation, row.can_sign_in)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", errors="surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
