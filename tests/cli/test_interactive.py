"""Judging in the terminal: questions, keys, and nothing lost."""

import json
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from leadline.judging.ledger import read_ledger
from tests.cli.program import Result, call, command, environment, good


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def judge(keys: str, *arguments: object) -> Result:
    """The interactive program with a key a line."""
    lines = "".join(f"{key}\n" for key in keys).encode()
    return good(
        call("next", COLLECTION, "--no-use-judgments", "--interactive", *arguments, stdin=lines)
    )


def test_a_question_shows_topic_and_text_and_an_answer_where_the_runs_stand() -> None:
    result = judge("1q")
    assert result.out == ""
    assert "topic 15: rope making" in result.err
    assert "Learn how rope was made" in result.err
    assert "sea-169: A Morning in the Loft" in result.err
    assert "grade 1 · 1 judged · leader" in result.err
    assert "24 of 24 runs can still be best" in result.err
    (entry,) = read_ledger("leadline-judgments.jsonl").entries
    assert (entry.act, entry.topic, entry.doc, entry.grade) == ("judge", "15", "sea-169", 1)


def test_keys_that_are_no_answer_are_said_to_be_none() -> None:
    result = judge("xmr?u")
    assert "x is no answer" in result.err
    assert "That is all of it." in result.err
    assert "★" in result.err
    assert "undo your last answer" in result.err
    assert "There is nothing to undo." in result.err
    assert read_ledger("leadline-judgments.jsonl").entries == []


def test_undo_and_skip() -> None:
    judge("1su2uu")
    acts = [entry.act for entry in read_ledger("leadline-judgments.jsonl").entries]
    assert acts == ["judge", "skip", "undo", "judge", "undo", "undo"]


def test_it_goes_on_where_it_was() -> None:
    at_once = judge("10110010", "--ledger", "one.jsonl", "-o", "one.csv")
    judge("101", "--ledger", "two.jsonl")
    assert (
        "Going on after 3. Answers are kept in two.jsonl"
        in judge("10010", "--ledger", "two.jsonl").err
    )
    judge("q", "--ledger", "two.jsonl", "-o", "two.csv")
    rows = [
        [(e.topic, e.doc, e.grade) for e in read_ledger(name).entries]
        for name in ("one.jsonl", "two.jsonl")
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 8
    assert len(Path("one.csv").read_text().splitlines()) == 9
    assert at_once.err.count("grade 1 ·") == 4


def test_judgments_become_qrels_with_and_without_more_answers() -> None:
    judge("102", "--qrels-out", "first.txt")
    arguments = ("--ledger", "leadline-judgments.jsonl", "--qrels-out", "second.txt")
    listed = good(call("next", COLLECTION, "--no-use-judgments", *arguments, "--budget", "2"))
    assert Path("first.txt").read_text() == Path("second.txt").read_text()
    assert [line.split()[3] for line in Path("first.txt").read_text().splitlines()] == [*"102"]
    assert "3 judged" in listed.err
    assert len(read_ledger("leadline-judgments.jsonl").entries) == 3, "a list writes nothing"


def test_the_stop_is_told_and_can_be_taken_back() -> None:
    result = judge("11u1", "--budget", "2")
    assert result.err.count("Done: budget reached") == 2
    assert "Taken back" in result.err
    again = judge("q", "--budget", "2")
    assert "Done: budget reached" in again.err


def test_a_ledger_of_other_runs_is_a_fault() -> None:
    Path("other.jsonl").write_text('{"act": "judge", "topic": "x", "doc": "y", "grade": 1}\n')
    result = call("next", COLLECTION, "--interactive", "--ledger", "other.jsonl")
    assert result.code == 2
    assert "contains no judgment of a document of these runs" in result.err


def test_documents_without_text_are_asked_for_by_name(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "bare" / "runs")
    result = good(call("next", "bare", "--interactive", stdin=b"1\nq\n"))
    assert "topic 15\n" in result.err
    assert "sea-169\n" in result.err


def test_a_faulty_line_of_text_is_named(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "bad" / "runs")
    (tmp_path / "bad" / "docs.jsonl").write_text('{"id": "a"}\nnonsense\n')
    result = call("next", "bad", "--interactive")
    assert result.code == 2
    assert "docs.jsonl:2: is no JSON" in result.err
    assert not Path("leadline-judgments.jsonl").exists()


@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2, 3))])
def test_killed_at_any_moment_it_loses_no_answer(seed: int) -> None:
    chance = random.Random(seed)
    acknowledged = 0
    for _ in range(3):
        program = subprocess.Popen(
            [*command(), "next", str(COLLECTION), "--no-use-judgments", "--interactive"],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        assert program.stdin is not None
        assert program.stderr is not None
        program.stdin.write(b"1\n0\n" * 500)
        program.stdin.flush()
        seen = b""
        wanted, wait = chance.randint(1, 40), chance.random() * 0.02
        while seen.count(b"judged \xc2\xb7") < wanted:
            seen += os.read(program.stderr.fileno(), chance.randint(1, 4096))
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        seen += program.stderr.read()
        program.stdin.close()
        program.stderr.close()
        program.wait()
        acknowledged += seen.count(b"judged \xc2\xb7")
        kept = read_ledger("leadline-judgments.jsonl").entries
        # Of the last answer it may not have come to say so.
        assert len(kept) in (acknowledged, acknowledged + 1)
        acknowledged = len(kept)
    assert len({(entry.topic, entry.doc) for entry in kept}) == len(kept)
    judge("q")


def test_a_line_cut_off_by_a_crash_is_dropped_and_asked_again() -> None:
    judge("10")
    ledger = Path("leadline-judgments.jsonl")
    data = ledger.read_bytes()
    ledger.write_bytes(data[:-9])
    assert "Going on after 1." in judge("0").err
    first, second = (json.loads(line) for line in ledger.read_text().splitlines())
    assert second["doc"] == json.loads(data.splitlines()[1])["doc"]
    assert (first["grade"], second["grade"]) == (1, 0)


def test_in_a_terminal_a_key_is_enough() -> None:
    master, worker = pty.openpty()
    program = subprocess.Popen(
        [*command(), "next", str(COLLECTION), "--no-use-judgments", "--interactive"],
        stdin=worker,
        stderr=worker,
        stdout=worker,
        env=environment() | {"TERM": "dumb"},
    )
    os.close(worker)
    seen = b""

    def until(text: bytes) -> None:
        nonlocal seen
        start, end = len(seen), time.monotonic() + 30
        while text not in seen[start:]:
            assert time.monotonic() < end, seen.decode()
            if select.select([master], [], [], 0.1)[0]:
                seen += os.read(master, 65536)

    for key in (b"1", b"\x1b[A", b"0", b"u", b"s"):
        until(b"q quit, ? help")
        time.sleep(0.1)  # Until it listens: keys pressed before the question are no answer.
        os.write(master, key)
    until(b"q quit, ? help")
    time.sleep(0.1)
    os.write(master, b"q")
    until("★ leads".encode())
    assert program.wait(10) == 0
    os.close(master)
    acts = [entry.act for entry in read_ledger("leadline-judgments.jsonl").entries]
    assert acts == ["judge", "judge", "undo", "skip"]
