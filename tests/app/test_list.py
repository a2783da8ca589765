"""The list view: all documents of a topic, judged in any order, gold questions among them."""

from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from tests.app.test_campaign_steps import task
from tests.app.visitors import signed_in, turn, with_quick_hashes


def site_of(folder: Path, **settings: object) -> Site:
    site = make_site(open_project(task(folder, **settings)), Options(accounts=True))
    with_quick_hashes(site.accounts)
    return site


@pytest.fixture
def task_site(tmp_path: Path) -> Site:
    return site_of(tmp_path / "task")


def test_a_list_has_all_pairs_of_a_topic_and_nobody_else_gets_them(task_site: Site) -> None:
    ann, ben = signed_in(task_site, "ann"), signed_in(task_site, "ben")
    topics = ann.get("/api/list/topics").json()
    assert [(each["topic"], each["pairs"], each["mine"]) for each in topics][:2] == [
        ("t0", 2, 0),
        ("t1", 3, 0),
    ]
    found = ann.post("/api/list", params={"topic": "t1"}).json()
    assert [(row["doc"], row["judged"]) for row in found["rows"]] == [
        ("d0", False),
        ("d1", False),
        ("d2", False),
    ]
    assert ben.post("/api/list", params={"topic": "t1"}).json()["rows"] == []
    assert turn(ben)["topic"] != "t1"
    body = {"topic": "t1", "doc": "d2", "grade": 3, "seconds": 1.5}
    assert ann.post("/api/list/judgments", json=body).json()["grade"] == 3
    assert ben.post("/api/list/judgments", json=body).status_code == 409
    # Another grade, and "cannot tell", replace it.
    for grade in (1, None):
        kept = ann.post("/api/list/judgments", json={**body, "grade": grade})
        assert (kept.status_code, kept.json()["grade"]) == (200, grade)
    again = ann.post("/api/list", params={"topic": "t1"}).json()["rows"]
    assert [(row["doc"], row["judged"], row["grade"]) for row in again][2] == ("d2", True, None)
    text = ann.get("/api/list/document", params={"topic": "t1", "doc": "d1"})
    assert text.json()["doc"] == "d1"
    assert ben.get("/api/list/document", params={"topic": "t1", "doc": "d1"}).status_code == 403


def test_topics_of_others_are_not_listed(task_site: Site) -> None:
    boss, ann, ben = (
        signed_in(task_site, "boss", "organiser"),
        signed_in(task_site, "ann"),
        signed_in(task_site, "ben"),
    )
    boss.post("/api/topics/assign", json={"topics": ["t3"], "people": ["ben"]})
    assert "t3" not in [each["topic"] for each in ann.get("/api/list/topics").json()]
    refused = ann.post("/api/list", params={"topic": "t3"})
    assert (refused.status_code, refused.json()["code"]) == (409, "not yours")
    assert ben.get("/api/list/topics").json()[0]["topic"] == "t3"
    assert ann.post("/api/list", params={"topic": "nowhere"}).status_code == 404


def test_gold_questions_look_like_any_other_document(tmp_path: Path) -> None:
    site = site_of(tmp_path / "task", gold_feedback=False)
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    boss.post("/api/gold/several", json={"text": "t2 d1 2\nt2 d3 1"})
    rows = ann.post("/api/list", params={"topic": "t2"}).json()["rows"]
    assert [row["doc"] for row in rows] == ["d0", "d1", "d2", "d3"]
    assert len({tuple(sorted(row)) for row in rows}) == 1
    for row in rows:
        body = {"topic": "t2", "doc": row["doc"], "grade": 1}
        answer = ann.post("/api/list/judgments", json=body)
        assert (answer.status_code, answer.json()["feedback"]) == (200, None)
        changed = ann.post("/api/list/judgments", json={**body, "grade": 0})
        assert changed.status_code == 200
    quality = {each["who"]: each for each in boss.get("/api/quality").json()}["ann"]
    assert (quality["gold"], quality["right"]) == (2, 0)
    again = ann.post("/api/list", params={"topic": "t2"}).json()["rows"]
    assert [(row["doc"], row["judged"]) for row in again] == [(f"d{n}", True) for n in range(4)]


def test_a_told_gold_question_says_what_is_right_and_stays(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    boss.post("/api/gold/several", json={"text": "t2 d1 2 It says so"})
    ann.post("/api/list", params={"topic": "t2"})
    body = {"topic": "t2", "doc": "d1", "grade": 0}
    feedback = ann.post("/api/list/judgments", json=body).json()["feedback"]
    assert (feedback["grade"], feedback["why"]) == (2, "It says so")
    assert ann.post("/api/list/judgments", json={**body, "grade": 2}).status_code == 409


def test_training_comes_first(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    boss.post("/api/gold/several", json={"text": "t2 d1 2", "training": True})
    refused = ann.post("/api/list", params={"topic": "t0"})
    assert (refused.status_code, refused.json()["code"]) == (409, "training")
    document = turn(ann)
    pair = {"topic": document["topic"], "doc": document["doc"]}
    ann.post("/api/judgments", json={**pair, "grade": 2})
    assert ann.post("/api/list", params={"topic": "t0"}).status_code == 200


def test_an_order_without_a_pool_lends_what_weighs_most(tmp_path: Path) -> None:
    folder = task(tmp_path / "task")
    text = (folder / "judge.toml").read_text().replace('pool = "pool.csv"', 'pool = ""')
    (folder / "judge.toml").write_text(text)
    site = make_site(open_project(folder), Options(accounts=True))
    ann = signed_in(site, "ann")
    rows = ann.post("/api/list", params={"topic": "t0"}).json()["rows"]
    assert 0 < len(rows) <= 10


def test_when_judging_has_ended_nothing_is_lent(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    boss.post("/api/end", json={"ended": True})
    found = ann.post("/api/list", params={"topic": "t0"}).json()
    assert (found["rows"], found["reason"]) == ([], "Judging was ended by boss.")


def test_nobody_finds_gold_questions_by_judging_what_was_not_listed(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    site = site_of(folder, gold_feedback=False)
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    boss.post("/api/gold/several", json={"text": "t2 d1 2\nt3 d1 2"})
    task_of_others = {"topics": ["t3"], "people": ["boss"]}
    assert boss.post("/api/topics/assign", json=task_of_others).status_code == 200

    def answers(topic: str) -> set[tuple[int, str]]:
        made = [
            ann.post("/api/list/judgments", json={"topic": topic, "doc": doc, "grade": 1})
            for doc in ("d0", "d1", "d2")
        ]
        return {(each.status_code, each.json().get("code", "")) for each in made}

    # Without a list that was opened, all are taken; of other people's topics all are refused.
    assert answers("t2") == {(200, "")}
    assert answers("t3") == {(409, "not yours")}


def test_a_list_goes_on_after_a_restart(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    site = site_of(folder, gold_feedback=False)
    boss, ann = signed_in(site, "boss", "organiser"), signed_in(site, "ann")
    boss.post("/api/gold/several", json={"text": "t2 d1 2"})
    rows = ann.post("/api/list", params={"topic": "t2"}).json()["rows"]
    site.judging.close()
    again = make_site(open_project(folder), Options(accounts=True))
    ann = signed_in(again, "ann")
    for row in rows:
        body = {"topic": "t2", "doc": row["doc"], "grade": 1}
        shown = ann.get("/api/list/document", params={"topic": "t2", "doc": row["doc"]})
        assert shown.status_code == 200, row
        assert ann.post("/api/list/judgments", json=body).status_code == 200, row
    again.judging.close()
