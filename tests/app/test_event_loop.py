"""Nobody waits for the database where everybody would: on the event loop."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event

from leadline.app.site import Site
from tests.app.visitors import judge, signed_in, turn, visitor


@pytest.fixture
def asked(site: Site) -> Iterator[list[tuple[str, bool]]]:
    """What the database was asked, and whether that was on the event loop."""
    found: list[tuple[str, bool]] = []

    def note(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            found.append((statement, False))
        else:
            found.append((statement, True))

    event.listen(site.judging.database.engine, "before_cursor_execute", note)
    yield found
    event.remove(site.judging.database.engine, "before_cursor_execute", note)


def test_no_request_asks_the_database_on_the_event_loop(
    alone: Site, asked: list[tuple[str, bool]]
) -> None:
    site = alone
    link = site.way_in()
    assert visitor(site).get(link.removeprefix(site.address)).status_code == 200
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    for client in (boss, ann, visitor(site)):
        for path in ("/", "/mine", "/organise", "/sign-in", "/invitation/none", "/enter/none"):
            client.get(path)
    paths = {
        route.path
        for route in boss._transport.inner.app.routes  # type: ignore[attr-defined]
        if "GET" in getattr(route, "methods", ()) and "{" not in route.path
    }
    assert len(paths) > 20
    for path in sorted(paths - {"/api/events"}):
        assert boss.get(path).status_code < 500, path
    judge(ann, 1)
    pair = turn(ann)
    which = {"topic": pair["topic"], "doc": pair["doc"]}
    posts = {
        "/api/skips": which,
        "/api/undo": None,
        "/api/tokens": None,
        "/api/tokens/withdraw": None,
    }
    for path, body in posts.items():
        assert ann.post(path, json=body).status_code < 300, path
    of_organisers = {
        "/api/people": {"name": "ben"},
        "/api/people/reset": {"name": "ben"},
        "/api/people/close": {"name": "ben"},
        "/api/messages": {"text": "hello"},
        "/api/topics/assign": {"topics": ["1"], "people": ["ann"]},
        "/api/gold": {**which, "grade": 1},
        "/api/gold/remove": which,
        "/api/adjudications/undo": which,
        "/api/settings": {"changes": {"title": "other"}},
    }
    file = "/api/import/file?format=qrels&by=x"
    assert boss.post(file, content="1 0 d1 1\n").status_code == 200
    of_organisers |= {"/api/imports/undo": {"number": 1}, "/api/end": {"ended": True}}
    for path, body in of_organisers.items():
        assert boss.post(path, json=body).status_code < 300, path
    file = "/api/import/file?format=qrels&by=y"
    assert boss.post(file, content="1 0 d2 1\n").status_code == 200
    csrf = boss.get("/api/me").json()["csrf"]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert boss.post("/as", content=f"csrf={csrf}&name=eve", headers=form).status_code == 303
    assert ann.post("/sign-out", content="csrf=x", headers=form).status_code == 303
    assert len(asked) > 100
    assert [statement for statement, on_loop in asked if on_loop] == []
