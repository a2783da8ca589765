"""`leadline order`: columns, why it ended, simulation, and judging in the terminal."""

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

from leadline.demo import COLLECTION
from leadline.judging.ledger import read_ledger
from tests.cli.program import Result, call, command, environment

COLUMNS = "step,topic,doc,weight,grade"
QRELS = COLLECTION / "qrels.txt.gz"


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def good(result: Result) -> Result:
    assert result.code == 0, result.err
    assert "Traceback" not in result.err
    return result


def judge(keys: str, *arguments: object) -> Result:
    """The interactive program with a key a line."""
    lines = "".join(f"{key}\n" for key in keys).encode()
    return good(
        call("order", COLLECTION, "--ignore-judged", "--interactive", *arguments, stdin=lines)
    )


# Lists and simulation


def test_it_writes_the_promised_columns_and_says_why_it_ended() -> None:
    result = good(call("order", COLLECTION, "--ignore-judged", "--budget", "3"))
    assert result.out.splitlines()[0] == COLUMNS
    assert [row["step"] for row in result.rows()] == ["1", "2", "3"]
    assert {row["grade"] for row in result.rows()} == {""}
    assert "ended after 3: 3 were asked for" in result.err
    assert "24 of 24 runs can still be best" in result.err


def test_a_budget_as_a_rule_lists_no_more_than_it_has() -> None:
    result = good(call("order", COLLECTION, "--ignore-judged", "--stop", "Budget(n=4)"))
    assert len(result.rows()) == 4
    assert "the budget allows nothing more until 4 are answered" in result.err


def test_a_hundred_are_listed_if_nothing_else_ends_it() -> None:
    assert len(good(call("order", COLLECTION, "--ignore-judged")).rows()) == 100


def test_a_simulation_ends_when_the_best_run_is_certain() -> None:
    result = good(call("order", COLLECTION, "--answers", QRELS))
    assert "no other run can be better than farlight-hand" in result.err
    assert "farlight-hand is certain to be best" in result.err
    assert "keep more open than they lack: eastwick-brief" in result.err
    assert {row["grade"] for row in result.rows()} >= {"0", "1"}
    arguments = ("--answers", QRELS, "--stop", "BestCertain(joint=false)")
    ended = good(call("order", COLLECTION, *arguments))
    assert "Difference(p=0.8) has nothing more to ask; BestCertain(joint=false)" in ended.err
    full = [run for run in (COLLECTION / "runs").iterdir() if "eastwick" not in run.name]
    own = good(call("order", QRELS, *full, *arguments, "--order", "MethodC(p=0.8)"))
    assert "no other run can be better than farlight-hand" in own.err
    short = good(call("order", COLLECTION, "--answers", QRELS, "--budget", "20"))
    assert short.rows() == result.rows()[:20]


def test_what_the_answers_lack_is_nonrelevant_or_passed_by() -> None:
    Path("few.txt").write_text("1 0 sea-003 1\n2 0 sea-012 0\n")
    arguments = ("order", COLLECTION, "--order", "MethodA(p=0.8)", "--answers", "few.txt")
    result = good(call(*arguments, "--budget", "5"))
    assert {row["grade"] for row in result.rows()} == {"0"}
    passed = good(call(*arguments, "--budget", "5", "--missing", "bypass"))
    found = {(row["topic"], row["doc"]): row["grade"] for row in passed.rows()}
    assert found == {("1", "sea-003"): "1", ("2", "sea-012"): "0"}
    assert "MethodA(p=0.8) has nothing more to ask" in passed.err


def test_judgments_given_count_unless_they_are_to_be_ignored_or_others_answer() -> None:
    fresh = good(call("order", COLLECTION, "--ignore-judged", "--budget", "1"))
    assert "0 judged" in fresh.err
    for said in ((), ("--judged",)):
        known = good(call("order", COLLECTION, *said, "--stop", "BestCertain"))
        assert known.rows() == []
        assert "ended after 0: no other run can be better than farlight-hand" in known.err
    answered = good(call("order", COLLECTION, "--answers", QRELS, "--budget", "1"))
    assert len(answered.rows()) == 1
    both = good(call("order", COLLECTION, "--answers", QRELS, "--judged", "--budget", "1"))
    assert both.rows() == []


def test_a_folder_with_runs_only_and_the_word_none_will_do(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "sea" / "runs")
    folder = good(call("order", "sea", "--budget", "5"))
    named = good(call("order", "none", "sea/runs", "--budget", "5"))
    assert (
        folder.out
        == named.out
        == good(call("order", COLLECTION, "--budget", "5", "--ignore-judged")).out
    )


def test_the_picture_shows_every_run_on_standard_error() -> None:
    result = good(call("order", COLLECTION, "--budget", "9", "--answers", QRELS, "--standing"))
    assert "★" in result.err
    assert result.err.count("┤") >= 24


def test_the_judgments_of_a_simulation_can_be_written_as_qrels() -> None:
    arguments = ("order", COLLECTION, "--answers", QRELS, "--budget", "7")
    result = good(call(*arguments, "--qrels-out", "made.txt"))
    rows = [line.split() for line in Path("made.txt").read_text().splitlines()]
    assert rows == [[row["topic"], "0", row["doc"], row["grade"]] for row in result.rows()]
    assert good(call("evaluate", "made.txt", COLLECTION / "runs", "-m", "P@10")).rows()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--order", "Diference(p=0.8)"), "did you mean Difference?"),
        (("--order", "MethodC"), "MethodC needs p"),
        (("--stop", "BestCertan"), "did you mean BestCertain?"),
        (("--stop", "Budget(n=0)"), "a budget must be at least 1"),
        (("--budget", "0"), "a budget must be at least 1"),
        (("--answers", "nowhere.txt"), "nowhere.txt: no such file"),
        (("--ledger", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--qrels-out", "no/where.txt"), "no/where.txt: cannot be written"),
        (("--interactive", "--ledger", "no/where.jsonl"), "no/where.jsonl: cannot be written"),
        (("--interactive", "--answers", "x"), "exclude each other"),
        (("--interactive", "--order", "Bandit"), "no order is named Bandit"),
        (("--interactive", "--budget", "-1"), "a budget must be at least 1"),
    ],
)
def test_faults_are_named_with_exit_2(arguments: tuple[str, ...], message: str) -> None:
    result = call("order", COLLECTION, *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not result.out
    assert not list(Path().iterdir()), "a fault leaves no file behind"


def test_answers_about_other_documents_are_a_fault() -> None:
    Path("other.txt").write_text("1 0 nowhere 1\n")
    result = call("order", COLLECTION, "--answers", "other.txt")
    assert result.code == 2
    assert "the answers judge no document that these runs return" in result.err


# Judging in the terminal


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
    listed = good(call("order", COLLECTION, "--ignore-judged", *arguments, "--budget", "2"))
    assert Path("first.txt").read_text() == Path("second.txt").read_text()
    assert [line.split()[3] for line in Path("first.txt").read_text().splitlines()] == [*"102"]
    assert "3 judged" in listed.err
    assert len(read_ledger("leadline-judgments.jsonl").entries) == 3, "a list writes nothing"


def test_the_stop_is_told_and_can_be_taken_back() -> None:
    result = judge("11u1", "--budget", "2")
    assert result.err.count("Done: the budget of 2 judgments is spent") == 2
    assert "Taken back" in result.err
    again = judge("q", "--budget", "2")
    assert "Done: the budget of 2 judgments is spent" in again.err


def test_a_ledger_of_other_runs_is_a_fault() -> None:
    Path("other.jsonl").write_text('{"act": "judge", "topic": "x", "doc": "y", "grade": 1}\n')
    result = call("order", COLLECTION, "--interactive", "--ledger", "other.jsonl")
    assert result.code == 2
    assert "judges no document of these runs" in result.err


def test_documents_without_text_are_asked_for_by_name(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "bare" / "runs")
    result = good(call("order", "bare", "--interactive", stdin=b"1\nq\n"))
    assert "topic 15\n" in result.err
    assert "sea-169\n" in result.err


def test_a_faulty_line_of_text_is_named(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "bad" / "runs")
    (tmp_path / "bad" / "docs.jsonl").write_text('{"id": "a"}\nnonsense\n')
    result = call("order", "bad", "--interactive")
    assert result.code == 2
    assert "docs.jsonl:2: expected an object" in result.err
    assert not Path("leadline-judgments.jsonl").exists()


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_moment_it_loses_no_answer(seed: int) -> None:
    chance = random.Random(seed)
    acknowledged = 0
    for _ in range(3):
        program = subprocess.Popen(
            [*command(), "order", str(COLLECTION), "--ignore-judged", "--interactive"],
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
        [*command(), "order", str(COLLECTION), "--ignore-judged", "--interactive"],
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
