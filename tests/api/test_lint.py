"""lint: a row for each finding, files from folders, patterns and collections."""

from pathlib import Path

import pytest

import leadline
from leadline.api.lint import COLUMNS, lint
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError


def test_findings_have_file_line_level_code_and_message(tmp_path: Path) -> None:
    bad = tmp_path / "bad.run"
    bad.write_text("1 Q0 a 1 9 x\n1 Q0 b\n")
    good = tmp_path / "good.run"
    good.write_text("1 Q0 a 1 9 x\n")
    found = lint([good, bad])
    assert found.frame.columns == COLUMNS
    assert (found.n_files, found.n_errors) == (2, 1)
    assert found.frame.row(0)[:3] == (str(bad), 2, "error")
    assert found.chart().to_dict()["title"]["text"] == "1 findings in 2 files"


def test_nothing_found_has_columns_and_no_table(tmp_path: Path) -> None:
    (tmp_path / "good.run").write_text("1 Q0 a 1 9 x\n")
    found = lint(tmp_path / "good.run")
    assert found.frame.is_empty()
    assert found.frame.columns == COLUMNS
    assert found.table() == ""
    assert found.n_errors == 0


def test_a_collection_stands_for_its_qrels_and_runs() -> None:
    n_runs = len(list((COLLECTION / "runs").iterdir()))
    assert lint(COLLECTION).n_files == n_runs + 1
    assert lint(str(COLLECTION / "runs" / "*")).n_files == n_runs
    assert leadline.lint([COLLECTION / "runs", COLLECTION / "qrels.txt.gz"]).n_files == n_runs + 1


def test_a_file_that_is_not_there_is_a_finding_or_refused(tmp_path: Path) -> None:
    found = lint(tmp_path / "nowhere")
    assert found.n_errors == 1
    assert "no such file" in found.frame["message"][0]
    with pytest.raises(InputError, match="no file fits this pattern"):
        lint(str(tmp_path / "*.run"))


def test_each_group_gets_a_report_of_its_own_runs(tmp_path: Path) -> None:
    runs = tmp_path / "task" / "runs"
    runs.mkdir(parents=True)
    (runs / "good.run").write_text("1 Q0 a 1 3.0 x\n")
    (runs / "bad.run").write_text("1 Q0 a 1 3.0\n1 Q0 b 2 nan x\n1 Q0 c 3 1 x\n")
    (runs / "late.run").write_text("1 Q0 a 1 3.0 z\n")
    groups = tmp_path / "task" / "groups.tsv"
    groups.write_text("run\tgroup\ngood\tA\nbad\tB\n")
    reports = leadline.lint(tmp_path / "task").by_group(groups)
    assert list(reports) == ["B", "A", "late"]
    assert reports["A"] == "Runs of group A: 1 checked.\n\ngood: nothing found\n"
    assert "bad: 2 errors" in reports["B"]
    assert "  error: line 1: expected 6 fields, found 5" in reports["B"]
    assert "good" not in reports["B"]
