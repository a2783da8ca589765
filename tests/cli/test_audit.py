"""`leadline audit`: the table, the page, and what is said beside."""

from pathlib import Path

from leadline.io.datasets import COLLECTION
from tests.cli.program import call

QRELS = COLLECTION / "qrels.txt.gz"
QUICK = ["-m", "P@3", "--reference", str(QRELS)]


def test_csv_when_piped_and_what_it_allows_to_say_beside_it() -> None:
    done = call("audit", QRELS, COLLECTION, *QUICK)
    assert done.code == 0, done.err
    assert done.out.startswith(
        "section,item,value,ci_lower,ci_upper,n\nsample,pairs judged by people,"
    )
    assert "intervals allow for the sample of topics" in done.err


def test_a_page_by_its_suffix(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = call("audit", QRELS, COLLECTION, *QUICK, "-o", page)
    assert done.code == 0, done.err
    assert done.out == ""
    assert "Audit of qrels" in page.read_text(encoding="utf-8")
    assert f"wrote {page}" in done.err


def test_runs_may_be_named_one_by_one_or_left_out() -> None:
    runs = sorted((COLLECTION / "runs").iterdir())[:3]
    done = call("audit", QRELS, *runs, *QUICK)
    assert done.code == 0, done.err
    assert "bias by run" in done.out
    done = call("audit", QRELS, *QUICK)
    assert done.code == 0, done.err
    assert "bias by run" not in done.out


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    assert "Missing option '--reference'" in call("audit", QRELS, COLLECTION).err
    done = call("audit", QRELS, *QUICK, "-o", tmp_path / "x.html", "--format", "csv")
    assert done.code == 2
    assert "its suffix says a page" in done.err
    done = call("audit", QRELS, *QUICK, "-o", tmp_path / "x.pdf")
    assert done.code == 2
    assert ".csv" in done.err
    done = call("audit", tmp_path / "none.qrels", *QUICK)
    assert done.code == 2
    assert "none.qrels" in done.err
