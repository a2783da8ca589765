"""`leadline plan`: the table on standard output, the advice beside it, and a page."""

import gzip
import shlex
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import call

RUNS = [str(path) for path in sorted((COLLECTION / "runs").iterdir())[::9]]


def test_it_says_what_to_take_and_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    more = [
        "-m",
        "P@5",
        "--question",
        "scores",
        "--seconds-per-judgment",
        "36",
        "--page",
        str(page),
    ]
    done = call("plan", "none", *RUNS, "--budget", "50", *more)
    assert done.code == 0, done.err
    assert done.out.startswith("question,pool,order,stop,estimator,expected_error,")
    assert "recommended: " in done.err
    assert "hours at 36 seconds each" in done.err
    assert "Recommendation" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("question", ["best", "scores"])
def test_its_commands_can_be_run(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call("plan", "none", *RUNS, "--budget", "60", "--question", question)
    _, _, shown = done.err.partition("commands for this plan:\n")
    commands = [shlex.split(line) for line in shown.splitlines() if line.startswith("  leadline")]
    assert commands
    first = [word for word in commands[0][1:] if word != "--interactive"]
    assert call(*first).code == 0
    if question == "scores":
        judged = (COLLECTION / "qrels.txt.gz").read_bytes()
        (tmp_path / "judged.txt").write_bytes(gzip.decompress(judged))
        assert call(*commands[1][1:]).code == 0


def test_a_newcomer_needs_two_names() -> None:
    done = call("plan", "none", *RUNS, "--budget", "50", "--question", "newcomer")
    assert done.code == 2
    assert "--baseline and --new" in done.err
