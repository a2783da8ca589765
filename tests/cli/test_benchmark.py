"""`leadline benchmark`: a table, or a folder."""

from pathlib import Path

import polars as pl

from leadline.io.datasets import COLLECTION
from tests.cli.program import call

ASKED = ("benchmark", COLLECTION, "--task", "d", "-m", "P@10", "--budget", 20, "--draws", 1)
SMALL = ("--share", 0.25, "--runs", 12, "--method", "MaxMean", "--method", "MoveToFront")


def test_without_a_folder_the_table_is_printed() -> None:
    result = call(*ASKED, *SMALL)
    assert result.code == 0, result.err
    table = pl.read_csv(result.out.encode())
    # The letter stands for two tasks.
    assert table["task"].to_list() == ["best", "best", "five", "five"]
    assert table["method"].to_list() == ["MaxMean", "MoveToFront"] * 2
    assert "best, P@10: first tier" in result.err


def test_with_a_folder_it_says_what_to_open(tmp_path: Path) -> None:
    result = call(*ASKED, *SMALL, "-o", tmp_path / "out")
    assert result.code == 0, result.err
    assert result.out == ""
    assert "benchmark.html" in result.err
    assert (tmp_path / "out" / "tiers.csv").is_file()


def test_bad_input_is_refused(tmp_path: Path) -> None:
    assert call("benchmark", tmp_path / "none").code == 2
    file = tmp_path / "file"
    file.write_text("")
    result = call(*ASKED, *SMALL, "-o", file)
    assert result.code == 2
    assert "is a file, not a folder" in result.err
    wrong = call(*ASKED, "--entrant", file)
    assert wrong.code == 2
    assert "an entrant is a Python file" in wrong.err
