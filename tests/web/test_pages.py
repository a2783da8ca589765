"""Pages and forms: who gets where, and which forms are ours."""

import re
from dataclasses import replace

import httpx
import pytest

from leadline.web.pages import FORM, STATIC
from leadline.web.site import Site
from tests.web.visitors import signed_in, visitor

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


def sign_in(client: httpx.Client, name: str, password: str) -> int:
    form = form_of(client.get("/sign-in").text)
    values = {"form": form, "name": name, "password": password}
    return client.post("/sign-in", data=values).status_code


def test_whoever_opens_an_open_site_is_its_owner(site: Site) -> None:
    client = visitor(site, follow_redirects=True)
    page = client.get("/organise")
    assert page.status_code == 200
    assert "Small &amp; open" in page.text
    assert client.get("/api/me").json()["name"] == site.owner
    assert client.get("/api/me").json()["role"] == "organiser"


def test_elsewhere_one_signs_in_first(closed: Site) -> None:
    client = visitor(closed)
    for path in ("/", "/organise"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert sign_in(client, "ann", "wrong password") == 403
    assert sign_in(client, "nobody", PASSWORD) == 403
    assert sign_in(client, "ann", PASSWORD) == 303
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


def test_another_name_only_where_there_is_no_sign_in(site: Site, closed: Site) -> None:
    client = signed_in(site, "me")
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


def test_only_files_of_one_folder_are_served(site: Site) -> None:
    client = visitor(site)
    for file in STATIC.iterdir():
        assert client.get(f"/static/{file.name}").content == file.read_bytes()
    assert client.get("/static/judge.js").headers["content-type"].startswith("text/javascript")
    for name in ("nothing.js", "..%2fpages.py", "%2e%2e"):
        assert client.get(f"/static/{name}").status_code == 404
