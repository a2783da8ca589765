"""Machines: many documents at a time, what nobody judged too, and never counted as people."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from leadline.app.site import Site
from tests.app.visitors import judge, signed_in, visitor


@pytest.fixture
def llm(site: Site) -> httpx.Client:
    machine = site.accounts.add("llm", "assessor", "machine")
    headers = {"Authorization": f"Bearer {site.accounts.token(machine)}"}
    return visitor(site, headers=headers)


def lease(client: httpx.Client, n: int) -> dict[str, Any]:
    found: dict[str, Any] = client.post("/api/machine/lease", json={"n": n}).json()
    return found


def labels(documents: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    names = ("topic", "doc")
    return {"judgments": [{**{name: each[name] for name in names}, **more} for each in documents]}


def test_what_people_judged_comes_first_and_then_all_the_rest(
    site: Site, llm: httpx.Client
) -> None:
    boss = signed_in(site, "boss", "organiser")
    pair = judge(signed_in(site, "ann"), 1)
    given = lease(llm, 100)["assignments"]
    assert given[0]["doc"] == pair["doc"]
    assert sorted(each["doc"] for each in given) == ["d1", "d2", "d3", "d4"]
    assert [each["doc"] for each in lease(llm, 2)["assignments"]] == [
        each["doc"] for each in given[:2]
    ]
    before = boss.get("/api/standing").json()
    source = {"grade": 2, "model": "m-7", "prompt": "v3", "confidence": 0.25}
    body = labels(given[::-1], **source)
    with ThreadPoolExecutor(2) as pool:
        sent = list(
            pool.map(lambda _: llm.post("/api/machine/judgments", json=body).json(), range(2))
        )
    assert all(each["code"] == "" for answer in sent for each in answer["judgments"])
    lines = boss.get("/api/export?format=ledger").text.splitlines()
    mine = [entry for entry in map(json.loads, lines) if entry["who"] == "llm"]
    assert len(mine) == 4
    assert {(each["model"], each["prompt"], each["confidence"]) for each in mine} == {
        ("m-7", "v3", 0.25)
    }
    after = boss.get("/api/standing").json()
    assert after["machine_judgments"] == 4
    # Nothing of it counts as a person's.
    for name in ("judged", "runs", "disputed", "to_go"):
        assert after[name] == before[name]
    assert boss.get("/api/export").text == f"1 0 {pair['doc']} 1\n"
    over = lease(llm, 5)
    assert (over["assignments"], over["over"]) == ([], True)


def test_machines_go_on_where_people_stop_but_not_after_the_end(
    site: Site, llm: httpx.Client
) -> None:
    ann = signed_in(site, "ann")
    while ann.post("/api/next").json()["assignment"]:
        judge(ann, 0)
    assert len(lease(llm, 2)["assignments"]) == 2
    signed_in(site, "boss", "organiser").post("/api/end", json={"ended": True})
    assert lease(llm, 2)["assignments"] == []


def test_each_judgment_is_taken_or_refused_by_itself(llm: httpx.Client) -> None:
    given = lease(llm, 2)["assignments"]
    wrong = [{"topic": "1", "doc": "nowhere", "grade": 1}, {**_pair(given[0]), "grade": 999}]
    body = {"judgments": [*wrong, {**_pair(given[1]), "grade": 1}]}
    codes = [each["code"] for each in _sent(llm, body)]
    assert codes == ["unknown", "grade", ""]
    assert llm.post("/api/machine/judgments", json={"judgments": []}).status_code == 422
    sure = {"judgments": [{**_pair(given[0]), "grade": 1, "confidence": 1.5}]}
    assert llm.post("/api/machine/judgments", json=sure).status_code == 422


def test_people_judge_one_at_a_time(site: Site) -> None:
    ann = signed_in(site, "ann")
    assert ann.post("/api/machine/lease", json={"n": 2}).status_code == 403
    body = labels([{"topic": "1", "doc": "d1"}], grade=1)
    assert ann.post("/api/machine/judgments", json=body).status_code == 403


def _pair(document: dict[str, Any]) -> dict[str, str]:
    return {"topic": document["topic"], "doc": document["doc"]}


def _sent(client: httpx.Client, body: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.post("/api/machine/judgments", json=body).json()[
        "judgments"
    ]
    return found
