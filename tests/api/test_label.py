"""label in Python: a row for every pair, whatever the endpoint does, and nothing paid twice."""

import asyncio
import gzip
import logging
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.api.label import Labelled
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.labels.asking import Asking
from tests.labels.chat_server import KEY, Chat, chatting, collection, truth

MOODS = {
    "d1": ["429", "500", "cut", "slow", "closed", "wrong JSON", "html", "429 plain"],
    "d2": ["no choices", "odd choice", "a list", "odd content"],
    "d3": ["malformed"] * 99,
    "d4": ["refusal", "none", "filter", "400 filter"],
    "d5": ["echo"],
    "d6": ["500"] * 99,
    "d7": ["sure", "bare"],
}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEADLINE_API_KEY", KEY)


def label(folder: Path, chat: Chat, **how: Any) -> Labelled:
    usual = {"cache": folder / "answers.jsonl", "backoff": 0.001, "timeout": 1.0, "tries": 9}
    return leadline.label(
        folder, folder / "pool.csv", model="m", endpoint=chat.address, **usual | how
    )


def test_every_pair_is_labelled_or_listed_whatever_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder, pairs = collection(tmp_path / "c", 2, 12)
    with (
        caplog.at_level(logging.DEBUG),
        chatting(moods={k: [*v] for k, v in MOODS.items()}) as chat,
    ):
        made = label(folder, chat, price_in=1.0)
        answered = set(chat.asks)
        chat.forget()
        again = label(folder, chat)
        repeated = Counter(chat.asks)
    frame = made.frame
    assert list(zip(frame["topic"], frame["doc"], strict=True)) == pairs
    assert answered == set(pairs)
    by_doc = dict(frame.group_by("doc").agg("state").iter_rows())
    wanted = {"d3": {"malformed"}, "d4": {"refused"}, "d6": {"failed"}}
    for doc, states in by_doc.items():
        assert set(states) == wanted.get(doc, {"labelled"}), doc
    assert made.grades == {p: truth(p) for p in pairs if p[1] not in wanted}
    listed = "\n".join(problem.message for problem in made.notices.problems)
    for topic, doc in pairs:
        assert (f"topic {topic}, doc {doc}: " in listed) == (doc in wanted)
    # Again: only what failed is asked for, and the labels are as they were.
    assert {doc for _, doc in repeated} == {"d6"}
    assert again.frame.equals(frame)
    assert again.cost.asks == 0
    assert made.cost.price == pytest.approx(made.cost.tokens_in / 1e6)
    for path in folder.rglob("*"):
        assert path.is_dir() or KEY not in path.read_text(encoding="utf-8"), path
    assert KEY not in caplog.text
    assert KEY not in repr(made)


def test_labels_are_read_as_judgments(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    with chatting(moods={"d2": ["none"] * 2}) as chat:
        made = label(folder, chat)
    made.write(tmp_path / "labels.csv")
    run = {topic: {doc: 1.0 for t, doc in pairs if t == topic} for topic, _ in pairs}
    for what in (tmp_path / "labels.csv", made):
        scored = leadline.evaluate(what, {"a": run}, "P@6")
        assert "2 pairs have no label" in "\n".join(scored.notices.lines())
        score = scored.frame.filter(topic="all")["value"].item()
        both = [sum(g > 0 for p, g in made.grades.items() if p[0] == t) / 6 for t in ("t1", "t2")]
        assert score == pytest.approx(sum(both) / 2)


def test_samples_are_asked_apart(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c", 1, 2)
    with chatting(moods={"d1": ["malformed", "off scale", "none"]}) as chat:
        made = label(folder, chat, samples=3, temperature=0.7, concurrency=1)
        assert chat.asks["t1", "d2"] == 3
    assert made.frame["samples"].to_list() == [2, 3]
    assert made.frame["confidence"].to_list() == [1.0, 1.0]
    assert not any("alike" in problem.code for problem in made.notices.problems)
    with chatting() as chat:
        one = label(folder, chat, samples=2)
    assert "nearly alike" in "\n".join(one.notices.lines())


def test_a_dry_run_asks_nothing_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, pairs = collection(tmp_path / "c")
    before = sorted(folder.iterdir())
    with chatting() as chat:
        made = label(folder, chat, dry_run=True, price_in=1.0, price_out=2.0)
        assert not chat.bodies
    assert sorted(folder.iterdir()) == before
    row = made.forecast.row(0, named=True)
    assert (row["pairs"], row["answered"], row["asks"]) == (len(pairs), 0, len(pairs))
    assert row["price"] == pytest.approx((row["tokens_in"] + 2 * row["tokens_out"]) / 1e6)
    assert set(made.frame["state"]) == {"unasked"}


def test_pool_topics_and_collections_in_other_forms(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    (folder / "runs").mkdir()
    (folder / "runs" / "a").write_text("".join(f"{t} Q0 {d} 1 1 a\n" for t, d in pairs))
    (folder / "qrels.txt").write_text("t1 0 d1 1\nt2 0 d1 1\n")
    read = leadline.read(folder)
    pool = leadline.pool(read, strategy="Depth(d=2)", undrawn=True)
    with chatting() as chat:
        how: dict[str, Any] = {"model": "m", "endpoint": chat.address, "cache": None}
        made = leadline.label(read, pool, topics=["t2"], **how)
    drawn = pool.frame.filter("drawn", topic="t2")
    assert made.frame["doc"].to_list() == drawn["doc"].to_list()
    with pytest.raises(ValueError, match="`collection` was not read from a folder"):
        leadline.label(leadline.read({"1": {"a": 1}}, {"1": {"a": 1.0}}), pool, **how)
    with pytest.raises(InputError, match="holds no pair to label"):
        leadline.label(read, pool, topics=["x"], **how)


def test_it_works_where_a_loop_runs_already(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c", 1, 2)

    async def notebook(chat: Chat) -> Labelled:
        return label(folder, chat)

    with chatting() as chat:
        made = asyncio.run(notebook(chat))
    assert set(made.frame["state"]) == {"labelled"}


@pytest.mark.parametrize("mood", ["401", "500"])
def test_where_no_answer_comes_there_is_an_error(tmp_path: Path, mood: str) -> None:
    folder, _ = collection(tmp_path / "c", 1, 2)
    with chatting(usual=mood) as chat, pytest.raises(ValueError, match=mood) as caught:
        label(folder, chat, tries=2)
    assert KEY not in str(caught.value)


def test_what_ended_early_is_kept_and_said(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c", 1, 6)
    with chatting(moods={"d3": ["401"]}) as chat:
        made = label(folder, chat, concurrency=1)
        assert made.frame["state"].to_list() == ["labelled"] * 2 + ["failed"] * 4
        assert "asking ended early: the endpoint says 401" in "\n".join(made.notices.lines())
        chat.forget()
        assert set(label(folder, chat).frame["state"]) == {"labelled"}
        assert set(chat.asks) == set(pairs[2:])


def test_what_is_left_out_is_said_also_of_answers_from_before(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c", 1, 2)
    watched: list[Asking] = []
    with chatting(usual="refuses logprobs") as chat:
        made = label(folder, chat, watch=watched.append)
    assert "does not take logprobs" in "\n".join(made.notices.lines())
    assert len(watched) == 2


def test_a_cut_document_is_marked(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c", 1, 2)
    (folder / "docs.jsonl").write_text(
        '{"id": "d1", "text": "[d1] and more and more"}\n{"id": "d2", "text": "[d2]"}\n'
    )
    with chatting() as chat:
        made = label(folder, chat, cut_at=9)
    assert made.frame["cut"].to_list() == [True, False]
    assert "longer than 9 letters" in "\n".join(made.notices.lines())


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"samples": 0}, "`samples` must be"),
        ({"cut_at": 0}, "`cut_at` must be"),
        ({"price_in": -1.0}, "`price_in` must be"),
        ({"scale": "odd"}, "`scale` must be one of"),
        ({"endpoint": "nowhere"}, "`endpoint` must be an address"),
        ({"model": ""}, "`model` must be the name"),
        ({"cache": "/dev/null"}, "no plain file"),
    ],
)
def test_what_is_wrong_is_said_by_name(how: dict[str, Any], told: str, tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")
    usual = {"model": "m", "cache": None, "endpoint": "http://127.0.0.1:9/v1"}
    with pytest.raises(ValueError, match=told):
        leadline.label(folder, folder / "pool.csv", **usual | how)


def test_without_the_extra_the_remedy_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = collection(tmp_path / "c")
    monkeypatch.setitem(sys.modules, "httpx2", None)
    monkeypatch.delitem(sys.modules, "leadline.labels.client", raising=False)
    with pytest.raises(ValueError, match=r"pip install 'leadline\[llm\]'"):
        leadline.label(folder, folder / "pool.csv", model="m", cache=None)
    made = leadline.label(folder, folder / "pool.csv", model="m", cache=None, dry_run=True)
    assert made.cost.asks == 12


def test_bm25_needs_no_network_and_the_same_columns_come_back(tmp_path: Path) -> None:
    pool = leadline.pool(COLLECTION, strategy="Depth(d=3)", all_runs=True)
    made = leadline.label(COLLECTION, pool.frame, model="bm25", cache=None)
    assert made.frame.height == pool.frame.height
    assert set(made.frame["state"]) == {"labelled"}
    assert made.cost.asks == 0
    again = leadline.label(COLLECTION, pool.frame, model="bm25", cache=None, scale="binary")
    assert set(again.frame["grade"]) == {0, 1}
    # It is a judge: what it grades higher is relevant more often.
    read = leadline.read(COLLECTION)
    true = {read.runs.pairs.name(at): int(grade) for at, grade in enumerate(read.judgments.grade)}
    of_grade: dict[int, list[int]] = {0: [], 3: []}
    for (topic, doc), grade in made.grades.items():
        of_grade.setdefault(grade, []).append(true[topic, doc])
    low, high = (sum(of_grade[each]) / len(of_grade[each]) for each in (0, 3))
    assert high > 2 * low


def test_a_schema_is_sent_and_its_answers_are_read(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    with chatting(moods={"d2": ["none"]}) as chat:
        made = label(folder, chat, response_format="json")
        sent = [body["response_format"] for body in chat.bodies]
    schema = sent[0]["json_schema"]["schema"]
    assert schema["properties"]["grade"] == {"enum": [0, 1, 2, 3, "none"]}
    assert sent[0]["json_schema"]["strict"] is True
    assert all(each == sent[0] for each in sent)
    assert made.grades == {pair: truth(pair) for pair in pairs if pair in made.grades}
    assert len(made.grades) == len(pairs) - 1


def test_an_endpoint_without_schemas_gets_plain_requests(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    with chatting(usual="refuses response_format") as chat:
        made = label(folder, chat, response_format="json")
        asked = sum(chat.asks.values())
    assert len(made.grades) == len(pairs)
    assert asked <= len(pairs) + 8
    assert "the endpoint does not take response_format" in str(made.notices.lines())


def test_the_default_pool_are_the_unjudged_top_ten_of_all_runs(tmp_path: Path) -> None:
    sea = tmp_path / "sea"
    (sea / "runs").mkdir(parents=True)
    for name in ("docs.jsonl.gz", "topics.tsv", "runs/anstey-bm25.gz", "runs/corran-lsa60.gz"):
        (sea / name).write_bytes((COLLECTION / name).read_bytes())
    lines = gzip.decompress((COLLECTION / "qrels.txt.gz").read_bytes()).decode().splitlines()
    (sea / "qrels.txt").write_text("".join(f"{line}\n" for line in lines[::2]))
    made = leadline.label(sea, model="bm25")
    wanted = leadline.pool(sea, strategy="Depth(d=10)", all_runs=True, unjudged=True)
    assert (
        made.select("topic", "doc")
        .sort("topic", "doc")
        .equals(wanted.frame.select("topic", "doc").sort("topic", "doc"))
    )
    assert set(made["state"]) == {"labelled"}
    scores = leadline.evaluate(sea, measures="nDCG@10", labels={"bm25": made.frame})
    assert scores["judged_with_labels"].to_list() == [1.0, 1.0]
    (sea / "qrels.txt").write_text("".join(f"{line}\n" for line in lines))
    with pytest.raises(InputError, match="first 10 documents of every run are judged"):
        leadline.label(sea, model="bm25")
