"""The organisers' API: people, adjudication, exchange and the end, for organisers only."""

import json
from pathlib import Path

import pytest

from leadline.app import organiser_api as people_api
from leadline.app.opening import open_project
from leadline.app.organiser_api import ENDINGS, STREAMS_EACH, router
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from tests.app.projects import small
from tests.app.visitors import (
    brought_in,
    judge,
    signed_in,
    turn,
    visitor,
    with_quick_hashes,
)


def test_no_path_is_open_to_assessors(site: Site) -> None:
    ann = signed_in(site, "ann")
    for route in (*router.routes, *people_api.router.routes):
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


def test_an_export_can_follow_the_qrels_that_the_project_started_from(tmp_path: Path) -> None:
    folder = small(tmp_path / "small", order="MoffatA(p=0.8)", stop="", start_from="before.txt")
    (folder / "before.txt").write_text("2 0 other 1\n1 0 d2 0\n")
    judging = open_project(folder)
    site = make_site(judging, Options(accounts=True))
    with_quick_hashes(site.accounts)
    boss = signed_in(site, "boss", "organiser")
    whole = "/api/export?append=true"
    assert "append to before.txt" in boss.get("/organise").text
    assert boss.get(whole).text == "2 0 other 1\n1 0 d2 0\n"
    pair = judge(signed_in(site, "ann"), 1)
    assert boss.get(whole).text == f"2 0 other 1\n1 0 d2 0\n1 0 {pair['doc']} 1\n"
    assert boss.get(f"{whole}&format=csv").status_code == 404
    judging.close()


def test_a_machines_judgments_are_exported_alone(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    pair = judge(signed_in(site, "ann"), 0)
    token = boss.post("/api/people", json={"name": "llm", "kind": "machine"}).json()["token"]
    llm = visitor(site, headers={"Authorization": f"Bearer {token}"})
    assert turn(llm)["doc"] == pair["doc"]
    judge(llm, 3)
    assert boss.get("/api/export?rule=latest").text == f"1 0 {pair['doc']} 0\n"
    alone = boss.get("/api/export?machine=llm")
    assert alone.text == f"1 0 {pair['doc']} 3\n"
    assert "labels.txt" in alone.headers["content-disposition"]
    assert boss.get("/api/export?machine=ann").status_code == 404
    assert boss.get("/api/export?machine=llm&format=csv").status_code == 404


def test_imports_are_added_once_and_what_no_run_returns_is_counted(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    body = {"format": "qrels", "who": " old  hand ", "text": "1 0 d1 1\n1 0 nowhere 1\n"}
    first = {"added": 2, "elsewhere": 1, "number": 1}
    assert brought_in(boss, body).json() == first
    assert brought_in(boss, body).json() == {"added": 0, "elsewhere": 0, "number": 0}
    lines = boss.get("/api/export?format=ledger").text.splitlines()
    assert {json.loads(line)["who"] for line in lines} == {"old hand"}


def test_an_import_with_a_fault_adds_nothing(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    body = {"format": "qrels", "who": "x", "text": "1 0 d1 1\n1 0 d2\n"}
    answer = brought_in(boss, body)
    assert answer.status_code == 422
    assert boss.get("/api/export?format=ledger").text == ""


def test_an_import_of_another_collection_is_refused(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    body = {"format": "qrels", "who": "x", "text": "9 0 gone 1\n9 0 lost 1\n"}
    answer = brought_in(boss, body)
    assert answer.status_code == 422
    assert "judges no document that these runs return" in answer.json()["error"]
    assert boss.get("/api/imports").json() == []


def test_a_file_is_imported_as_it_is_and_undone_as_a_whole(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    mine = judge(ann, 2)
    before = boss.get("/api/export?format=csv").text
    others = [doc for doc in ("d1", "d2", "d3", "d4") if doc != mine["doc"]]
    text = "".join(f"1 0 {doc} 1\n" for doc in others)
    path = "/api/import/file?format=qrels&by=bob"
    made = boss.post(path, content=b"\xef\xbb\xbf" + text.encode()).json()
    assert made == {"added": 3, "elsewhere": 0, "number": 1}
    assert boss.get("/api/standing").json()["judged"] == 4
    undone = boss.post("/api/imports/undo", json={"number": 1})
    assert undone.json()["judged"] == 1
    assert boss.get("/api/export?format=csv").text == before
    listed = boss.get("/api/imports").json()
    assert [(each["who"], each["added"], bool(each["undone"])) for each in listed] == [
        ("boss", 3, True)
    ]
    assert boss.post("/api/imports/undo", json={"number": 1}).status_code == 404
    assert boss.post("/api/imports/undo", json={"number": 7}).status_code == 404
    assert boss.post(path, content=b"1 0 d1 1\n1 0 \xff 1\n").status_code == 422


def test_so_many_live_pages_and_no_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    boss = signed_in(site, "boss", "organiser")
    site.streams["boss"] = STREAMS_EACH
    answer = boss.get("/api/events")
    assert answer.status_code == 429
    assert answer.json()["wait"] == int(answer.headers["retry-after"])


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


def test_an_import_makes_no_person_of_a_machine_nor_the_other_way_round(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    site.accounts.add("llm", "assessor", "machine")
    signed_in(site, "ann")
    for kind, who, told in (("person", "llm", "is a machine here"), ("machine", "ann", "person")):
        text = f"topic,doc,grade,kind,who\n1,d1,1,{kind},{who}\n"
        answer = brought_in(boss, {"format": "csv", "who": "x", "text": text})
        assert answer.status_code == 422
        assert told in answer.json()["error"]
    assert boss.get("/api/export?format=ledger").text == ""


def test_what_an_organiser_sees_stays_json_whatever_was_imported(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    rows = "".join(f"1,{doc},1,1e308,old\n" for doc in ("d1", "d2"))
    body = {"format": "csv", "who": "x", "text": f"topic,doc,grade,seconds,who\n{rows}"}
    brought_in(boss, body)
    assert "Infinity" not in boss.get("/api/standing").text
