"""Ways in and out: which links, forms and passwords let in whom, and what ends it."""

import asyncio
import re
import threading
from dataclasses import replace

import httpx
import pytest
from sqlalchemy.exc import OperationalError

from leadline.app.entrance import FORM
from leadline.app.serve import make_app
from leadline.app.site import MOST_HASHING, Site
from tests.app.visitors import signed_in, visitor

PASSWORD = "long enough for it"


@pytest.fixture
def closed(site: Site) -> Site:
    """The same site where everybody signs in."""
    site.accounts.add("ann", "assessor")
    site.accounts.set_password("ann", PASSWORD)
    return replace(site, owner="")


def form_of(text: str) -> str:
    found = re.search(r'name="form" value="([^"]+)"', text)
    assert found is not None
    return found[1]


def sign_in(client: httpx.Client, name: str, password: str) -> httpx.Response:
    form = form_of(client.get("/sign-in").text)
    values = {"form": form, "name": name, "password": password}
    return client.post("/sign-in", data=values)


def test_the_link_of_the_owner_lets_in_once_and_another_is_told(alone: Site) -> None:
    site = alone
    told: list[str] = []
    site.announce = told.append
    path = httpx.URL(site.way_in()).path
    owner, stranger = visitor(site), visitor(site)
    assert stranger.get("/organise").status_code == 403
    assert stranger.get("/api/me").status_code == 401
    assert owner.get(path).status_code == 200
    assert owner.get("/api/me").json()["role"] == "organiser"
    assert "Small &amp; open" in owner.get("/organise").text
    assert stranger.get(path).status_code == 403
    assert len(told) == 1
    assert stranger.get(httpx.URL(told[0]).path).status_code == 200
    assert stranger.get("/api/me").json()["name"] == site.owner


def test_where_everybody_signs_in_that_link_is_worth_nothing(alone: Site, closed: Site) -> None:
    path = httpx.URL(alone.way_in()).path
    assert visitor(closed).get(path).status_code == 403


def test_elsewhere_one_signs_in_first(closed: Site) -> None:
    client = visitor(closed)
    for path in ("/", "/organise"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert sign_in(client, "ann", "wrong password").status_code == 403
    assert sign_in(client, "nobody", PASSWORD).status_code == 403
    assert sign_in(client, "ann", PASSWORD).status_code == 303
    assert client.get("/").status_code == 200
    # An assessor has no business there.
    assert client.get("/organise").status_code == 403


def test_a_form_must_be_the_one_that_was_shown(closed: Site) -> None:
    client = visitor(closed)
    values = {"name": "ann", "password": PASSWORD}
    assert client.post("/sign-in", data=values).status_code == 403
    form = form_of(client.get("/sign-in").text)
    assert client.post("/sign-in", data={**values, "form": form[::-1]}).status_code == 403
    client.cookies.delete(FORM)
    assert client.post("/sign-in", data={**values, "form": form}).status_code == 403


def test_cookies_are_for_us_alone(closed: Site) -> None:
    plain = visitor(closed).get("/sign-in").headers["set-cookie"]
    assert "httponly" in plain.lower()
    assert "samesite=strict" in plain.lower()
    assert "secure" not in plain.lower()
    safe = visitor(replace(closed, secure=True)).get("/sign-in").headers["set-cookie"]
    assert "; secure" in safe.lower()


def test_signing_out_needs_the_token_to_forget(closed: Site) -> None:
    ann = signed_in(closed, "ann")
    cookie = ann.cookies[closed.cookie]
    ann.post("/sign-out", data={"csrf": "guess"})
    assert closed.accounts.enter("account", cookie) is not None
    ann.cookies.set(closed.cookie, cookie)
    csrf = ann.get("/api/me").json()["csrf"]
    assert ann.post("/sign-out", data={"csrf": csrf}).headers["location"] == "/sign-in"
    assert closed.accounts.enter("account", cookie) is None


def test_another_name_only_where_there_is_no_sign_in(alone: Site, closed: Site) -> None:
    client = signed_in(alone, "me")
    csrf = client.get("/api/me").json()["csrf"]
    assert client.post("/as", data={"csrf": "guess", "name": "bob"}).status_code == 403
    assert client.post("/as", data={"csrf": csrf, "name": "bob"}).status_code == 303
    assert client.get("/api/me").json()["name"] == "bob"
    ann = signed_in(closed, "ann")
    csrf = ann.get("/api/me").json()["csrf"]
    assert ann.post("/as", data={"csrf": csrf, "name": "bob"}).status_code == 403


def test_an_invitation_sets_a_password_once(closed: Site) -> None:
    person = closed.accounts.add("cid", "assessor")
    path = f"/invitation/{closed.accounts.invite(person)}"
    client = visitor(closed)
    form = form_of(client.get(path).text)
    short = client.post(path, data={"form": form, "password": "short"})
    assert short.status_code == 422
    assert "at least 10 characters" in short.text
    done = client.post(path, data={"form": form_of(short.text), "password": PASSWORD})
    assert done.status_code == 303
    assert client.get("/api/me").json()["name"] == "cid"
    assert visitor(closed).get(path).status_code == 403
    assert closed.accounts.check_password("cid", PASSWORD) == person


def test_a_common_password_is_refused_and_the_link_is_not_used_up(closed: Site) -> None:
    path = f"/invitation/{closed.accounts.invite(closed.accounts.add('cid', 'assessor'))}"
    client = visitor(closed)
    form = form_of(client.get(path).text)
    common = client.post(path, data={"form": form, "password": "password12"})
    assert common.status_code == 422
    assert "first that are tried" in common.text
    assert client.post(path, data={"form": form_of(common.text), "password": PASSWORD}).is_redirect


def test_wrong_passwords_say_how_long_to_wait_and_keep_nobody_else_out(closed: Site) -> None:
    closed.accounts.add("bob", "assessor")
    closed.accounts.set_password("bob", PASSWORD)
    known, mallory, fresh = visitor(closed), visitor(closed), visitor(closed)
    assert sign_in(known, "ann", PASSWORD).status_code == 303
    answers = [sign_in(mallory, "ann", "a wrong password") for _ in range(12)]
    assert [answer.status_code for answer in answers] == [403] * 10 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert "too many wrong passwords: wait" in answers[-1].text
    # At the same address: somebody else, and ann in the browser that she uses.
    assert sign_in(fresh, "bob", PASSWORD).status_code == 303
    known.cookies.delete(closed.cookie)
    assert sign_in(known, "ann", PASSWORD).status_code == 303


def test_who_signs_out_is_told_where_the_database_does_not_answer(
    closed: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = signed_in(closed, "ann")
    csrf = ann.get("/api/me").json()["csrf"]

    def away(*which: object) -> int:
        raise OperationalError("DELETE", None, OSError("gone"))

    monkeypatch.setattr(closed.accounts, "_remove", away)
    refused = ann.post("/sign-out", data={"csrf": csrf})
    assert refused.status_code == 503
    assert "the database did not answer" in refused.text
    monkeypatch.undo()
    cookie = ann.cookies[closed.cookie]
    assert ann.post("/sign-out", data={"csrf": csrf}).status_code == 303
    ann.cookies.set(closed.cookie, cookie)
    assert ann.get("/api/me").status_code == 401


def test_many_passwords_at_once_are_told_to_come_again(closed: Site) -> None:
    """Eight are checked or wait; whoever is signed in is answered meanwhile."""
    slow = threading.Event()
    check = closed.accounts.check_password

    def slowly(name: str, password: str) -> object:
        slow.wait(30)
        return check(name, password)

    closed.accounts.check_password = slowly  # type: ignore[method-assign,assignment]
    ann = signed_in(closed, "ann")

    async def all_at_once() -> list[int]:
        app = make_app(closed)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            page = (await client.get("/sign-in")).text
            form = page.partition('name="form" value="')[2].partition('"')[0]
            data = {"form": form, "name": "ann", "password": "wrong"}
            asked = [asyncio.create_task(client.post("/sign-in", data=data)) for _ in range(20)]
            await asyncio.sleep(0.2)
            headers = {"Cookie": f"{closed.cookie}={ann.cookies[closed.cookie]}"}
            async with asyncio.timeout(10):
                assert (await client.get("/api/me", headers=headers)).status_code == 200
            slow.set()
            return [(await each).status_code for each in asked]

    codes = asyncio.run(all_at_once())
    assert codes.count(429) == 20 - MOST_HASHING
    assert codes.count(403) == MOST_HASHING
