"""The organisers' API: people, adjudication, exchange and the end, for organisers only."""

import json

import pytest

from leadline.web.organiser_api import ENDINGS, router
from leadline.web.site import Site
from tests.web.visitors import judge, signed_in, turn, visitor


def test_no_path_is_open_to_assessors(site: Site) -> None:
    ann = signed_in(site, "ann")
    for route in router.routes:
        for method in route.methods:  # type: ignore[attr-defined]
            # Rights come before anything that was sent.
            answer = ann.request(method, route.path)  # type: ignore[attr-defined]
            assert answer.status_code in (403, 422), route
            if method == "GET" and "document" not in route.path:  # type: ignore[attr-defined]
                assert answer.status_code == 403


def test_where_it_stands_follows_the_judgments(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    assert boss.get("/api/standing").json()["judged"] == 0
    pair = judge(ann, 1)
    assert boss.get("/api/standing").json()["judged"] == 1
    decided = boss.post("/api/adjudications", json={**pair, "grade": 0})
    assert decided.status_code == 200
    assert boss.get("/api/export").text == f"1 0 {pair['doc']} 0\n"


@pytest.mark.parametrize("form", ENDINGS)
def test_exports_are_files_of_their_kind(site: Site, form: str) -> None:
    boss = signed_in(site, "boss", "organiser")
    pair = judge(signed_in(site, "ann"), 2)
    answer = boss.get("/api/export", params={"format": form})
    assert f'filename="judgments.{ENDINGS[form]}"' in answer.headers["content-disposition"]
    assert pair["doc"] in answer.text


def test_machines_count_in_an_export_if_asked(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    pair = judge(signed_in(site, "ann"), 0)
    token = boss.post("/api/people", json={"name": "llm", "kind": "machine"}).json()["token"]
    llm = visitor(site, headers={"Authorization": f"Bearer {token}"})
    assert turn(llm)["doc"] == pair["doc"]
    judge(llm, 3)
    assert boss.get("/api/export?rule=latest").text == f"1 0 {pair['doc']} 0\n"
    both = boss.get("/api/export?rule=latest&machines=true").text
    assert both == f"1 0 {pair['doc']} 3\n"


def test_imports_are_added_once_and_what_no_run_returns_is_counted(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    body = {"format": "qrels", "who": " old  hand ", "text": "1 0 d1 1\n1 0 nowhere 1\n"}
    assert boss.post("/api/import", json=body).json() == {"added": 2, "elsewhere": 1}
    assert boss.post("/api/import", json=body).json() == {"added": 0, "elsewhere": 0}
    lines = boss.get("/api/export?format=ledger").text.splitlines()
    assert {json.loads(line)["who"] for line in lines} == {"old hand"}


def test_an_import_with_a_fault_adds_nothing(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    body = {"format": "qrels", "who": "x", "text": "1 0 d1 1\n1 0 d2\n"}
    answer = boss.post("/api/import", json=body)
    assert answer.status_code == 422
    assert boss.get("/api/export?format=ledger").text == ""


def test_people_are_invited_by_link_and_machines_by_token(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    person = boss.post("/api/people", json={"name": "ann", "role": "organiser"})
    assert person.status_code == 201
    assert person.json()["link"].startswith(f"{site.address}/invitation/")
    assert person.json()["token"] is None
    assert boss.post("/api/people", json={"name": "ann"}).json()["code"] == "taken"
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


def test_the_end_is_for_all_until_it_is_reopened(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    assert boss.post("/api/end", json={"ended": True}).json()["ended"] == "boss"
    assert ann.post("/api/next").json()["over"]
    boss.post("/api/end", json={"ended": False})
    assert turn(ann)


def test_a_document_is_looked_at_by_name(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    assert boss.get("/api/document?topic=1&doc=d1").json()["doc"] == "d1"
    assert boss.get("/api/document?topic=1&doc=../judge.toml").status_code == 404
