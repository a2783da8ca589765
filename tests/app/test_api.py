"""The API as programs use it: rights, assignments, machines, exchange, the end."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from leadline.judging.project import NAME
from tests.app.fort import accept
from tests.app.server import Client, Server, serving
from tests.app.visitors import brought_in


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from leadline.app.opening import demo_project

    folder = demo_project(tmp_path_factory.mktemp("api") / "sea")
    settings = (folder / NAME).read_text()
    (folder / NAME).write_text(settings.replace("per_document = 1", "per_document = 2"))
    with serving(folder) as found:
        yield found


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.address) as found:
        yield found.come_in(server)


def judge_one(client: httpx.Client, grade: int | None, turn: dict[str, object]) -> httpx.Response:
    document = turn["assignment"]
    assert isinstance(document, dict)
    body = {"topic": document["topic"], "doc": document["doc"], "grade": grade}
    return client.post("/api/judgments", json=body)


def as_(client: Client, name: str) -> Client:
    """The same browser under another name."""
    client.post("/as", data={"csrf": client.csrf, "name": name})
    client.csrf = client.get("/api/me").json()["csrf"]
    return client


def test_two_people_and_a_machine(client: Client, server: Server) -> None:
    as_(client, "ann")
    machine = client.post("/api/people", json={"name": "llm-1", "kind": "machine"}).json()
    assert machine["link"] is None
    with (
        Client(server.address) as second,
        httpx.Client(
            base_url=server.address, headers={"Authorization": f"Bearer {machine['token']}"}
        ) as llm,
    ):
        bob = as_(second.come_in(server), "bob")
        assert llm.get("/api/me").json()["kind"] == "machine"
        one, two = client.post("/api/next").json(), bob.post("/api/next").json()
        assert one["assignment"]["doc"] == two["assignment"]["doc"]
        assert one["assignment"]["returned_by"] is None, "blind"
        assert one["assignment"]["spans"]
        first = judge_one(client, 2, one)
        assert first.json()["me"]["judged"] == 1
        assert judge_one(client, 2, one).status_code == 200, "sent again"
        assert client.get("/api/export").text == "", "the room waits for two"
        assert judge_one(client, 0, one).json()["code"] == "judged"
        judge_one(bob, 0, two)
        seen = llm.post("/api/next").json()
        assert seen["assignment"]["doc"] == one["assignment"]["doc"]
        judge_one(llm, 2, seen)
        standing = client.get("/api/standing").json()
        assert standing["judged"] == 1
        assert standing["machine_judgments"] == 1
        assert standing["disputed"] == 1
        names = {
            (each["first"], each["second"], each["machine"])
            for each in client.get("/api/standing").json()["agreement"]["pairs"]
        }
        assert names <= {("ann", "bob", False), ("ann", "llm-1", True), ("bob", "llm-1", True)}
        pair = {key: one["assignment"][key] for key in ("topic", "doc")}
        decided = client.post("/api/adjudications", json={**pair, "grade": 3})
        assert decided.json()["disputed"] == 0
        assert client.get("/api/export").text == f"{pair['topic']} 0 {pair['doc']} 3\n"
        table = client.get("/api/export?format=csv").text
        assert ",llm-1," in table
        assert ",machine" in table
        tasks = json.loads(client.get("/api/export?format=labelstudio").text)
        assert tasks[0]["predictions"][0]["model_version"] == "llm-1"
        assert len(client.get("/api/export?format=ledger").text.splitlines()) == 4


def test_skip_cannot_tell_and_undo(client: Client) -> None:
    as_(client, "dan")
    first = client.post("/api/next").json()["assignment"]
    pair = {"topic": first["topic"], "doc": first["doc"]}
    second = client.post("/api/skips", json=pair).json()
    assert second["assignment"]["doc"] != first["doc"]
    third = judge_one(client, None, second).json()
    assert third["me"]["cannot_tell"] == 1
    back = client.post("/api/undo").json()
    assert back["assignment"] == second["assignment"]
    assert back["me"]["cannot_tell"] == 0
    assert client.post("/api/undo").json()["assignment"]["doc"] == first["doc"]
    assert client.post("/api/undo").json()["assignment"]["doc"] == first["doc"], "nothing is left"


def test_imported_judgments_count_and_are_not_added_twice(client: Client) -> None:
    body = {"format": "qrels", "who": "old hand", "text": "1 0 sea-124 2\n1 0 nowhere 1\n"}
    assert brought_in(client, body).json() == {"added": 2, "elsewhere": 1, "number": 1}
    assert brought_in(client, body).json() == {"added": 0, "elsewhere": 0, "number": 0}
    wrong = brought_in(client, {**body, "text": "1 0 x\n"})
    assert wrong.status_code == 422
    assert "expected 4 fields, found 3" in wrong.json()["error"]
    names = [each["who"] for each in client.get("/api/standing").json()["assessors"]]
    assert "old hand" in names


def test_the_end_and_a_new_beginning(client: Client) -> None:
    owner = client.get("/api/me").json()["name"]
    turn = client.post("/api/next").json()
    assert client.post("/api/end", json={"ended": True}).json()["ended"] == owner
    over = client.post("/api/next").json()
    assert over["assignment"] is None
    assert over["over"]
    assert judge_one(client, 1, turn).json()["code"] == "ended"
    client.post("/api/end", json={"ended": False})
    assert judge_one(client, 1, turn).status_code == 200


def test_events_come_when_something_changes(client: Client, server: Server) -> None:
    with Client(server.address) as other:
        as_(other.come_in(server), "fay")
        turn = other.post("/api/next").json()
        with client.stream("GET", "/api/events") as stream:
            assert stream.headers["x-accel-buffering"] == "no", "proxies hold other answers back"
            lines = stream.iter_lines()
            seen = []
            for line in lines:
                if line.startswith("data:"):
                    seen.append(json.loads(line[5:])["version"])
                    if len(seen) == 1:
                        judge_one(other, 1, turn)
                    else:
                        break
    assert seen[1] > seen[0]


def test_a_chosen_name_keeps_no_rights_of_an_organiser(project: Path) -> None:
    """The owner's link brings them, not the name: with sign-in the name is an assessor's."""
    with serving(project) as server, Client(server.address) as client:
        assert as_(client.come_in(server), "gus").get("/api/people").status_code == 200
        token = client.post("/api/tokens").json()["token"]
    with serving(project, "--accounts") as server, httpx.Client(base_url=server.address) as client:
        headers = {"Authorization": f"Bearer {token}"}
        assert client.get("/api/me", headers=headers).status_code == 401
        boss = accept(server.address, server.link(), "a long password")
        roles = {each["name"]: each["role"] for each in boss.get("/api/people").json()}
        assert roles["gus"] == "assessor"
        boss.close()


def test_the_description_names_every_path(client: Client) -> None:
    described = client.get("/api/openapi.json").json()
    assert {"/api/next", "/api/judgments", "/api/standing"} <= set(described["paths"])
    assert described["openapi"].startswith("3.")


@pytest.mark.slow
def test_a_restarted_server_goes_on_where_it_was(project: Path) -> None:
    with serving(project) as server, Client(server.address) as client:
        client.come_in(server)
        turn = judge_one(client, 1, client.post("/api/next").json()).json()
        port = int(server.address.rsplit(":", 1)[1])
        cookies = dict(client.cookies)
        server.kill()
        from tests.app.server import start

        again = start(project, port=port)
        try:
            with Client(again.address, cookies=cookies) as same:
                same.csrf = client.csrf
                after = same.post("/api/next").json()
                assert after["assignment"] == turn["assignment"]
                assert after["me"]["judged"] == 1
        finally:
            again.stop()
