"""How the first organiser gets in, and one who lost everything."""

from leadline.web.accounts import Accounts
from leadline.web.person import Role
from leadline.web.site import Site

FIRST = "organiser"


def first_invitation(site: Site) -> str | None:
    """A link for the first organiser, as long as no organiser has a password; else None."""
    if site.accounts.has_organiser():
        return None
    return invitation(site.accounts, FIRST, "organiser", site.address)


def invitation(accounts: Accounts, name: str, role: Role, address: str) -> str:
    """A link by which somebody sets a password, whatever was before."""
    person = accounts.welcome(name, role)
    return f"{address}/invitation/{accounts.invite(person)}"
