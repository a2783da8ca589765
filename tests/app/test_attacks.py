"""Attacks: each is refused, and none leaves a trace."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.app.fort import Fort, accept
from tests.app.server import Client, serving
from tests.app.visitors import brought_in

SQL = [
    "'; DROP TABLE entry; --",
    '" OR 1=1 --',
    "x' UNION SELECT password FROM person --",
    "%",
    "\\",
]


def pair_of(client: Client) -> dict[str, str]:
    document = client.post("/api/next").json()["assignment"]
    return {"topic": document["topic"], "doc": document["doc"]}


def n_entries(fort: Fort) -> int:
    return len(fort.organiser.get("/api/export?format=ledger").text.splitlines())


def test_nobody_gets_in_without_signing_in(fort: Fort) -> None:
    with httpx.Client(base_url=fort.server.address) as stranger:
        for path in ("/", "/organise"):
            assert stranger.get(path).headers["location"] == "/sign-in"
        for path in ("/api/me", "/api/standing", "/api/export", "/api/people", "/api/events"):
            assert stranger.get(path).status_code == 401
        for path in ("/api/next", "/api/undo"):
            assert stranger.post(path).status_code == 401
        bearer = {"Authorization": "Bearer forged"}
        assert stranger.get("/api/me", headers=bearer).status_code == 401


def test_a_cookie_of_ours_cannot_be_changed_into_another(fort: Fort) -> None:
    for name, value in dict(fort.assessor.cookies).items():
        for forged in (value[:-1], value + "A", value[::-1], value.swapcase()):
            with httpx.Client(base_url=fort.server.address, cookies={name: forged}) as stranger:
                assert stranger.get("/api/me").status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/standing", None),
        ("GET", "/api/events", None),
        ("GET", "/api/export", None),
        ("GET", "/api/people", None),
        ("GET", "/api/document?topic=1&doc=sea-001", None),
        ("POST", "/api/people", {"name": "eve", "role": "organiser"}),
        ("POST", "/api/people/close", {"name": "organiser"}),
        ("POST", "/api/adjudications", {"topic": "1", "doc": "sea-124", "grade": 3}),
        ("POST", "/api/import/file?format=qrels&by=x", "1 0 sea-124 1"),
        ("POST", "/api/end", {"ended": True}),
    ],
)
def test_an_assessor_may_not_do_what_organisers_do(
    fort: Fort, method: str, path: str, body: object
) -> None:
    before = n_entries(fort)
    answer = fort.assessor.request(method, path, json=body)
    assert answer.status_code == 403
    assert n_entries(fort) == before
    assert fort.assessor.get("/organise").status_code == 403


def test_an_assessor_judges_only_what_was_assigned(fort: Fort) -> None:
    pair_of(fort.assessor)
    other = fort.organiser.post("/api/next").json()["assignment"]
    body = {"topic": other["topic"], "doc": other["doc"], "grade": 1}
    answer = fort.assessor.post("/api/judgments", json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "not yours")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"X-Leadline-CSRF": ""},
        {"X-Leadline-CSRF": "guess"},
    ],
)
def test_a_post_from_another_site_is_refused(fort: Fort, headers: dict[str, str]) -> None:
    before = n_entries(fort)
    body = {**pair_of(fort.assessor), "grade": 1}
    answer = fort.assessor.post("/api/judgments", json=body, headers=headers)
    assert answer.status_code == 403
    assert n_entries(fort) == before


def test_forms_need_the_page_that_they_came_from(fort: Fort) -> None:
    with httpx.Client(base_url=fort.server.address) as stranger:
        values = {"name": "ann", "password": "another password"}
        assert stranger.post("/sign-in", data=values).status_code == 403
        stranger.get("/sign-in")
        assert stranger.post("/sign-in", data={**values, "form": "x"}).status_code == 403
    out = fort.assessor.post("/sign-out", data={"csrf": "x"})
    assert out.status_code == 303
    port = fort.server.address.rsplit(":", 1)[1]
    assert f"leadline_{port}" not in fort.assessor.cookies
    fort.assessor.cookies.clear()
    page = fort.assessor.get("/sign-in")
    form = re.search(r'name="form" value="([^"]+)"', page.text)
    assert form is not None
    fort.assessor.csrf = ""
    done = fort.assessor.post("/sign-in", data={**values, "form": form.group(1)})
    assert done.status_code == 303
    fort.assessor.csrf = fort.assessor.get("/api/me").json()["csrf"]


def test_an_invitation_works_once(fort: Fort) -> None:
    link = fort.organiser.post("/api/people", json={"name": "once"}).json()["link"]
    accept(fort.server.address, link, "long enough for it").close()
    with httpx.Client(base_url=fort.server.address) as stranger:
        assert stranger.get(httpx.URL(link).path).status_code == 403
        assert stranger.get("/invitation/guess").status_code == 403


def test_who_is_closed_is_out_at_once(fort: Fort) -> None:
    link = fort.organiser.post("/api/people", json={"name": "gone"}).json()["link"]
    client = accept(fort.server.address, link, "long enough for it")
    assert client.post("/api/next").status_code == 200
    fort.organiser.post("/api/people/close", json={"name": "gone"})
    assert client.post("/api/next").status_code == 401
    client.close()
    shut = fort.organiser.post("/api/people/close", json={"name": "organiser"})
    assert shut.status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/app.py",
        "/static/....//app.py",
        "/static//etc/passwd",
        "/static/%00",
        "/../../../../etc/passwd",
        "/static/" + "%2e%2e%2f" * 8 + "etc/passwd",
    ],
)
def test_paths_lead_nowhere_else(fort: Fort, path: str) -> None:
    host, port = fort.server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as raw:
        # As it is: a client of ours would make the path regular first.
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while part := raw.recv(65536):
            answer += part
    assert answer.split(b" ")[1] == b"404"
    assert b"root:" not in answer
    assert b"FastAPI" not in answer


def test_documents_come_by_name_only(fort: Fort) -> None:
    for doc in ("../judge.toml", "/etc/passwd", "sea-001/../../x"):
        answer = fort.organiser.get("/api/document", params={"topic": "1", "doc": doc})
        assert answer.status_code == 404


def test_bodies_that_are_too_large_are_refused(fort: Fort) -> None:
    large = "x" * 70_000
    body = {**pair_of(fort.assessor), "grade": 1, "note": large}
    assert fort.assessor.post("/api/judgments", json=body).status_code == 413

    def unannounced() -> Iterator[bytes]:
        yield json.dumps(body).encode()

    headers = {"Content-Type": "application/json"}
    answer = fort.assessor.post("/api/judgments", content=unannounced(), headers=headers)
    assert answer.status_code == 413
    small = {**body, "note": "x" * 5_000}
    assert fort.assessor.post("/api/judgments", json=small).status_code == 422


@pytest.mark.parametrize("evil", SQL)
def test_sql_is_only_text(fort: Fort, evil: str) -> None:
    client, organiser = fort.assessor, fort.organiser
    for field in ("topic", "doc"):
        body = {**pair_of(client), "grade": 1, field: evil}
        assert client.post("/api/judgments", json=body).status_code == 404
        assert client.post("/api/skips", json={**pair_of(client), field: evil}).status_code == 404
        asked = organiser.get("/api/document", params={"topic": evil, "doc": evil})
        assert asked.status_code == 404
    grade = client.post("/api/judgments", json={**pair_of(client), "grade": evil})
    assert grade.status_code == 422
    noted = client.post("/api/judgments", json={**pair_of(client), "grade": 1, "note": evil})
    assert noted.status_code == 200
    named = organiser.post("/api/people", json={"name": evil})
    assert named.status_code == 201
    assert organiser.post("/api/people/close", json={"name": evil}).status_code == 200
    text = f"1 0 sea-124 1\n{evil.replace(' ', '_')} 0 sea-124 1\n"
    imported = brought_in(organiser, {"format": "qrels", "who": evil, "text": text})
    assert imported.status_code == 200
    for name in ("format", "rule"):
        assert organiser.get("/api/export", params={name: evil}).status_code == 422
    with httpx.Client(
        base_url=fort.server.address, headers={"Authorization": f"Bearer {evil}"}
    ) as stranger:
        assert stranger.get("/api/me").status_code == 401
    last = [
        json.loads(line) for line in organiser.get("/api/export?format=ledger").text.splitlines()
    ]
    assert any(entry["note"] == evil for entry in last)


def test_odd_text_is_refused_or_kept_but_never_an_error(fort: Fort) -> None:
    for note in ("\x00", "a\x07b", "\ud800"):
        text = json.dumps({**pair_of(fort.assessor), "grade": 1, "note": note})
        answer = fort.assessor.post(
            "/api/judgments", content=text, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 422, note
    for body in (b"", b"[", b"null", b"[1]", b'{"grade": 1e999}', b"\xff\xfe"):
        answer = fort.assessor.post(
            "/api/judgments", content=body, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 422, body
    for seconds in ("NaN", "Infinity", "-1", "1e9"):
        pair = json.dumps(pair_of(fort.assessor))[:-1]
        content = f'{pair}, "grade": 1, "seconds": {seconds}}}'
        answer = fort.assessor.post(
            "/api/judgments", content=content, headers={"Content-Type": "application/json"}
        )
        assert answer.status_code == 422, seconds


def test_every_answer_carries_a_strict_policy(fort: Fort) -> None:
    for path in ("/", "/sign-in", "/api/me", "/static/judge.js", "/nowhere"):
        headers = fort.assessor.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    cookie = fort.organiser.get("/sign-in").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()


def test_another_name_for_this_machine_is_refused(project: Path) -> None:
    with serving(project) as server, httpx.Client(base_url=server.address) as client:
        for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example"):
            assert client.get("/", headers={"Host": host}).status_code == 421
        path = httpx.URL(server.link()).path
        assert client.get(path, headers={"Host": "localhost:9"}).status_code == 200
        assert client.post("/api/next").status_code == 403, "no page of ours sent this"
        client.cookies.clear()
        assert client.post("/api/next").status_code == 401


def test_too_many_requests_are_held_off(project: Path) -> None:
    with (
        serving(project, "--accounts", "--rate", "5") as server,
        httpx.Client(base_url=server.address) as client,
    ):
        seen = {client.get("/api/me").status_code for _ in range(60)}
        assert 429 in seen
