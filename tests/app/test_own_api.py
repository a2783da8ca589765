"""One's own judgments: listed, searched, read again and changed; nobody else's."""

import threading
from typing import Any

import pytest

from leadline.app.room import Assessor
from leadline.app.site import Site
from tests.app.visitors import judge, signed_in, turn, visitor


def test_own_judgments_are_listed_searched_and_changed(site: Site) -> None:
    ann, ben = signed_in(site, "ann"), signed_in(site, "ben")
    theirs = judge(ben, 0)
    site.judging.room.skip(Assessor("ben"), site.pair("1", turn(ben)["doc"]))
    mine = [judge(ann, grade) for grade in (0, 1, 3)]
    listed = ann.get("/api/mine").json()
    assert listed["total"] == 3
    assert [each["doc"] for each in listed["judgments"]] == [each["doc"] for each in mine[::-1]]
    found = ann.get("/api/mine", params={"search": f"{mine[0]['doc']} not REL"}).json()
    assert [each["doc"] for each in found["judgments"]] == [mine[0]["doc"]]
    assert ann.get("/api/mine", params={"at": 2}).json()["judgments"][0]["doc"] == mine[0]["doc"]
    assert ann.get("/api/mine", params={"search": "nothing like it"}).json()["total"] == 0
    made = ann.post("/api/mine/revise", json={**mine[0], "grade": 2, "note": "again"}).json()
    assert (made["doc"], made["grade"], made["note"]) == (mine[0]["doc"], 2, "again")
    boss = signed_in(site, "boss", "organiser")
    assert f"1 0 {mine[0]['doc']} 2\n" in boss.get("/api/export").text
    assert ann.get("/api/mine/document", params=mine[0]).json()["doc"] == mine[0]["doc"]
    assert ann.get("/api/mine/document", params=theirs).status_code == 404
    assert ann.post("/api/mine/revise", json={**theirs, "grade": 1}).status_code == 409
    assert ann.post("/api/mine/revise", json={**mine[0], "grade": 9}).status_code == 422


def test_nobody_comes_without_a_cookie_or_changes_without_the_token(site: Site) -> None:
    ann = signed_in(site, "ann")
    pair = judge(ann, 0)
    for path in ("/api/mine", "/api/mine/document"):
        assert visitor(site).get(path, params=pair).status_code == 401
    del ann.headers["X-Leadline-CSRF"]
    assert ann.post("/api/mine/revise", json={**pair, "grade": 1}).status_code == 403


def test_the_page_is_there_for_whoever_is_in(site: Site) -> None:
    assert 'id="mine"' in signed_in(site, "ann").get("/mine").text
    assert visitor(site).get("/mine").status_code == 303


def test_nothing_tells_a_gold_question_from_a_judgment_where_it_is_not_told(site: Site) -> None:
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    boss.post("/api/settings", json={"changes": {"gold_every": 1, "gold_feedback": False}})
    boss.post("/api/gold", json={"topic": "1", "doc": "d3", "grade": 1})
    gold = {"topic": "1", "doc": "d3"}
    # Neither reading, its image, judging nor skipping tells which documents are such questions.
    for doc in ("d3", "d2"):
        pair = {"topic": "1", "doc": doc}
        assert ann.get("/api/text", params={**pair, "at": 0}).status_code == 403
        assert ann.get("/api/image", params=pair).status_code == 403
        assert ann.post("/api/judgments", json={**pair, "grade": 1}).status_code == 409
        assert ann.post("/api/skips", json=pair).status_code == 409
    judge(ann, 0)
    asked = ann.post("/api/next").json()
    assert (asked["assignment"]["doc"], asked["training"]) == ("d3", False)
    said = ann.post("/api/judgments", json={**gold, "grade": 0}).json()
    assert (said["feedback"], said["me"]["judged"]) == (None, 2)
    listed = ann.get("/api/mine").json()
    assert listed["total"] == 2
    assert listed["judgments"][0]["doc"] == "d3"
    assert ann.get("/api/mine/document", params=gold).json()["doc"] == "d3"
    made = ann.post("/api/mine/revise", json={**gold, "grade": 1}).json()
    assert (made["doc"], made["grade"]) == ("d3", 1)
    back = ann.post("/api/undo").json()
    assert (back["assignment"]["doc"], back["me"]["judged"]) == ("d3", 1)
    assert boss.get("/api/gold").json()[0]["answered"] == 0


def test_a_judgment_that_is_revised_and_undone_at_once_is_no_error(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = signed_in(site, "ann")
    done = judge(ann, 1)
    room = site.judging.room
    revised = type(room).revise
    others: list[threading.Thread] = []

    def revise_while_another_undoes(*arguments: Any) -> None:
        revised(*arguments)
        other = threading.Thread(target=lambda: room.undo(Assessor("ann")))
        others.append(other)
        other.start()
        other.join(0.5)

    monkeypatch.setattr(type(room), "revise", revise_while_another_undoes)
    answer = ann.post("/api/mine/revise", json={**done, "grade": 0, "note": ""})
    others[0].join()
    assert answer.status_code == 200, answer.text
    assert answer.json()["grade"] == 0
    assert room.state.session.grades == {}
