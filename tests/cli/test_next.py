"""`leadline next`: columns, why it ended, simulation."""

import shutil
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, good

COLUMNS = "step,topic,doc,weight,grade"
QRELS = COLLECTION / "qrels.txt.gz"


@pytest.fixture(autouse=True)
def _in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_it_writes_the_promised_columns_and_says_why_it_ended() -> None:
    result = good(call("next", COLLECTION, "--no-use-judgments", "--budget", "3"))
    assert result.out.splitlines()[0] == COLUMNS
    assert [row["step"] for row in result.rows()] == ["1", "2", "3"]
    assert {row["grade"] for row in result.rows()} == {""}
    assert "Stopped after 3 judgments: budget reached." in result.err
    assert "24 of 24 runs can still be best" in result.err


def test_a_budget_as_a_rule_lists_no_more_than_it_has() -> None:
    result = good(call("next", COLLECTION, "--no-use-judgments", "--stop", "Budget(n=4)"))
    assert len(result.rows()) == 4
    assert "the budget allows nothing more until 4 are answered" in result.err


def test_a_hundred_are_listed_if_nothing_else_ends_it() -> None:
    assert len(good(call("next", COLLECTION, "--no-use-judgments")).rows()) == 100


def test_a_simulation_ends_when_the_best_run_is_certain() -> None:
    result = good(call("next", COLLECTION, "--simulate", QRELS))
    assert "no other run can score higher than farlight-hand" in result.err
    assert "farlight-hand is certain to be best" in result.err
    assert "keep more open than they lack: eastwick-brief" in result.err
    assert {row["grade"] for row in result.rows()} >= {"0", "1"}
    arguments = ("--simulate", QRELS, "--stop", "WinnerCertain(joint=false)")
    ended = good(call("next", COLLECTION, *arguments))
    assert "CertainWinner(p=0.8) has nothing more to ask; WinnerCertain(joint=false)" in ended.err
    full = [run for run in (COLLECTION / "runs").iterdir() if "eastwick" not in run.name]
    own = good(call("next", QRELS, *full, *arguments, "--order", "MoffatC(p=0.8)"))
    assert "no other run can score higher than farlight-hand" in own.err
    short = good(call("next", COLLECTION, "--simulate", QRELS, "--budget", "20"))
    assert short.rows() == result.rows()[:20]


def test_what_the_answers_lack_is_nonrelevant_or_passed_by() -> None:
    Path("few.txt").write_text("1 0 sea-003 1\n2 0 sea-012 0\n")
    arguments = ("next", COLLECTION, "--order", "MoffatA(p=0.8)", "--simulate", "few.txt")
    result = good(call(*arguments, "--budget", "5"))
    assert {row["grade"] for row in result.rows()} == {"0"}
    passed = good(call(*arguments, "--budget", "5", "--unanswered", "bypass"))
    found = {(row["topic"], row["doc"]): row["grade"] for row in passed.rows()}
    assert found == {("1", "sea-003"): "1", ("2", "sea-012"): "0"}
    assert "MoffatA(p=0.8) has nothing more to ask" in passed.err


def test_judgments_given_count_unless_they_are_to_be_ignored_or_others_answer() -> None:
    fresh = good(call("next", COLLECTION, "--no-use-judgments", "--budget", "1"))
    assert "0 judged" in fresh.err
    for said in ((), ("--use-judgments",)):
        known = good(call("next", COLLECTION, *said, "--stop", "WinnerCertain"))
        assert known.rows() == []
        assert (
            "Stopped after 0 judgments: no other run can score higher than farlight-hand"
            in known.err
        )
    answered = good(call("next", COLLECTION, "--simulate", QRELS, "--budget", "1"))
    assert len(answered.rows()) == 1
    both = good(call("next", COLLECTION, "--simulate", QRELS, "--use-judgments", "--budget", "1"))
    assert both.rows() == []


def test_a_folder_with_runs_only_and_the_word_none_will_do(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "sea" / "runs")
    folder = good(call("next", "sea", "--budget", "5"))
    named = good(call("next", "none", "sea/runs", "--budget", "5"))
    assert (
        folder.out
        == named.out
        == good(call("next", COLLECTION, "--budget", "5", "--no-use-judgments")).out
    )


def test_the_picture_shows_every_run_on_standard_error() -> None:
    result = good(call("next", COLLECTION, "--budget", "9", "--simulate", QRELS, "--leaderboard"))
    assert "★" in result.err
    assert result.err.count("┤") >= 24


def test_the_judgments_of_a_simulation_can_be_written_as_qrels() -> None:
    arguments = ("next", COLLECTION, "--simulate", QRELS, "--budget", "7")
    result = good(call(*arguments, "--qrels-out", "made.txt"))
    rows = [line.split() for line in Path("made.txt").read_text().splitlines()]
    assert rows == [[row["topic"], "0", row["doc"], row["grade"]] for row in result.rows()]
    assert good(call("evaluate", "made.txt", COLLECTION / "runs", "-m", "P@10")).rows()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--order", "CertainWiner(p=0.8)"), "did you mean CertainWinner?"),
        (("--order", "MoffatC"), "give p, as in MoffatC(p=0.8), or measure="),
        (("--stop", "WinnerCertan"), "did you mean WinnerCertain?"),
        (("--stop", "Budget(n=0)"), "a budget must be at least 1"),
        (("--budget", "0"), "a budget must be at least 1"),
        (("--simulate", "nowhere.txt"), "nowhere.txt: no such file"),
        (("--ledger", "nowhere.jsonl"), "nowhere.jsonl"),
        (("--qrels-out", "no/where.txt"), "no/where.txt: cannot be written"),
        (("--interactive", "--ledger", "no/where.jsonl"), "no/where.jsonl: cannot be written"),
        (("--interactive", "--simulate", "x"), "exclude each other"),
        (("--interactive", "--order", "Bandit"), "no order is named Bandit"),
        (("--interactive", "--budget", "-1"), "a budget must be at least 1"),
    ],
)
def test_faults_are_named_with_exit_2(arguments: tuple[str, ...], message: str) -> None:
    result = call("next", COLLECTION, *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert not result.out
    assert not list(Path().iterdir()), "a fault leaves no file behind"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"act": "judge", "topic": "1", "doc": "b", "grade": %d}' % 10**30, "from 0 to 32767"),
        (b'{"act": "judge", "topic": null, "doc": "b", "grade": 1}', "topic must be text"),
        (b'{"act": "judge", "topic": "1", "doc": "b", "grade": Infinity}', "a grade must be"),
        (b"[" * 100_000, "nested too deep"),
        (b"\xff\xfe\0", "is not UTF-8"),
    ],
)
def test_a_faulty_ledger_is_told_with_its_line_and_changes_nothing(line: bytes, why: str) -> None:
    content = b'{"act": "skip", "topic": "1", "doc": "b"}\n' + line + b"\n"
    Path("ledger.jsonl").write_bytes(content)
    Path("made.txt").write_text("before")
    more = ("--ledger", "ledger.jsonl", "--qrels-out", "made.txt")
    result = call("next", COLLECTION, *more)
    assert result.code == 2
    assert result.err.startswith("leadline: ledger.jsonl:2: is no ledger entry")
    assert why in result.err
    assert not result.out
    assert Path("ledger.jsonl").read_bytes() == content
    assert Path("made.txt").read_text() == "before"


def test_answers_about_other_documents_are_a_fault() -> None:
    Path("other.txt").write_text("1 0 nowhere 1\n")
    result = call("next", COLLECTION, "--simulate", "other.txt")
    assert result.code == 2
    assert "the answers judge no document that these runs return" in result.err


@pytest.mark.parametrize(
    ("order", "told"),
    [
        ("CertainWinner(measure='AP')", "P@10, DCG@10, SDCG@10 and nDCG@10 are, for instance"),
        ("MoffatC(measure='ERR@10')", "P@10, DCG@10, SDCG@10 and nDCG@10 are, for instance"),
        ("MaxMean(measure='P@10')", "measure is taken by CertainWinner, DepthFirst, LikelyWinner"),
        ("LikelyWinner(measure='nDCG@10')", "CertainWinner(measure='nDCG@10') asks by nDCG"),
    ],
)
def test_a_refused_measure_is_answered_by_what_can_be_had(order: str, told: str) -> None:
    done = call("next", COLLECTION, "--order", order, "--budget", "1")
    assert done.code == 2
    assert told in done.err


def test_quiet_is_quiet_about_who_is_likely_to_be_best_too() -> None:
    asked = ("next", COLLECTION, "--simulate", QRELS, "--budget", "90")
    assert "leads, probability" in good(call(*asked)).err
    assert good(call(*asked, "--quiet", "--leaderboard")).err == ""
