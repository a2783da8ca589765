"""People as organisers see them: invited again, reset, with tokens, closed."""

import httpx

from leadline.app.site import Site
from tests.app.visitors import signed_in, visitor

PASSWORD = "long enough for it"


def works(site: Site, made: dict[str, str]) -> bool:
    return visitor(site).get(httpx.URL(made["link"]).path).status_code == 200


def test_people_are_invited_by_link_and_machines_by_token(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    person = boss.post("/api/people", json={"name": "ann", "role": "organiser"})
    assert person.status_code == 201
    assert person.json()["link"].startswith(f"{site.address}/invitation/")
    assert person.json()["token"] is None
    wrong = {"name": "llm", "kind": "machine", "role": "organiser"}
    assert boss.post("/api/people", json=wrong).status_code == 403
    assert [each["name"] for each in boss.get("/api/people").json()] == ["ann", "boss"]


def test_nobody_shuts_themselves_out(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    assert boss.post("/api/people/close", json={"name": "boss"}).status_code == 403
    closed = boss.post("/api/people/close", json={"name": "ann"}).json()
    assert {each["name"]: each["closed"] for each in closed} == {"ann": True, "boss": False}
    assert ann.get("/api/me").status_code == 401
    assert boss.post("/api/people/close", json={"name": "nobody"}).status_code == 404


def test_who_has_no_password_yet_is_invited_again_and_the_last_link_alone_works(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    first = boss.post("/api/people", json={"name": "ann"}).json()
    again = boss.post("/api/people", json={"name": "ann", "role": "organiser"}).json()
    assert again["person"]["role"] == "organiser"
    assert (works(site, first), works(site, again)) == (False, True)
    site.accounts.set_password("ann", PASSWORD)
    taken = boss.post("/api/people", json={"name": "ann"})
    assert (taken.status_code, taken.json()["code"]) == (409, "taken")


def test_a_name_made_without_sign_in_can_be_invited(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    site.accounts.ensure("bob", "organiser")
    made = boss.post("/api/people", json={"name": "bob"})
    assert made.status_code == 201
    assert made.json()["person"]["role"] == "assessor"
    assert works(site, made.json())


def test_a_lost_password_is_reset_by_a_link(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    site.accounts.set_password("ann", PASSWORD)
    made = boss.post("/api/people/reset", json={"name": "ann"})
    assert works(site, made.json())
    assert ann.get("/api/me").status_code == 401
    assert site.accounts.check_password("ann", PASSWORD) is None
    assert boss.post("/api/people/reset", json={"name": "boss"}).status_code == 403
    assert boss.post("/api/people/reset", json={"name": "nobody"}).status_code == 404


def test_tokens_of_people_and_machines_are_made_and_withdrawn(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    own = ann.post("/api/tokens").json()["token"]
    given = boss.post("/api/people/token", json={"name": "ann"}).json()["token"]

    def who(token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return visitor(site, headers=headers).get("/api/me").status_code

    assert (who(own), who(given)) == (401, 200)
    more = ann.post("/api/tokens").json()["token"]
    assert who(more) == 200
    assert boss.post("/api/people/withdraw", json={"name": "ann"}).json() == {"withdrawn": 2}
    assert (who(given), who(more)) == (401, 401)
    assert ann.post("/api/tokens/withdraw").json() == {"withdrawn": 0}
    machine = boss.post("/api/people", json={"name": "llm", "kind": "machine"}).json()["token"]
    renewed = boss.post("/api/people/reset", json={"name": "llm"}).json()["token"]
    assert (who(machine), who(renewed)) == (401, 200)
    # Nobody acts in another organiser's name.
    site.accounts.add("chief", "organiser")
    assert boss.post("/api/people/token", json={"name": "chief"}).status_code == 403
