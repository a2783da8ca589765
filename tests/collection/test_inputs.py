"""Whatever a user points at becomes named runs, in a settled order."""

from pathlib import Path

import polars as pl
import pytest

from leadline.collection.inputs import (
    collection_inputs,
    expand,
    plain_sources,
    runs_from,
    topic_names,
)
from leadline.files.problems import InputError
from leadline.formats.read_options import Reading

LINE = "1 Q0 a 1 2.0 x\n"
ONE = {"1": {"a": 2.0}}


def names(what: object) -> list[str]:
    return [run.name for run in runs_from(what)]


def test_paths_folders_and_patterns_are_runs_by_name(tmp_path: Path) -> None:
    for name in ("b.run.gz", "a.txt", ".hidden", "README.md"):
        (tmp_path / name).write_text(LINE)
    (tmp_path / "folder").mkdir()
    assert names(tmp_path) == ["a", "b"]
    assert names(str(tmp_path / "?.*")) == ["a", "b"]
    assert names([tmp_path / "b.run.gz", tmp_path / "a.txt"]) == ["b", "a"]
    assert names("-") == ["stdin"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    odd = tmp_path / "run[1].txt"
    odd.write_text(LINE)
    assert expand(str(odd)) == [str(odd)]


def test_dicts_and_tables_are_one_run_or_several() -> None:
    assert names(ONE) == ["run"]
    assert names({"x": ONE, "y": ONE}) == ["x", "y"]
    assert names([("1", "a", 2.0)]) == ["run"]
    table = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "score": [1.0, 2.0]})
    assert names(table) == ["run"]
    several = runs_from(table.with_columns(run=pl.Series(["y", "x"])))
    assert [run.name for run in several] == ["y", "x"]
    assert [run.rows(Reading()).run_score.tolist() for run in several] == [[1.0], [2.0]]


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "x.run", tmp_path / "x.txt"]
    for path in paths:
        path.write_text(LINE)
    with pytest.raises(InputError, match=r"named x: .*x\.(run|txt), .*x\.(run|txt)\. Rename one"):
        runs_from(tmp_path)
    with pytest.raises(InputError, match=r"two runs are named run: give \{name: run\}"):
        runs_from([ONE, ONE])


@pytest.mark.parametrize(
    ("what", "told"), [([], "no runs to evaluate"), (7, "a path or a table, not 7")]
)
def test_what_holds_no_run_is_refused(what: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        runs_from(what)


def test_empty_folders_and_patterns_that_nothing_fits_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder without files"):
        expand(str(tmp_path))
    with pytest.raises(InputError, match="no file fits this pattern"):
        expand(str(tmp_path / "*.run"))


def test_the_size_of_a_packed_file_allows_for_its_content(tmp_path: Path) -> None:
    for name in ("a.run", "b.run.gz"):
        (tmp_path / name).write_bytes(b"x" * 10)
    assert [run.size for run in runs_from(tmp_path)] == [10, 40]
    assert runs_from(ONE)[0].size == 0


def test_only_files_of_trec_lines_are_plain(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text(LINE)
    found = plain_sources(runs_from(tmp_path))
    assert found is not None
    assert [source.data for source in found] == [LINE.encode()]
    assert plain_sources([*runs_from(tmp_path), *runs_from(ONE)]) is None
    (tmp_path / "b.json").write_text('{"1": {"a": 2.0}}')
    assert plain_sources(runs_from(tmp_path)) is None


def test_a_collection_has_qrels_and_a_folder_of_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no qrels: expected one of qrels\.txt"):
        collection_inputs(tmp_path)
    (tmp_path / "qrels.txt.gz").touch()
    with pytest.raises(InputError, match="has no folder named runs"):
        collection_inputs(tmp_path)
    assert collection_inputs(tmp_path, runs=False)[0] == tmp_path / "qrels.txt.gz"
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.ndeval.txt").touch()
    runs = tmp_path / "runs"
    assert collection_inputs(tmp_path) == (tmp_path / "qrels.txt.gz", runs)
    assert collection_inputs(tmp_path, subtopics=True) == (tmp_path / "qrels.ndeval.txt", runs)
    for name in ("qrels.txt.gz", "qrels.ndeval.txt"):
        (tmp_path / name).unlink()
    assert collection_inputs(tmp_path, need_qrels=False) == (None, runs)


def test_what_is_no_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        collection_inputs(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a single file; give QRELS and RUNS"):
        collection_inputs(tmp_path / "file")


def test_topics_are_named_or_read(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("7\n5\n")
    assert topic_names(None) is None
    assert topic_names(iter(["3", "1"])) == ["3", "1"]
    assert topic_names(tmp_path / "topics") == ["7", "5"]
