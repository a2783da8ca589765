"""The first organiser gets in by a link, until somebody has a password."""

from dataclasses import replace

from leadline.app.site import FIRST, Site, first_invitation


def secret_of(site: Site) -> str:
    link = first_invitation(site)
    assert link is not None
    assert link.startswith(f"{site.address}/invitation/")
    return link.rsplit("/", 1)[1]


def test_the_link_lets_the_first_organiser_in(site: Site) -> None:
    entered = site.accounts.enter("invitation", secret_of(site))
    assert entered is not None
    assert (entered.person.name, entered.person.role) == (FIRST, "organiser")


def test_there_is_a_new_link_at_every_start_until_it_was_used(site: Site) -> None:
    first, second = secret_of(site), secret_of(site)
    assert first != second
    assert site.accounts.enter("invitation", first) is None
    assert len(site.accounts.everyone()) == 1
    site.accounts.set_password(FIRST, "long enough for it")
    assert first_invitation(site) is None


def test_another_organiser_will_do(site: Site) -> None:
    site.accounts.add("ann", "organiser")
    assert first_invitation(replace(site)) is not None
    site.accounts.set_password("ann", "long enough for it")
    assert first_invitation(site) is None
