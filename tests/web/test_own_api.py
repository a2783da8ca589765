"""One's own judgments: listed, searched, read again and changed; nobody else's."""

from leadline.judging.room.room import Assessor
from leadline.web.site import Site
from tests.web.visitors import judge, signed_in, turn, visitor


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
    assert visitor(site).get("/mine").status_code == 403
