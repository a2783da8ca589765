"""Whatever a user points at becomes named runs, in a settled order."""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from backports import zstd

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.formats import Reading
from leadline.io.inputs import (
    collection_inputs,
    expand,
    plain_sources,
    runs_from,
    topic_names,
)
from leadline.io.problems import InputError, Notices
from tests.io.plain_files import cli, text

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


SIDE = [".DS_Store", "Thumbs.db", "desktop.ini", "a.bak", "a.run.orig.gz", "a.txt~", "Icon\r"]


def write_with_side_files(folder: Path) -> Path:
    """Two runs, and beside them what must not be read: the first two are not even text."""
    folder.mkdir()
    for name in ("a.run", "b.run", "README.txt"):
        (folder / name).write_text(LINE)
    for name in SIDE:
        (folder / name).write_bytes(b"\0" if name in SIDE[:2] else LINE.encode())
    return folder


@pytest.mark.parametrize(
    ("pattern", "runs", "n_left_out"),
    [
        ("", ["a", "b"], len(SIDE)),
        # No pattern but one with a dot finds a hidden file; the archive's folder is found itself.
        ("*", ["a", "b"], len(SIDE) - 1 + 1),
        ("**/*", ["a", "b"], len(SIDE) - 1 + 2),
        ("a*", ["a"], 3),
    ],
)
def test_backup_and_system_files_are_left_out_with_one_notice(
    tmp_path: Path, pattern: str, runs: list[str], n_left_out: int
) -> None:
    folder = write_with_side_files(tmp_path / "runs")
    (folder / "README.txt").unlink()
    (folder / "__MACOSX").mkdir()
    (folder / "__MACOSX" / "a.run").write_text(LINE)
    notices = Notices()
    assert [run.name for run in runs_from(str(folder / pattern), notices)] == runs
    (problem,) = notices.problems
    assert (problem.file, problem.code) == (str(folder / pattern), "left-out")
    assert problem.message.startswith(f"{n_left_out} backup or system files left out: ")


def test_a_side_file_is_read_where_it_is_named_or_asked_for(tmp_path: Path) -> None:
    folder = write_with_side_files(tmp_path / "runs")
    notices = Notices()
    assert [run.name for run in runs_from(folder / "a.bak", notices)] == ["a.bak"]
    assert [run.name for run in runs_from(str(folder / "*.bak"), notices)] == ["a.bak"]
    assert notices.problems == []


def test_a_folder_of_side_files_alone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bak").write_text(LINE)
    with pytest.raises(InputError, match="without files but backup and system files"):
        runs_from(tmp_path)


VERBS = ["evaluate", "compare", "gate", "adjust", "report", "lint", "read"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_leaves_side_files_of_a_collection_out_and_says_so_once(
    tmp_path: Path, verb: str
) -> None:
    folder = tmp_path / "collection"
    folder.mkdir()
    (folder / "qrels.txt").write_text("1 0 a 1\n2 0 a 0\n")
    runs = write_with_side_files(folder / "runs")
    for name in ("a.run", "b.run"):
        (runs / name).write_text("1 Q0 a 1 2.0 x\n2 Q0 a 1 2.0 x\n2 Q0 b 2 1.0 x\n")
    more = {
        "gate": {"baseline": "a", "new": "b", "measures": "P@1"},
        "adjust": {"new": "b", "measures": "P@1"},
    }
    result = getattr(leadline, verb)(folder, **more.get(verb, {}))
    if verb == "lint":
        said = result.frame.filter(code="left-out")["message"].to_list()
    else:
        said = [each.message for each in result.notices.problems if each.code == "left-out"]
    assert len(said) == 1
    assert "7 backup or system files left out: .DS_Store, Icon\\r, Thumbs.db" in said[0]


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


def test_a_collection_folder_is_read_as_one_thing() -> None:
    qrels, runs = COLLECTION / "qrels.txt.gz", COLLECTION / "runs"
    whole = leadline.evaluate(COLLECTION, measures=["P@10", "AP"], per_topic=True)
    assert whole.equals(leadline.evaluate(qrels, runs, ["P@10", "AP"], per_topic=True))
    assert whole["run"].n_unique() == 24
    assert whole["topic"].n_unique() == 20 + 1


def test_a_folder_and_a_pattern_stand_for_their_runs() -> None:
    qrels, runs = COLLECTION / "qrels.txt.gz", COLLECTION / "runs"
    arguments = ("-m", "P@10")
    whole = cli(COLLECTION, *arguments).out
    assert len(whole.splitlines()) == 25
    assert cli(qrels, runs, *arguments).out == whole
    assert cli(qrels, runs / "*.gz", *arguments).out == whole
    by_name = sorted(runs.iterdir(), key=lambda path: path.stem)
    assert cli(qrels, *by_name, *arguments).out == whole
    some = cli(qrels, runs / "anstey-bm2?.gz", runs / "corran*", *arguments).rows()
    assert [row["run"] for row in some] == [
        "anstey-bm25",
        "corran-cosine",
        "corran-lsa100-desc",
        "corran-lsa60",
    ]


def test_read_holds_what_the_folder_has() -> None:
    collection = leadline.read(COLLECTION)
    assert len(collection.runs.names) == 24
    assert len(collection.runs.pairs.topics) == 20
    assert collection.groups.columns == ["run", "group", "type", "pooled", "family"]
    assert collection.groups["group"].n_unique() >= 6
    assert collection.judgments.judged.any()


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz", "qrels.ndeval.txt"])
def test_a_collection_may_name_its_qrels_in_several_ways(tmp_path: Path, name: str) -> None:
    content = text(["1 1 a 1", "1 2 a 0"] if "ndeval" in name else ["1 0 a 1"])
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.gz").write_bytes(gzip.compress(b"1 Q0 a 1 1 t\n"))
    got = cli(tmp_path, "-m", "P@1").table()
    assert float(got["x", "all", "P@1"]["value"]) == 1


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("bm25", "bm25"),
        ("bm25.gz", "bm25"),
        ("bm25.zst", "bm25"),
        ("bm25.run", "bm25"),
        ("bm25.txt", "bm25"),
        ("bm25.run.gz", "bm25"),
        ("bm25.txt.zst", "bm25"),
        ("bm25.v1.2.run", "bm25.v1.2"),
        ("input.bm25.gz", "input.bm25"),
        ("bm25-[a] b,c.run", "bm25-[a] b,c"),
    ],
)
def test_a_run_is_named_after_its_file(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    content = b"1 Q0 a 1 1 not-the-name\n"
    packed = {"gz": gzip.compress, "zst": zstd.compress}.get(file.rpartition(".")[2], bytes)
    (tmp_path / file).write_bytes(packed(content))
    result = cli(tmp_path / "q", tmp_path / file, "-m", "P@1")
    assert [row["run"] for row in result.rows()] == [name]


@pytest.mark.parametrize(
    "ask",
    [
        lambda folder: leadline.evaluate(folder / "qrels.txt.gz", ""),
        lambda folder: leadline.evaluate(folder / "qrels.txt.gz", [""]),
        lambda folder: leadline.evaluate(""),
        lambda folder: leadline.evaluate("", folder / "runs"),
        lambda folder: leadline.adjust(folder, new="", measures="P@10"),
        lambda folder: leadline.gate(folder, baseline="", new="anstey-bm25"),
        lambda folder: leadline.lint([""]),
    ],
)
def test_an_empty_name_is_not_the_current_folder(
    ask: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_text(LINE)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="a file name is empty"):
        ask(COLLECTION)
