"""`leadline lint`: columns, exit codes, what it reads."""

from pathlib import Path

from leadline.io.datasets import COLLECTION
from tests.cli.program import call, good

LINT = "file,line,level,code,message"


def test_lint_writes_the_promised_columns(files: tuple[Path, ...]) -> None:
    assert good(call("lint", *files)).out.splitlines()[0] == LINT
    files[1].write_text("1 Q0 d2 1 9 a\n1 Q0 d3\n1 Q0 d4 3 7 a\n")
    result = call("lint", *files)
    assert result.code == 1
    assert result.out.splitlines()[0] == LINT
    (row,) = result.rows()
    assert (row["file"], row["line"], row["level"]) == (str(files[1]), "2", "error")


def test_lint_without_findings_is_an_empty_list_in_json(files: tuple[Path, ...]) -> None:
    assert good(call("lint", *files, "--format", "json")).json() == []


def test_lint_ends_with_1_only_for_errors(files: tuple[Path, ...]) -> None:
    assert call("lint", *files).code == 0
    files[1].write_text("1 Q0 d2 1 1 t\n1 Q0 d9 2 1 t\n1 Q0 d8 2 5 t\n")
    odd = call("lint", *files)
    assert odd.code == 0
    assert odd.rows()
    files[1].write_text("x\n")
    assert call("lint", *files).code == 1


def test_lint_takes_folders_and_patterns() -> None:
    result = good(call("lint", COLLECTION / "runs"))
    assert "24 files" in result.err
    assert "2 files" in good(call("lint", COLLECTION / "runs" / "dunholm*.gz")).err


def test_errors_and_other_findings_are_counted_on_standard_error(files: tuple[Path, ...]) -> None:
    assert "3 files read: 0 errors, 0 other findings" in call("lint", *files).err
    files[1].write_text("x\n")
    assert "3 files read: 1 errors" in call("lint", *files).err
