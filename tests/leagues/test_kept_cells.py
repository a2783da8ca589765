"""What was played is there again, even after a crash."""

from pathlib import Path

from leadline.leagues.kept_cells import NAME, KeptCells


def test_cells_come_back(tmp_path: Path) -> None:
    kept = KeptCells(tmp_path)
    kept.keep("a", [{"rmse": 0.25, "tau": None}])
    kept.keep("b", [])
    assert KeptCells(tmp_path).cells == {"a": [{"rmse": 0.25, "tau": None}], "b": []}


def test_a_line_that_was_cut_off_is_forgotten(tmp_path: Path) -> None:
    kept = KeptCells(tmp_path)
    kept.keep("a", [1])
    kept.keep("b", [2])
    file = tmp_path / NAME
    file.write_bytes(file.read_bytes()[:-8])
    assert KeptCells(tmp_path).cells == {"a": [1]}
