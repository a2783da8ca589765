"""`leadline report`: options, what is said, and what is refused."""

import shutil
from pathlib import Path

import pytest

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, start
from tests.views.pages.test_collection_report import data_of


def test_it_writes_one_file_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    result = call("report", COLLECTION, "-m", "P@5", "-m", "AP", "-o", out)
    assert (result.code, result.out) == (0, "")
    assert f"wrote {out}, 0.1 MB" in result.err
    assert "greyness-gaps: returns nothing for 2 judged topics" in result.err
    assert list(tmp_path.iterdir()) == [out]
    page = out.read_text(encoding="utf-8")
    assert [each["name"] for each in data_of(page)["measures"]] == ["P@5", "AP"]
    assert f"leadline report {COLLECTION} -m P@5 -m AP -o {out}" in page


def test_without_a_file_the_page_goes_to_standard_output() -> None:
    result = start("report", COLLECTION, "-m", "P@5", "--title", "Sea & sky")
    assert result.code == 0
    assert result.out.startswith("<!doctype html>")
    assert result.out.endswith("</html>\n")
    assert "<h1>Sea &amp; sky</h1>" in result.out


def test_options_reach_the_page(tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text("3\n5\n7\n")
    options = (
        "--test",
        "t",
        "--correction",
        "bh",
        "--alpha",
        "0.2",
        "--seed",
        "4",
        "--topics",
        topics,
    )
    page = call("report", COLLECTION, "-m", "P@5", *options, "--pool-depth", "7").out
    assert "Test: t, two-tailed, unjudged as lower, alpha 0.2, correction: bh" in page
    assert "pool of depth 7 (given)" in page
    assert data_of(page)["topics"] == ["3", "5", "7"]


def test_runs_without_judgments_have_a_page(tmp_path: Path) -> None:
    shutil.copytree(COLLECTION / "runs", tmp_path / "runs")
    for given in ((tmp_path,), ("none", tmp_path / "runs")):
        result = call("report", *given, "-m", "RBP(p=0.8)", "-m", "AP")
        assert result.code == 0, result.err
        assert "no document of these runs was judged" in result.err
        measures = data_of(result.out)["measures"]
        assert set(measures[0]["mean"]) == {0.0}
        assert set(measures[1]["mean"]) == {None}
        assert "AP is undefined for every run" in result.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--alpha", "7"), "alpha must lie between 0 and 1, not 7"),
        (("--pool-depth", "0"), "depth must be at least 1, not 0"),
        (("--test", "coin"), "coin"),
        (("--correction", "coin"), "coin"),
        (("--estimates", "missing.csv"), "missing.csv: no such file"),
        (("--pool", "missing.csv"), "missing.csv"),
        (("-m", "XYZ"), "XYZ"),
        (("-o", "no/such/folder/report.html"), "is no folder"),
        (("--map-grade", "x"), "FROM=TO"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    arguments: tuple[str, ...], message: str
) -> None:
    result = call("report", COLLECTION, *arguments)
    assert result.code == 2
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""
