"""What was played is there again, even after a crash."""

from pathlib import Path

import pytest

from leadline.lab.benchmark.play import is_rows
from leadline.simulate import NAME, KeptCells


def test_cells_come_back(tmp_path: Path) -> None:
    with KeptCells(tmp_path) as kept:
        kept.keep("a", [{"rmse": 0.25, "tau": None}])
        kept.keep("b", [])
    with KeptCells(tmp_path) as again:
        assert again.cells == {"a": [{"rmse": 0.25, "tau": None}], "b": []}


def test_a_line_that_was_cut_off_is_forgotten(tmp_path: Path) -> None:
    with KeptCells(tmp_path) as kept:
        kept.keep("a", [{"rmse": 0.5}])
        kept.keep("b", [{"rmse": 0.25}])
    file = tmp_path / NAME
    file.write_bytes(file.read_bytes()[:-8])
    with KeptCells(tmp_path) as again:
        assert again.cells == {"a": [{"rmse": 0.5}]}
        again.keep("c", [])
    with KeptCells(tmp_path) as later:
        assert later.cells == {"a": [{"rmse": 0.5}], "c": []}


@pytest.mark.parametrize(
    "line",
    [
        '{"key": "b", "value": 3}',
        '{"key": 3, "value": []}',
        '{"key": "b", "value": [{"rmse": "many"}]}',
        '{"key": "b", "value": [{"budget": 1' + "0" * 30 + "}]}",
        '{"key": "b", "value": [{"budget": 51e308}]}',
        '{"key": "b", "value": [{"budget": 5.5}]}',
        '{"key": "b", "value": [{"rmse": NaN}]}',
        '{"key": "b", "value": [{"why": ""}]}',
        '{"key": "b", "value": [{"why": "\\ud800"}]}',
        '{"key": "b", "value": ' + "[" * 100_000,
    ],
)
def test_what_no_cell_gives_is_forgotten(line: str, tmp_path: Path) -> None:
    with KeptCells(tmp_path) as kept:
        kept.keep("a", [{"why": "too small:\nsee there"}])
    with (tmp_path / NAME).open("a") as out:
        out.write(line + "\n")
    with KeptCells(tmp_path, sound=is_rows) as again:
        assert list(again.cells) == ["a"]


def test_what_was_made_from_something_else_stays_apart(tmp_path: Path) -> None:
    with KeptCells(tmp_path, "first ") as kept:
        kept.keep("a", 1)
    with KeptCells(tmp_path, "second ") as other:
        assert other.cells == {}
        other.keep("a", 2)
    with KeptCells(tmp_path, "first ") as again:
        assert again.cells == {"a": 1}


def test_one_benchmark_at_a_time(tmp_path: Path) -> None:
    with KeptCells(tmp_path), pytest.raises(ValueError, match="in use by another"):
        KeptCells(tmp_path)
