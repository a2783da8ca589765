"""Groups of runs: each sees its own, and nothing of others before the leaderboard is published."""

from pathlib import Path

import pytest

import leadline
from leadline.app.leaderboard import PAGE, QRELS, write_page
from leadline.app.opening import open_project
from leadline.app.serve import Options, make_site
from leadline.app.site import Site
from leadline.io.write import write_whole
from tests.app.test_campaign_steps import task
from tests.app.visitors import judge, signed_in, with_quick_hashes


@pytest.fixture
def task_site(tmp_path: Path) -> Site:
    site = make_site(open_project(task(tmp_path / "task")), Options(accounts=True))
    with_quick_hashes(site.accounts)
    return site


def test_a_group_sees_its_runs_with_bounds_and_nothing_of_others(task_site: Site) -> None:
    ann, group = signed_in(task_site, "ann"), signed_in(task_site, "B", "group")
    for grade in (1, 0, 2, 0, 1, 1):
        judge(ann, grade)
    answer = group.get("/api/group")
    found = answer.json()
    runs = sorted((run["run"], run["pooled"]) for run in found["runs"])
    assert runs == [("beta", True), ("late", False)]
    assert "alpha" not in answer.text
    assert (found["published"], found["leaderboard"], found["page"]) == (False, [], False)
    now = {row["run"]: row for row in task_site.snapshots.now()["runs"]}
    for run in found["runs"]:
        assert (run["lower"], run["upper"]) == (now[run["run"]]["lower"], now[run["run"]]["upper"])
        assert run["lower"] <= run["upper"]
        # Each run returns all ten documents of each topic; the pool holds 27 of them.
        assert (run["topics"], run["documents"], run["to_judge"], run["judged"]) == (6, 60, 27, 6)
    assert sum(topic["judged"] for topic in found["topics"]) == 6
    # Another group's name is nothing to it.
    assert group.get("/api/group", params={"group": "A"}).json()["group"] == "B"


def test_a_group_does_nothing_else(task_site: Site) -> None:
    group, ann = signed_in(task_site, "A", "group"), signed_in(task_site, "ann")
    for path in ("/api/standing", "/api/topics", "/api/project", "/api/list/topics", "/api/mine"):
        assert group.get(path).status_code == 403, path
    for path in ("/api/next", "/api/undo", "/api/tokens", "/api/leaderboard"):
        assert group.post(path).status_code == 403, path
    assert group.get("/leaderboard").status_code == 403
    assert group.get("/api/export").status_code == 403
    for path in ("/", "/mine", "/organise", "/list"):
        answer = group.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/group")
    assert "Your runs" in group.get("/group").text
    # Assessors see no scores.
    assert ann.get("/api/group", params={"group": "A"}).status_code == 403
    assert ann.get("/leaderboard").status_code == 403


def test_organisers_look_at_any_group(task_site: Site) -> None:
    boss = signed_in(task_site, "boss", "organiser")
    assert boss.get("/api/group", params={"group": "A"}).json()["runs"][0]["run"] == "alpha"
    assert boss.get("/api/group").status_code == 404
    assert boss.get("/api/group", params={"group": "C"}).status_code == 404


def test_after_publication_groups_see_all_runs(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    group = signed_in(task_site, "A", "group")
    assert boss.post("/api/leaderboard").status_code == 404
    for grade in (1, 0, 2, 0, 1, 1):
        judge(ann, grade)
    left = boss.get("/api/leaderboard").json()
    assert (left["stage"], left["to_judge"], left["disputed"], left["ended"]) == (
        "none",
        21,
        0,
        False,
    )
    boss.post("/api/settings", json={"changes": {"published": True}})
    found = group.get("/api/group").json()
    assert [(run["run"], run["group"], run["pooled"]) for run in found["leaderboard"]] == sorted(
        [("alpha", "A", True), ("beta", "B", True), ("late", "B", False)],
        key=lambda run: [each["run"] for each in found["leaderboard"]].index(run[0]),
    )
    assert found["page"] is False
    assert group.get("/leaderboard").status_code == 404
    boss.post("/api/settings", json={"changes": {"published": False}})
    assert group.get("/api/group").json()["leaderboard"] == []


def test_the_page_is_made_from_the_final_judgments(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    for grade in (1, 0, 2, 0, 1, 1):
        judge(ann, grade)
    folder = task_site.judging.folder
    write_whole(folder / QRELS, boss.get("/api/export", params={"format": "qrels"}).text)
    write_page(folder, task_site.judging.project)
    page = (folder / PAGE).read_text()
    assert "unpooled" in page
    runs = [str(folder / "runs" / f"{name}.txt") for name in ("alpha", "beta", "late")]
    scores = leadline.evaluate(str(folder / QRELS), runs, ["P@10"])
    for value in scores.select("value").to_series():
        assert f"{value:.4f}" in page
    # Groups see it once it is published, apart from our pages.
    group = signed_in(task_site, "A", "group")
    boss.post("/api/settings", json={"changes": {"published": True}})
    shown = group.get("/leaderboard")
    assert shown.status_code == 200
    assert shown.headers.get_list("content-security-policy") == [
        "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
    ]


def test_making_the_page_does_not_hold_up_the_server(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    judge(ann, 1)
    begun = boss.post("/api/leaderboard").json()
    assert begun["stage"] == "being made"
    assert judge(ann, 0)
    task_site.leaderboard.wait(60)
    made = boss.get("/api/leaderboard").json()
    assert (made["stage"], made["trouble"]) == ("ready", "")
    qrels = boss.get("/api/leaderboard/qrels").text
    assert len(qrels.splitlines()) == 1
    assert "<title>" in boss.get("/leaderboard").text


def test_why_a_page_cannot_be_made_is_told(task_site: Site) -> None:
    boss, ann = signed_in(task_site, "boss", "organiser"), signed_in(task_site, "ann")
    judge(ann, 1)
    for file in (task_site.judging.folder / "runs").iterdir():
        file.unlink()
    boss.post("/api/leaderboard")
    task_site.leaderboard.wait(60)
    made = boss.get("/api/leaderboard").json()
    assert made["stage"] == "failed"
    assert made["trouble"]
