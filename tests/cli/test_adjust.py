"""`leadline adjust`: columns, what was assumed, how cheap judgments agree."""

from pathlib import Path

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, good


def test_the_program_writes_the_promised_columns() -> None:
    done = call("adjust", str(COLLECTION), "--new", "farlight-hand", "--pool-depth", "5")
    assert done.code == 0
    head = done.out.splitlines()[0]
    promised = "run,measure,adjuster,unadjusted,adjustment,adjusted,standard_error,lower,upper"
    assert head.startswith(promised)
    assert "Regression: assumes" in done.err
    wrong = call("adjust", str(COLLECTION), "--new", "nobody")
    assert wrong.code == 2
    assert "nobody" in wrong.err
    assert "Traceback" not in wrong.err


def test_cheap_judgments_are_set_against_trusted_ones(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    (tmp_path / "reference").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "common").write_text("1\n")
    for run, docs in (("x", "ab"), ("y", "ba")):
        lines = [
            f"{topic} Q0 {doc} 1 {-rank} x\n" for topic in (1, 2) for rank, doc in enumerate(docs)
        ]
        (tmp_path / run).write_text("".join(lines))
    given = (tmp_path / "labels", tmp_path / "x", tmp_path / "y", "-m", "P@1")
    asked = (
        "--reference",
        tmp_path / "reference",
        "--common",
        tmp_path / "common",
        "--method",
        "WebberTopics",
    )
    done = good(call("adjust", *given, *asked))
    # Of the two documents that both judged, they agree on a.
    assert "agree on 50.0% of 2 documents" in done.err
    assert "label 0, reference 1: 1" in done.err
    assert "label 1, reference 1: 1" in done.err
    # y begins with b, which is relevant after all: both score 1.
    assert "changes the order of the runs" in done.err
    rows = {row["run"]: row for row in done.rows()}
    assert float(rows["y"]["adjusted"]) - float(rows["y"]["unadjusted"]) == 1.0


def test_differences_come_instead_of_scores() -> None:
    asked = ("adjust", str(COLLECTION), "--new", "farlight-hand", "--pool-depth", "5", "-m", "P@10")
    done = good(call(*asked, "--differences"))
    head = done.out.splitlines()[0]
    assert (
        head
        == "run_a,run_b,measure,adjuster,difference,standard_error,pred_lower,pred_upper,caveats"
    )
    assert {row["run_a"] for row in done.rows()} == {"farlight-hand"}
    assert "prediction intervals hold 95% of 200 completions" in done.err
    refused = call(*asked, "--differences", "--method", "WebberSystems")
    assert refused.code == 2
    assert "WebberSystems gives no error of differences: use Regression" in refused.err
    assert not refused.out
