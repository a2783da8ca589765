"""`leadline label`: killed at any moment it goes on where it was, and no key is left anywhere."""

import io
import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest

import leadline
from leadline.cli.output import progress
from tests.cli.program import Result, call, command, environment, good
from tests.labels.chat_server import KEY, Chat, chatting, collection, truth

COLUMNS = "topic,doc,grade,confidence,judge,prompt,date,samples,cut,state"


def words(folder: Path, chat: Chat, *more: object) -> list[str]:
    pool = ["--pool", str(folder / "pool.csv"), "-o", str(folder / "labels.csv")]
    asked = ["--model", "m", "--endpoint", chat.address, "--backoff", "0.01"]
    return ["label", str(folder), *pool, *asked, *map(str, more)]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("LEADLINE_API_KEY", raising=False)


def test_labels_and_qrels(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    more = ["--qrels-out", folder / "llm.qrels", "--price-in", "2", "--price-out", "8"]
    with chatting(moods={"d2": ["none"]}) as chat:
        done = good(call(*words(folder, chat, *more)))
        assert chat.keys == {f"Bearer {KEY}"}
    assert done.out == ""
    assert "11 labelled, 1 refused; 12 requests were sent: 1,200 tokens in" in done.err
    assert "price 0.0027" in done.err
    lines = (folder / "labels.csv").read_text().splitlines()
    assert lines[0] == COLUMNS
    assert len(lines) == 1 + len(pairs)
    qrels = [line.split() for line in (folder / "llm.qrels").read_text().splitlines()]
    assert all(int(grade) == truth((topic, doc)) for topic, _, doc, grade in qrels)
    assert len(qrels) == len(pairs) - 1
    assert (folder / "labels.answers.jsonl").is_file()


def test_a_dry_run_tells_the_price_and_leaves_labels_alone(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")
    (folder / "labels.csv").write_text("precious\n")
    with chatting() as chat:
        done = good(call(*words(folder, chat, "--dry-run", "--price-in", "1")))
        assert not chat.bodies
    (row,) = done.rows()
    assert row["asks"] == "12"
    assert "12 requests remain, about" in done.err
    assert "estimated from the length of the text" in done.err
    assert (folder / "labels.csv").read_text() == "precious\n"
    assert not (folder / "labels.answers.jsonl").exists()


def test_answers_need_a_place(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")
    with chatting() as chat:
        bare = [
            word for word in words(folder, chat) if word not in ("-o", str(folder / "labels.csv"))
        ]
        refused = call(*bare)
        assert refused.code == 2
        assert "give --output, or --cache" in refused.err
        done = good(call(*bare, "--cache", folder / "kept.jsonl"))
    assert done.out.startswith(COLUMNS)


def killed_at(arguments: list[str], chat: Chat, moment: int, later: float) -> bool:
    """Whether it was killed when it waited for answer number `moment`, or a little later.

    What comes of the other answers meanwhile, asked for, read or half kept, is up to chance.
    """
    process = subprocess.Popen(
        [*command(), *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )

    def kill(number: int) -> None:
        if number == moment:
            time.sleep(later)
            os.kill(process.pid, signal.SIGKILL)

    chat.before_answer = kill
    code = process.wait(60)
    chat.before_answer = None
    return code == -signal.SIGKILL


def kept(folder: Path) -> set[tuple[str, str]]:
    """Pairs whose answers a process that was killed had kept."""
    cache = folder / "labels.answers.jsonl"
    looked = leadline.label(folder, folder / "pool.csv", model="m", cache=cache, dry_run=True)
    return set(looked.grades)


def check_kills(folder: Path, moments: dict[int, float]) -> None:
    folder, pairs = collection(folder, 3, 10)
    n_killed = 0
    with chatting(delay=0.01) as chat:
        for moment, later in moments.items():
            before = kept(folder)
            chat.move()
            n_killed += killed_at(words(folder, chat, "--concurrency", 3), chat, moment, later)
            assert not before & set(chat.asks), "what was kept is not asked for again"
            assert not (folder / "labels.csv").exists() or not n_killed
        before = kept(folder)
        chat.move()
        done = good(call(*words(folder, chat)))
        assert set(chat.asks) == set(pairs) - before
        assert set(chat.asks.values()) <= {1}
    assert n_killed == len(moments)
    assert f"{len(pairs)} labelled" in done.err
    for path in folder.rglob("*"):
        assert KEY not in path.read_text(encoding="utf-8"), path


def test_killed_it_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    check_kills(tmp_path / "c", {2: 0.0, 11: 0.005})


def test_stopped_by_hand_it_says_where_answers_are(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")

    def stop(asking: object) -> None:
        raise KeyboardInterrupt

    with chatting() as chat, mock.patch("leadline.cli.label._Seen.see", staticmethod(stop)):
        done = call(*words(folder, chat, "--concurrency", 1))
    assert done.code == 130
    assert "labels.answers.jsonl; the same command continues" in done.err
    assert len(kept(folder)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_killed_at_random_moments(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    moments = chance.sample(range(1, 8), 4)
    check_kills(tmp_path / "c", {moment: chance.uniform(0, 0.03) for moment in moments})


def wrong(*arguments: str) -> Result:
    done = call(*arguments)
    assert done.code == 2
    assert KEY not in done.err
    return done


def test_bad_input_is_told_by_option_or_file(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")
    with chatting(usual="401") as chat:
        sound = words(folder, chat)
        assert "the endpoint says 401" in wrong(*sound).err
        assert "--samples must be from 1" in wrong(*sound, "--samples", "0").err
        secret = f"https://x:{KEY}@host/v1"
        assert "LEADLINE_API_KEY" in wrong(*sound, "--endpoint", secret).err
        mine = folder / "mine.txt"
        mine.write_text("{query}\n{what}\n{document}")
        assert "mine.txt:2: there is no place {what}" in wrong(*sound, "--prompt", str(mine)).err
        cached = wrong(*sound, "--cache", str(folder / "docs.jsonl"))
        assert "docs.jsonl:1: is no file of answers" in cached.err
        assert not (folder / "labels.csv").exists()
        twice = wrong(*sound, "--cache", str(folder / "labels.csv"))
        assert "--cache and --output must be two files" in twice.err
        over = wrong(*sound, "-o", str(folder / "topics.tsv"))
        assert "is an input" in over.err


def test_the_bar_tells_price_and_pace(tmp_path: Path) -> None:
    folder, _ = collection(tmp_path / "c")
    said: list[str] = []

    def advance(done: int, total: int) -> None:
        said.append(told())

    def bar(what):  # type: ignore[no-untyped-def]
        nonlocal told
        told = what
        return mock.MagicMock(__enter__=lambda _: advance, __exit__=lambda *_: None)

    told = str
    with chatting() as chat, mock.patch("leadline.cli.label.progress", bar):
        good(call(*words(folder, chat, "--price-in", "1000")))
    assert said[0] == "reading texts"
    assert "answers a second, price 1.2000" in said[-1]


def test_words_of_a_bar_follow_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal, clock, words = Terminal(), itertools.count(0, 10), iter(["reading", "asking [1]"])
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    with progress(lambda: next(words)) as advance:
        advance(1, 2)
    assert "asking [1]" in terminal.getvalue()


def test_a_free_judge_needs_no_cache(tmp_path: Path) -> None:
    folder, pairs = collection(tmp_path / "c")
    done = good(call("label", str(folder), "--pool", str(folder / "pool.csv"), "--model", "bm25"))
    assert len(done.rows()) == len(pairs)
    labels = tmp_path / "labels.csv"
    pool = str(folder / "pool.csv")
    good(call("label", str(folder), "--pool", pool, "--model", "bm25", "-o", str(labels)))
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["labels.csv"]
    paid = call("label", str(folder), "--pool", pool, "--model", "m")
    assert paid.code == 2
    assert "give --output, or --cache" in paid.err
