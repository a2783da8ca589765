"""`leadline plan`: the table on standard output, the advice beside it, and a page."""

from pathlib import Path

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
    assert "What to do" in page.read_text(encoding="utf-8")


def test_a_newcomer_needs_two_names() -> None:
    done = call("plan", "none", *RUNS, "--budget", "50", "--question", "newcomer")
    assert done.code == 2
    assert "--baseline and --new" in done.err
