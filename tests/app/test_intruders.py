"""Who does not get in: old cookies, used invitations, closed accounts, others on the machine."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from leadline.app.opening import demo_project
from tests.app.fort import Fort, accept, closing_server
from tests.app.server import free_port, start


def test_a_cookie_from_before_accounts_were_demanded_is_worth_nothing(tmp_path: Path) -> None:
    folder = demo_project(tmp_path / "sea")
    port = free_port()
    with closing_server(start(folder, port=port)) as server:
        before = httpx.Client(base_url=server.address)
        assert before.get(httpx.URL(server.link()).path).status_code == 200
        assert before.get("/api/me").json()["role"] == "organiser"
    with closing_server(start(folder, "--accounts", port=port)):
        assert before.get("/api/me").status_code == 401
        assert before.get("/organise").status_code == 303
        before.close()


def test_an_invitation_works_once_for_four_who_press_at_the_same_moment(fort: Fort) -> None:
    link = fort.organiser.post("/api/people", json={"name": "dora"}).json()["link"]
    path = httpx.URL(link).path
    visitors = [httpx.Client(base_url=fort.server.address, timeout=60) for _ in range(4)]
    forms = []
    for each in visitors:
        form = re.search(r'name="form" value="([^"]+)"', each.get(path).text)
        assert form is not None
        forms.append(form.group(1))

    def press(at: int) -> int:
        data = {"form": forms[at], "password": f"password of visitor {at}"}
        return visitors[at].post(path, data=data).status_code

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(press, range(4)))
    assert answers == [303, 403, 403, 403]
    for each in visitors:
        each.close()


def test_too_short_a_password_does_not_use_up_the_invitation(fort: Fort) -> None:
    link = fort.organiser.post("/api/people", json={"name": "emil"}).json()["link"]
    path = httpx.URL(link).path
    with httpx.Client(base_url=fort.server.address) as visitor:
        form = re.search(r'name="form" value="([^"]+)"', visitor.get(path).text)
        assert form is not None
        data = {"form": form.group(1), "password": "short"}
        assert visitor.post(path, data=data).status_code == 422
    accept(fort.server.address, link, "a password that is long enough").close()


def test_signing_in_again_ends_the_session_before(fort: Fort) -> None:
    made = fort.organiser.post("/api/people", json={"name": "frida"}).json()
    client = accept(fort.server.address, made["link"], "the password of frida")
    old = dict(client.cookies)
    form = re.search(r'name="form" value="([^"]+)"', client.get("/sign-in").text)
    assert form is not None
    data = {"form": form.group(1), "name": "frida", "password": "the password of frida"}
    assert client.post("/sign-in", data=data).status_code == 303
    assert client.get("/api/me").status_code == 200
    with httpx.Client(base_url=fort.server.address, cookies=old) as thief:
        assert thief.get("/api/me").status_code == 401
    client.close()


def test_a_closed_account_sees_no_more_of_its_live_stream(fort: Fort) -> None:
    made = fort.organiser.post("/api/people", json={"name": "greta", "role": "organiser"}).json()
    client = accept(fort.server.address, made["link"], "the password of greta")
    with client.stream("GET", "/api/events", timeout=60) as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("retry")
        closed = fort.organiser.post("/api/people/close", json={"name": "greta"})
        assert closed.status_code < 300, closed.text
        # It ends of itself: the iterator is exhausted long before a timeout.
        for _ in lines:
            pass
    client.close()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
def test_nobody_else_on_the_machine_can_read_the_files_of_the_room(tmp_path: Path) -> None:
    folder = demo_project(tmp_path / "sea")
    with closing_server(start(folder)) as server:
        httpx.get(server.address, follow_redirects=True)
        files = [path for path in folder.iterdir() if "sqlite" in path.name]
        assert len(files) >= 2
        assert {path.name: oct(path.stat().st_mode & 0o077) for path in files} == {
            path.name: "0o0" for path in files
        }
