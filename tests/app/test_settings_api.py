"""Settings changed while the server runs: at once, in the file too, and all or none."""

from leadline.app.opening import EDITABLE
from leadline.app.site import Site
from leadline.judging.project import read_project
from tests.app.visitors import judge, signed_in, turn


def test_settings_hold_at_once_and_after_a_restart(site: Site) -> None:
    boss, ann, ben = (
        signed_in(site, "boss", "organiser"),
        signed_in(site, "ann"),
        signed_in(site, "ben"),
    )
    listed = {each["name"]: each for each in boss.get("/api/settings").json()}
    assert list(listed) == list(EDITABLE)
    assert listed["merge"]["choices"] == ["majority", "latest", "adjudicated"]
    pair = judge(ann, 1)
    changes = {"assessors_per_document": 2, "title": "Two of us", "blind": False}
    made = boss.post("/api/settings", json={"changes": changes})
    assert made.status_code == 200, made.text
    assert turn(ben)["doc"] == pair["doc"]
    assert turn(ben)["returned_by"] >= 1
    assert ann.get("/api/project").json()["title"] == "Two of us"
    kept = read_project(site.judging.folder)
    assert (kept.assessors_per_document, kept.title, kept.blind) == (2, "Two of us", False)


def test_what_cannot_be_changes_nothing(site: Site) -> None:
    boss = signed_in(site, "boss", "organiser")
    before = (site.judging.folder / "judge.toml").read_text()
    for wrong, told in (
        ({"title": "x", "merge": "coin"}, "merge must be one of"),
        ({"runs": "elsewhere"}, "runs cannot be changed here"),
        ({"order": "Nonsense"}, "Nonsense"),
        ({"assessors_per_document": "two"}, "whole number"),
        ({"stop": "WinnerLikely"}, ""),
        ({"least_gold": 7.0}, "from 0 to 1"),
    ):
        answer = boss.post("/api/settings", json={"changes": wrong})
        assert answer.status_code == 422, wrong
        assert told in answer.json()["error"]
    assert (site.judging.folder / "judge.toml").read_text() == before
    assert site.judging.project.title == "Small & open"
    assert turn(signed_in(site, "ann"))
