"""Two runs by name or file: the same file is the same run, another of that name is told apart."""

from pathlib import Path

import pytest

import leadline
from leadline.api.gate import read_two
from leadline.io.problems import InputError

LINES = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    (made / "runs").mkdir(parents=True)
    (made / "qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    for name in ("one", "two"):
        (made / "runs" / f"{name}.run").write_text(LINES)
    (tmp_path / "two.run").write_text(LINES)
    return made


def test_names_of_runs_of_a_folder(folder: Path) -> None:
    collection, baseline, new = read_two(folder, None, "one", "two")
    assert (baseline, new) == ("one", "two")
    assert collection.runs.names == ("one", "two")
    again, *names = read_two(collection, None, "two", "one")
    assert names == ["two", "one"]
    assert again.runs is collection.runs


def test_a_file_of_the_folder_is_that_run(folder: Path) -> None:
    collection, _, new = read_two(folder, None, "one", folder / "runs" / "two.run")
    assert new == "two"
    assert len(collection.runs.names) == 2


def test_another_file_of_the_same_name_is_told_apart(folder: Path) -> None:
    other = folder.parent / "two.run"
    collection, baseline, new = read_two(folder, None, "two", other)
    assert (baseline, new) == ("two", "two (new)")
    assert collection.runs.names == ("one", "two", "two (new)")
    assert read_two(folder, None, other, "two")[1] == "two (baseline)"


def test_qrels_and_two_files_will_do(folder: Path) -> None:
    files = folder / "runs" / "two.run", folder.parent / "two.run"
    collection, *names = read_two(folder / "qrels.txt", [], *files)
    assert names == ["two", "two (new)"]
    assert list(collection.runs.names) == names


def test_tables_are_runs_too() -> None:
    runs = [{"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1.0, "b": 2.0}}]
    names = read_two({"1": {"a": 1}}, [], *runs)[1:]
    assert names == ("run", "run (new)")


def test_what_is_no_run_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match=r"three: is no file, and no run is named so; there are"):
        read_two(folder, None, "one", "three")
    assert read_two(folder, None, "one", "one")[1:] == ("one", "one")
    with pytest.raises(ValueError, match="`new` must be one run, not 2"):
        read_two(folder, None, "one", folder / "runs")
    read = leadline.read(folder)
    with pytest.raises(ValueError, match="`new`: no run is named three; there are one, two"):
        read_two(read, None, "one", "three")
