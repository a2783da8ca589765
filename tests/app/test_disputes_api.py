"""Every disagreement can be reached, decided, and undone."""

import httpx

from leadline.app import organiser_api as disputes_api
from leadline.app.site import Site
from tests.app.visitors import brought_in, signed_in


def disagreeing(site: Site) -> httpx.Client:
    boss = signed_in(site, "boss", "organiser")
    boss.post("/api/settings", json={"changes": {"assessors_per_document": 2}})
    for who, grade in (("ann", 0), ("ben", 3)):
        text = "".join(f"1 0 d{number} {grade}\n" for number in (1, 2, 3, 4))
        brought_in(boss, {"format": "qrels", "who": who, "text": text})
    return boss


def test_every_dispute_is_reached_decided_and_undone(site: Site) -> None:
    boss = disagreeing(site)
    disputes_api.AT_A_TIME = 3
    try:
        first, rest = (boss.get("/api/disputes", params={"at": at}).json() for at in (0, 3))
    finally:
        disputes_api.AT_A_TIME = 50
    assert (first["total"], len(first["disputes"]), len(rest["disputes"])) == (4, 3, 1)
    one = first["disputes"][0]
    assert [(vote["who"], vote["grade"]) for vote in one["votes"]] == [("ann", 0), ("ben", 3)]
    pair = {"topic": one["topic"], "doc": one["doc"]}
    boss.post("/api/adjudications", json={**pair, "grade": 2})
    assert boss.get("/api/disputes").json()["total"] == 3
    decided = boss.get("/api/disputes", params={"decided": True}).json()
    assert [(each["doc"], each["decided"]) for each in decided["disputes"]] == [(one["doc"], 2)]
    undone = boss.post("/api/adjudications/undo", json=pair)
    assert undone.json()["disputed"] == 4
    assert boss.post("/api/adjudications/undo", json=pair).status_code == 404
