"""Passwords: which are refused, and how they are kept."""

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from leadline.judging.room.room import Refused

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST_PASSWORD = 10
GUESSES = 1e6
"""So many guesses, the likeliest first, a password must stand: common ones stand fewer."""

LOOKED_AT = 72


def check_password(password: str, name: str = "") -> None:
    """A Refused if it is too short to be a password, or one of the first that are tried."""
    if len(password) < SHORTEST_PASSWORD:
        raise Refused("password", f"a password has at least {SHORTEST_PASSWORD} characters")
    from zxcvbn import zxcvbn

    found = zxcvbn(password[:LOOKED_AT], [name] if name else [])
    if float(found["guesses"]) < GUESSES:
        raise Refused(
            "password", "this password is among the first that are tried: take a few words more"
        )


class Hashes:
    """argon2 of passwords."""

    @cached_property
    def hasher(self) -> "PasswordHasher":
        """What makes and checks them."""
        from argon2 import PasswordHasher

        return PasswordHasher()

    @cached_property
    def _nobody(self) -> str:
        """A hash that no password fits, so that an unknown name takes as long as a known one."""
        return self.hasher.hash(secrets.token_hex(16))

    def fits(self, kept: str | None, password: str) -> bool:
        """Whether it is this password; as long for none at all."""
        from argon2.exceptions import VerificationError

        try:
            return self.hasher.verify(kept or self._nobody, password) and kept is not None
        except VerificationError:
            return False
