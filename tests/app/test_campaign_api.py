"""Organising many people through the API: topics, gold, quality, hours, messages, the log."""

import csv
import io

import httpx
import pytest

from leadline.app import organiser_api as campaign_api
from leadline.app import organiser_api as disputes_api
from leadline.app import organiser_api as settings_api
from leadline.app.site import Site
from tests.app.visitors import brought_in, judge, signed_in, turn, visitor


def boss_of(site: Site) -> httpx.Client:
    return signed_in(site, "boss", "organiser")


def test_no_path_is_open_to_assessors_or_without_the_token(site: Site) -> None:
    ann, boss = signed_in(site, "ann"), boss_of(site)
    del boss.headers["X-Leadline-CSRF"]
    for part in (campaign_api, disputes_api, settings_api):
        for route in part.router.routes:
            path = route.path  # type: ignore[attr-defined]
            for method in route.methods:  # type: ignore[attr-defined]
                assert ann.request(method, path).status_code == 403, route
                assert visitor(site).request(method, path).status_code == 401, route
                if method == "POST":
                    assert boss.request(method, path).status_code == 403, route


def test_topics_are_assigned_and_freed_when_somebody_is_closed(site: Site) -> None:
    boss, ann, ben = boss_of(site), signed_in(site, "ann"), signed_in(site, "ben")
    listed = boss.get("/api/topics").json()
    assert [(each["topic"], each["pairs"], each["people"]) for each in listed] == [("1", 4, [])]
    made = boss.post("/api/topics/assign", json={"topics": ["1"], "people": ["ann"]}).json()
    assert made[0]["people"] == ["ann"]
    assert turn(ann)
    assert turn(ben) is None
    for wrong in ({"topics": ["9"], "people": []}, {"topics": ["1"], "people": ["nobody"]}):
        assert boss.post("/api/topics/assign", json=wrong).status_code == 404
    boss.post("/api/people/close", json={"name": "ann"})
    assert boss.get("/api/topics").json()[0]["people"] == []
    assert turn(ben)
    assert "topics that are free now: 1" in boss.get("/api/log").json()[0]["about"]


def test_gold_questions_are_asked_with_feedback_and_counted(site: Site) -> None:
    boss, ann = boss_of(site), signed_in(site, "ann")
    body = {"topic": "1", "doc": "d2", "grade": 1, "note": "it says so", "training": True}
    made = boss.post("/api/gold", json=body).json()
    assert [(each["doc"], each["why"], each["training"]) for each in made] == [
        ("d2", "it says so", True)
    ]
    asked = ann.post("/api/next").json()
    assert asked["training"]
    assert asked["assignment"]["doc"] == "d2"
    text = {"topic": "1", "doc": "d2", "at": 0}
    assert ann.get("/api/text", params=text).status_code == 200
    said = ann.post("/api/judgments", json={"topic": "1", "doc": "d2", "grade": 0}).json()
    assert said["feedback"] == {
        "topic": "1",
        "doc": "d2",
        "said": 0,
        "grade": 1,
        "why": "it says so",
    }
    assert not said["training"]
    assert said["assignment"]["doc"] != "d2"
    gold = boss.get("/api/gold").json()[0]
    assert (gold["answered"], gold["right"]) == (1, 0)
    # The grade is decided, nobody's judgment is in the ledger.
    assert boss.get("/api/export").text == "1 0 d2 1\n"
    assert boss.post("/api/gold/remove", json={"topic": "1", "doc": "d2"}).json() == []
    assert boss.post("/api/gold/remove", json={"topic": "1", "doc": "d2"}).status_code == 404
    assert boss.post("/api/gold", json={**body, "doc": "nowhere"}).status_code == 404
    assert boss.post("/api/gold", json={**body, "grade": 77}).status_code == 422


def test_feedback_on_mixed_in_questions_can_be_left_out(site: Site) -> None:
    boss, ann = boss_of(site), signed_in(site, "ann")
    changes = {"changes": {"gold_every": 1, "gold_feedback": False}}
    assert boss.post("/api/settings", json=changes).status_code == 200
    boss.post("/api/gold", json={"topic": "1", "doc": "d2", "grade": 1})
    judge(ann, 0)
    assert turn(ann)["doc"] == "d2"
    said = ann.post("/api/judgments", json={"topic": "1", "doc": "d2", "grade": 0}).json()
    assert said["feedback"] is None
    assert boss.get("/api/quality").json()[0]["gold"] in (0, 1)


def test_who_is_below_a_threshold_is_flagged(site: Site) -> None:
    boss = boss_of(site)
    changes = {"least_agreement": 0.9, "assessors_per_document": 2, "merge": "majority"}
    assert boss.post("/api/settings", json={"changes": changes}).status_code == 200
    text = "".join(f"1 0 {doc} 1\n" for doc in ("d1", "d2", "d3", "d4"))
    more = "".join(f"1 0 {doc} 0\n" for doc in ("d1", "d2", "d3", "d4"))
    for who, rows in (("ann", text), ("ben", more)):
        brought_in(boss, {"format": "qrels", "who": who, "text": rows})
    site.snapshots._agreement = None
    found = {each["who"]: each for each in boss.get("/api/quality").json()}
    assert (found["ann"]["compared"], found["ann"]["same"]) == (4, 0)
    # Four documents are too few to say anything.
    assert found["ann"]["flags"] == []


def test_hours_are_a_csv(site: Site) -> None:
    boss, ann = boss_of(site), signed_in(site, "ann")
    judge(ann, 1)
    answer = boss.get("/api/hours")
    assert 'filename="hours.csv"' in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["who"], row["judged"]) for row in rows] == [("ann", "1")]


def test_a_message_reaches_all_until_it_is_withdrawn(site: Site) -> None:
    boss, ann = boss_of(site), signed_in(site, "ann")
    assert ann.post("/api/next").json()["message"] is None
    sent = boss.post("/api/messages", json={"text": "Lunch at <b>noon</b>"}).json()
    told = ann.post("/api/next").json()["message"]
    assert (told["who"], told["text"]) == ("boss", "Lunch at <b>noon</b>")
    gone = boss.post("/api/messages/withdraw", json={"number": sent[0]["id"]}).json()
    assert gone[0]["withdrawn"]
    assert ann.post("/api/next").json()["message"] is None
    assert boss.post("/api/messages/withdraw", json={"number": 99}).status_code == 404
    assert boss.post("/api/messages", json={"text": ""}).status_code == 422


def test_whatever_an_organiser_does_is_in_the_log(site: Site) -> None:
    boss = boss_of(site)
    pair = judge(signed_in(site, "ann"), 1)
    acts = {
        "invite": ("/api/people", {"name": "new"}),
        "add machine": ("/api/people", {"name": "llm", "kind": "machine"}),
        "make token": ("/api/people/token", {"name": "ann"}),
        "withdraw tokens": ("/api/people/withdraw", {"name": "ann"}),
        "reset": ("/api/people/reset", {"name": "ann"}),
        "close": ("/api/people/close", {"name": "ann"}),
        "adjudicate": ("/api/adjudications", {**pair, "grade": 0}),
        "undo adjudication": ("/api/adjudications/undo", pair),
        "import": ("/api/import/file?format=qrels&by=x", "1 0 d4 1\n"),
        "undo import": ("/api/imports/undo", {"number": 1}),
        "assign": ("/api/topics/assign", {"topics": ["1"], "people": []}),
        "gold question": ("/api/gold", {"topic": "1", "doc": "d4", "grade": 1}),
        "remove gold question": ("/api/gold/remove", {"topic": "1", "doc": "d4"}),
        "message": ("/api/messages", {"text": "hello"}),
        "withdraw message": ("/api/messages/withdraw", {"number": 1}),
        "settings": ("/api/settings", {"changes": {"title": "Other"}}),
        "end judging": ("/api/end", {"ended": True}),
        "open judging again": ("/api/end", {"ended": False}),
    }
    secrets = []
    for act, (path, body) in acts.items():
        answer = (
            boss.post(path, content=body) if isinstance(body, str) else boss.post(path, json=body)
        )
        if path.startswith("/api/people") and "link" in answer.text:
            made = answer.json()
            secrets.append(made["token"] or made["link"].rsplit("/", 1)[1])
        assert answer.status_code in (200, 201), (act, answer.text)
        last = boss.get("/api/log").json()[0]
        assert (last["who"], last["act"]) == ("boss", act)
    boss.get("/api/export")
    log = boss.get("/api/log").json()
    assert log[0]["act"] == "export"
    older = boss.get("/api/log", params={"before": log[0]["id"]}).json()
    assert [each["id"] for each in older] == [each["id"] for each in log[1:]]
    ann = signed_in(site, "ann2")
    secrets.append(ann.post("/api/tokens").json()["token"])
    ann.post("/api/tokens/withdraw")
    text = boss.get("/api/log").text
    assert [each["act"] for each in boss.get("/api/log").json()[:2]] == [
        "withdraw tokens",
        "make token",
    ]
    assert len(secrets) == 5
    # No secret is in it.
    assert [each for each in secrets if each in text] == []


@pytest.mark.parametrize("path", ["/api/topics", "/api/gold", "/api/quality", "/api/messages"])
def test_lists_answer_when_there_is_nothing(site: Site, path: str) -> None:
    assert isinstance(boss_of(site).get(path).json(), list)
