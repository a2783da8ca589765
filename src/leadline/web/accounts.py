"""Who may do what: people and machines with roles, invitations, passwords, cookies and tokens.

Secrets that we make are kept only as SHA-256, passwords only as argon2. What was looked up is kept
in memory for a minute, so that most requests ask no database.
"""

import hashlib
import hmac
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from leadline.judging.ledger import Kind
from leadline.judging.room.database import Database
from leadline.judging.room.person_schema import people, secrets_, tables
from leadline.judging.room.room import Refused
from leadline.web.passwords import Hashes, check_password
from leadline.web.person import Person, Role, SignedIn, check_name

DAY_SECONDS = 86_400.0
INVITED_SECONDS = 7 * DAY_SECONDS
SIGNED_IN_SECONDS = 30 * DAY_SECONDS
ACCOUNT, OPEN = "account", "open"
"""The uses of a cookie: of somebody who signed in, or of a server without sign-in."""

INVITATION, TOKEN, DEVICE, WAY_IN = "invitation", "token", "device", "way in"
"""Other uses: to set a password, for programs, of a browser that was let in, without sign-in."""

State = Literal["active", "invited", "expired", "closed"]
REMEMBERED = 60.0
"""Seconds for which nobody looks into the database whether a secret still lets someone in."""

MOST_REMEMBERED = 10_000
MOST_TOKENS = 20
"""Tokens of one person that let somebody in at the same time."""


class Accounts:
    """People, invitations and sign-ins of one project."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self.engine = database.engine
        self.clock = clock
        self.hashes = Hashes()
        tables.create_all(self.engine)
        self._signed_in: dict[tuple[str, str], tuple[SignedIn, float]] = {}
        self._lock = threading.Lock()
        self._changes = 0
        self._ended: Counter[str] = Counter()
        self._since: dict[str, int] = {}
        self._dead: set[str] = set()
        self._out: set[str] = set()

    # People.

    def everyone(self) -> list[Person]:
        """All who have a name here."""
        columns = (people.c.name, people.c.role, people.c.kind, people.c.closed)
        with self.engine.connect() as connection:
            rows = connection.execute(select(*columns).order_by(people.c.name))
            return [Person(**row) for row in rows.mappings()]

    def states(self) -> dict[str, tuple[State, float | None]]:
        """Whether each is active, invited (until when), without a link that works, or closed.

        Machines, and people where there is no sign-in, need no password.
        """
        with self.engine.connect() as connection:
            wanted = select(people.c.name, people.c.kind, people.c.password, people.c.closed)
            rows = connection.execute(wanted).all()
            links = select(secrets_.c.name, secrets_.c.until).where(secrets_.c.use == INVITATION)
            until = {row.name: row.until for row in connection.execute(links)}
            inside = select(secrets_.c.name).where(secrets_.c.use.in_([OPEN, ACCOUNT]))
            in_now = {row.name for row in connection.execute(inside)}
        found: dict[str, tuple[State, float | None]] = {}
        for row in rows:
            invited = until.get(row.name)
            if row.closed:
                found[row.name] = "closed", None
            elif row.password is not None or row.kind == "machine":
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

    def can_sign_in(self, name: str) -> bool:
        """Whether this person has a password."""
        wanted = select(people.c.password).where(people.c.name == name)
        with self.engine.connect() as connection:
            return connection.scalar(wanted) is not None

    def ensure(self, name: str, role: Role) -> Person:
        """The person of that name, added if there is none."""
        return self.find(check_name(name)) or self.add(name, role)

    def close(self, name: str) -> None:
        """Nobody of that name may come in any more, nor stay."""
        self._change(name, closed=True)
        self._end_all(name)

    def welcome(self, name: str, role: Role) -> Person:
        """Somebody who has no password, lost it or was closed, as this from now on."""
        person = self.ensure(name, role)
        if person.kind == "machine":
            raise Refused("machine", f"{person.name} is a machine: make a new token for it")
        self._change(person.name, role=role, closed=False)
        return replace(person, role=role, closed=False)

    def reset(self, person: Person) -> str:
        """No password and nothing else lets this person in any more but the link given back."""
        self._change(person.name, password=None, closed=False)
        self._end_all(person.name)
        return self.invite(person)

    def _change(self, name: str, **values: object) -> None:
        with self.engine.begin() as connection:
            changed = update(people).where(people.c.name == name).values(**values)
            if not connection.execute(changed).rowcount:
                raise Refused("unknown", f"there is nobody named {name}")
        self._forget_all(name)

    def _end_all(self, name: str) -> None:
        """Every secret, session and stream of this person."""
        self._remove(secrets_.c.name == name)
        self._forget_all(name, ended=True)

    def _forget_all(self, name: str, ended: bool = False) -> None:
        """The database says otherwise from now on; so whoever looks it up meanwhile looks again."""
        with self._lock:
            self._changes += 1
            self._ended[name] += ended
            self._signed_in = {
                key: each for key, each in self._signed_in.items() if each[0].person.name != name
            }

    def _remove(self, *which: ColumnElement[bool]) -> int:
        with self.engine.begin() as connection:
            return connection.execute(delete(secrets_).where(*which)).rowcount

    # Secrets.

    def _issue(self, use: str, name: str, lifetime: float) -> str:
        secret = secrets.token_urlsafe(32)
        row = {
            "hash": _hash(secret),
            "use": use,
            "name": name,
            "csrf": secrets.token_urlsafe(24),
            "until": self.clock() + lifetime,
        }
        with self.engine.begin() as connection:
            connection.execute(delete(secrets_).where(secrets_.c.until < self.clock()))
            connection.execute(insert(secrets_), [row])
        return secret

    def invite(self, person: Person) -> str:
        """The secret of a link with which this person sets a password, once; the last one only."""
        self._remove(secrets_.c.name == person.name, secrets_.c.use == INVITATION)
        return self._issue(INVITATION, person.name, INVITED_SECONDS)

    def token(self, person: Person) -> str:
        """A secret for programs, sent as `Authorization: Bearer`; a Refused if there are many."""
        mine = secrets_.c.name == person.name, secrets_.c.use == TOKEN
        with self.engine.connect() as connection:
            n = connection.scalar(select(func.count()).select_from(secrets_).where(*mine)) or 0
        if n >= MOST_TOKENS:
            raise Refused("tokens", f"there are {n} tokens already: withdraw them first")
        return self._issue(TOKEN, person.name, 3650 * DAY_SECONDS)

    def withdraw(self, name: str) -> int:
        """No token of this person lets anybody in any more; how many there were."""
        n = self._remove(secrets_.c.name == name, secrets_.c.use == TOKEN)
        with self._lock:
            self._changes += 1
            gone = [key for key, (who, _) in self._signed_in.items() if who.person.name == name]
            for use, hashed in gone:
                if use == TOKEN:
                    self._out.add(self._signed_in.pop((use, hashed))[0].csrf)
        return n

    def sign_in(self, person: Person, use: str = ACCOUNT) -> str:
        """The secret of a cookie, which is worth something only in the mode it was made in."""
        return self._issue(use, person.name, SIGNED_IN_SECONDS)

    def way_in(self, person: Person) -> str:
        """The secret of a link that lets this person in once, where there is no sign-in."""
        self._remove(secrets_.c.use == WAY_IN)
        return self._issue(WAY_IN, person.name, SIGNED_IN_SECONDS)

    def device(self, person: Person) -> str:
        """The secret of a browser in which this person signed in."""
        return self._issue(DEVICE, person.name, 365 * DAY_SECONDS)

    def remembered(self, use: str, secret: str, late: bool = False) -> SignedIn | None:
        """Whoever came in with this secret in the last minute, without asking the database.

        With `late`, whenever that was.
        """
        hashed = _hash(secret)
        found, until = self._signed_in.get((use, hashed), (None, 0.0))
        if found is None or hashed in self._dead or found.until < self.clock():
            return None
        return found if late or until > self.clock() else None

    def may_stay(self, who: SignedIn) -> bool:
        """Whether someone who came in may still look: not closed or signed out, nor too late."""
        ended = self._since.get(who.csrf, 0) != self._ended[who.person.name]
        return who.until > self.clock() and not ended and who.csrf not in self._out

    def enter(self, use: str, secret: str) -> SignedIn | None:
        """Whoever this secret lets in, None if it lets nobody in."""
        known = self.remembered(use, secret)
        if known is not None:
            return known
        key = use, _hash(secret)
        while key[1] not in self._dead:
            before = self._changes
            try:
                found = self._look_up(*key)
            except SQLAlchemyError:
                # Whoever was in a moment ago still is while the database is away.
                found = self.remembered(use, secret, late=True)
                if found is None:
                    raise
                return found
            if found is not None and (found.until < self.clock() or found.person.closed):
                found = None
            if self._remember(key, found, before):
                return found
        return None

    def _remember(self, key: tuple[str, str], found: SignedIn | None, before: int) -> bool:
        """Keep what was looked up, unless somebody was shut out while it was."""
        with self._lock:
            if self._changes != before:
                return False
            self._signed_in.pop(key, None)
            if found is not None and key[1] not in self._dead:
                while len(self._signed_in) >= MOST_REMEMBERED:
                    self._signed_in.pop(next(iter(self._signed_in)))
                self._signed_in[key] = found, self.clock() + REMEMBERED
                self._since[found.csrf] = self._ended[found.person.name]
            return True

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

    def drop(self, use: str, secret: str) -> None:
        """This secret lets nobody in any more, as far as this server knows: at once."""
        hashed = _hash(secret)
        with self._lock:
            self._dead.add(hashed)
            known = self._signed_in.pop((use, hashed), None)
            if known is not None:
                self._out.add(known[0].csrf)

    def forget(self, use: str, secret: str) -> bool:
        """This secret lets nobody in any more; whether it did until now.

        Of several who ask at the same moment one alone is told that it did.
        """
        self.drop(use, secret)
        return bool(self._remove(secrets_.c.hash == _hash(secret), secrets_.c.use == use))

    # Passwords.

    def set_password(self, name: str, password: str) -> None:
        """What this person signs in with from now on; whoever was in under that name is out."""
        check_password(password, name)
        hashed = self.hashes.make(password)
        self._change(name, password=hashed)
        self._remove(secrets_.c.name == name, secrets_.c.use.in_([ACCOUNT, INVITATION, DEVICE]))
        self._forget_all(name, ended=True)

    def check_password(self, name: str, password: str) -> Person | None:
        """The person, if this is the password."""
        with self.engine.connect() as connection:
            row = connection.execute(select(people).where(people.c.name == name)).first()
        known = row is not None and row.password is not None and not row.closed
        fits = self.hashes.fits(row.password if known and row is not None else None, password)
        if not fits or row is None:
            return None
        return Person(row.name, row.role, row.kind, row.closed)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", errors="surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that tells nothing."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
