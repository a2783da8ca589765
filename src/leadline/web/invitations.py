"""How the first organiser gets in."""

from leadline.judging.room.room import Refused
from leadline.web.accounts import Person
from leadline.web.site import Site

FIRST = "organiser"


def first_invitation(site: Site) -> str | None:
    """A link for the first organiser, as long as no organiser has a password; else None."""
    accounts = site.accounts
    if accounts.has_organiser():
        return None
    try:
        person: Person | None = accounts.add(FIRST, "organiser")
    except Refused:
        person = accounts.find(FIRST)
    if person is None:
        return None
    return f"{site.address}/invitation/{accounts.invite(person)}"
