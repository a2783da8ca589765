"""A model as an assessor of a judging room: a real room, a real endpoint, real sockets."""

import json
from pathlib import Path

import pytest

import leadline
from leadline.api.label import Labelled
from leadline.judging.project import SCALES, Project, write_project
from leadline.labels.app_client import TOKEN, AppClient
from tests.app.server import Client, serving, tokens
from tests.labels.chat_server import KEY, chatting, collection, truth


def room_of(folder: Path, n_docs: int) -> tuple[Path, list[tuple[str, str]]]:
    made, pairs = collection(folder, 1, n_docs)
    (made / "runs").mkdir()
    lines = [f"{t} Q0 {d} {at + 1} {n_docs - at} a" for at, (t, d) in enumerate(pairs)]
    (made / "runs" / "a.txt").write_text("\n".join(lines) + "\n")
    write_project(made, Project(grades=SCALES["graded"], order="MoffatA(p=0.8)", stop=""))
    return made, pairs


def test_what_is_lent_is_labelled_and_marked_as_a_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, pairs = room_of(tmp_path / "c", 8)
    token = tokens(folder, ["llm"], kind="machine")["llm"]
    monkeypatch.setenv(TOKEN, token)
    monkeypatch.setenv("LEADLINE_API_KEY", KEY)
    moods = {"d2": ["malformed"] * 99, "d4": ["refusal"]}
    with serving(folder) as server, chatting(moods=moods) as chat:

        def label() -> Labelled:
            return leadline.label(
                folder,
                model="m",
                endpoint=chat.address,
                cache=folder / "answers.jsonl",
                app=server.address,
                backoff=0.001,
            )

        made = label()
        asked = dict(chat.asks)
        chat.forget()
        again = label()
        # What has no label is lent again; its answers are known.
        assert not chat.asks
        boss = Client(server.address).come_in(server)
        ledger = boss.get("/api/export?format=ledger").text.splitlines()
        people = boss.get("/api/export").text
        boss.close()
    given = {pair: truth(pair) for pair in pairs if pair[1] not in moods}
    assert made.grades == given
    assert set(asked) == set(pairs)
    assert {doc for _, doc in zip(made.frame["topic"], made.frame["doc"], strict=True)} == {
        doc for _, doc in pairs
    }
    entries = [entry for entry in map(json.loads, ledger) if entry.get("who") == "llm"]
    assert {(each["topic"], each["doc"]): each["grade"] for each in entries} == given
    assert {each["model"] for each in entries} == {"m"}
    assert people == "", "a machine's judgments are nobody's"
    assert set(again.frame["doc"]) == set(moods)
    for path in folder.rglob("*.jsonl"):
        assert token not in path.read_text(encoding="utf-8")
        assert KEY not in path.read_text(encoding="utf-8")


def test_who_has_no_token_is_told_where_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(ValueError, match="organiser invites a machine"):
        AppClient("http://127.0.0.1:8000")
    monkeypatch.setenv(TOKEN, "t")
    for address in ("127.0.0.1:8000", "http://me:secret@127.0.0.1", "ftp://room"):
        with pytest.raises(ValueError, match="`app` must be an address"):
            AppClient(address)
    assert AppClient("http://room.example").unencrypted
    assert not AppClient("http://127.0.0.1:8000").unencrypted


def test_a_person_is_no_machine_and_a_busy_room_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import httpx2

    monkeypatch.setenv(TOKEN, "t")
    answers = [
        httpx2.Response(429, json={"error": "too fast"}, headers={"Retry-After": "0"}),
        httpx2.Response(200, json={"assignments": [{"topic": "1", "doc": "d"}]}),
        httpx2.Response(403, json={"error": "only machines judge many documents at a time"}),
    ]
    with AppClient("http://127.0.0.1:9") as client:
        client._http = httpx2.Client(
            base_url="http://room", transport=httpx2.MockTransport(lambda _: answers.pop(0))
        )
        assert client.lent(5) == [("1", "d")]
        with pytest.raises(ValueError, match=f"only machines.*{TOKEN}"):
            client.lent(5)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({}, "name the pairs"),
        ({"pool": {"topic": ["1"], "doc": ["d"]}, "app": "http://x"}, "give either"),
        ({"app": "http://x", "dry_run": True}, "a dry run needs"),
        ({"app": "http://x", "topics": ["1"]}, "all that it lends"),
        ({"app": "http://x", "model": "bm25"}, "grade a whole `pool`"),
    ],
)
def test_what_cannot_be_done_in_a_room(how: dict[str, object], told: str, tmp_path: Path) -> None:
    given = {"model": "m", "cache": None, "endpoint": "http://localhost:1/v1"} | how
    if given["model"] == "bm25":
        del given["endpoint"]
    with pytest.raises(ValueError, match=told):
        leadline.label(tmp_path, **given)  # type: ignore[arg-type]
