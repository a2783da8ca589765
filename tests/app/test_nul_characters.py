"""A NUL, which PostgreSQL cannot keep, in whatever people send: refused plainly, never an error."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from leadline.app.accounts import SignedIn
from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.app.site import HEADER, Site
from leadline.io.problems import InputError
from tests.app.postgres import Postgres, can_run_postgres
from tests.app.projects import small
from tests.app.test_entrance import form_of
from tests.app.visitors import signed_in, visitor, with_quick_hashes

NUL = "an\0n"
ON_POSTGRESQL = pytest.param(
    "postgresql",
    marks=pytest.mark.skipif(not can_run_postgres(), reason="needs a PostgreSQL server"),
)


@pytest.fixture(params=["sqlite", ON_POSTGRESQL])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """A site with sign-in on either database."""
    with contextlib.ExitStack() as stack:
        url = None
        if request.param == "postgresql":
            url = stack.enter_context(Postgres()).database("one")
        judging = open_project(small(tmp_path / "small"), database=url)
        stack.callback(judging.close)
        site = make_site(judging, Options(accounts=True))
        with_quick_hashes(site.accounts)
        yield site


def test_a_nul_in_a_run_is_refused_before_anybody_judges(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    row = {"query_id": "1", "doc_id": "d\0", "score": 1.0}
    (folder / "runs" / "odd.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match="NUL"):
        open_project(folder)


def refused(answer: httpx.Response) -> None:
    assert answer.status_code in (403, 404, 422), (answer.request.url, answer.text)


def test_a_nul_in_a_form_or_a_name_is_refused(stored: Site) -> None:
    secret = stored.accounts.invite(stored.accounts.add("ann", "assessor"))
    nobody = visitor(stored)
    for path in ("/sign-in", f"/invitation/{secret}"):
        for field in ("name", "password", "form", "other"):
            form = form_of(nobody.get(path).text)
            values = {"form": form, "name": "ann", "password": "long enough for it"}
            refused(nobody.post(path, data={**values, field: NUL}))
    refused(nobody.get("/invitation/a%00b"))
    refused(nobody.get("/oidc/back?state=%00&code=%00"))
    nobody.headers["Authorization"] = "Bearer a\0b"
    assert nobody.get("/api/me").status_code == 401
    assert stored.accounts.enter("invitation", secret) is not None, "the link is not used up"
    boss = signed_in(stored, "boss", "organiser")
    for what in ("", "/reset", "/token", "/withdraw", "/close"):
        refused(boss.post(f"/api/people{what}", json={"name": NUL}))
    refused(boss.post("/api/topics/assign", json={"topics": ["1"], "people": [NUL]}))
    refused(boss.post("/api/topics/assign", json={"topics": [NUL], "people": []}))
    refused(boss.post("/api/messages", json={"text": NUL}))
    refused(boss.post("/api/settings", json={"changes": {"title": NUL}}))
    for who, text in ((NUL, "1 0 a 1\n"), ("old", "1 0 a\0 1\n")):
        where = {"format": "qrels", "by": who}
        refused(boss.post("/api/import/file", params=where, content=text))
    refused(boss.get("/api/export", params={"format": "qrels", "machine": NUL}))
    refused(boss.post("/sign-out", data={"csrf": NUL}))
    assert boss.get("/api/me").status_code == 200
    # Where there is no sign-in, people say under which name they judge.
    stored.owner = "me"
    me = signed_in(stored, "me", "organiser")
    csrf = me.headers[HEADER]
    refused(me.post("/as", data={"name": NUL, "csrf": csrf}))
    refused(me.get("/enter/a%00b"))
    assert isinstance(stored.accounts.enter("open", me.cookies[stored.cookie]), SignedIn)
