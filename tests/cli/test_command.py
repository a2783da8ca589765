"""Before a verb runs: outputs are looked at, and no input is ever overwritten."""

import re
from pathlib import Path

import pytest

from leadline.api.demo import copy_collection
from tests.cli.program import call


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.csv"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 5 x\n")
    return qrels, run


def test_an_output_that_is_an_input_is_refused(files: tuple[Path, Path]) -> None:
    qrels, run = files
    for output in (run, run.with_name("." + run.name).with_name("x.csv")):
        result = call("evaluate", qrels, run, "-o", output)
        assert (result.code, result.out) == (2, "")
        assert f"{output}: is an input" in result.err
    link = run.with_name("link.csv")
    link.symlink_to(run)
    assert call("evaluate", qrels, run, "-o", link).code == 2
    assert call("evaluate", qrels, run.with_name("*.csv"), "-o", run).code == 2
    assert run.read_text() == "1 Q0 a 1 5 x\n"


def test_a_file_of_a_collection_folder_is_an_input_and_results_in_it_are_not(
    tmp_path: Path,
) -> None:
    sea = copy_collection(tmp_path / "sea")
    groups = sea / "groups.tsv"
    before = groups.read_bytes()
    assert call("evaluate", sea, "-m", "P@5", "-o", groups).code == 2
    assert groups.read_bytes() == before
    for _ in range(2):
        assert call("evaluate", sea, "-m", "P@5", "-o", sea / "scores.csv").code == 0


def test_qrels_out_and_chart_are_looked_at_too(files: tuple[Path, Path]) -> None:
    qrels, run = files
    assert "is an input" in call("next", qrels, run, "--qrels-out", qrels).err
    two = run.with_name("y.svg")
    two.write_bytes(run.read_bytes())
    assert "is an input" in call("compare", qrels, run, two, "--chart", two).err


@pytest.mark.parametrize("name", ["scores.xls", "scores.csv.gz", "nowhere/scores.csv"])
def test_an_output_that_cannot_be_is_refused_before_anything_is_read(
    tmp_path: Path, name: str
) -> None:
    result = call("evaluate", "no-such-qrels", "no-such-run", "-o", tmp_path / name)
    assert result.code == 2
    assert name in result.err
    assert "no-such-qrels" not in result.err
    assert not list(tmp_path.iterdir())


def test_a_suffix_and_a_format_that_differ_are_refused(files: tuple[Path, Path]) -> None:
    result = call("evaluate", *files, "--format", "json", "-o", files[0].with_name("o.csv"))
    assert result.code == 2
    assert "its suffix says csv, --format json" in result.err
    assert (
        call("evaluate", *files, "--format", "json", "-o", files[0].with_name("o.json")).code == 0
    )


@pytest.mark.parametrize("number", ["9" * 30, "-" + "9" * 30])
def test_numbers_beyond_reason_are_refused_by_name(files: tuple[Path, Path], number: str) -> None:
    for verb, option in (("pool", "--seed"), ("next", "--budget"), ("estimate", "--pool-depth")):
        result = call(verb, *files, f"{option}={number}")
        assert result.code == 2
        negative = option == "--seed" and number.startswith("-")
        reason = "not in the range x>=0" if negative else "too large"
        assert re.search(f"{option}'?: {number} is {reason}", result.err)


@pytest.mark.parametrize("verb", ["evaluate", "pool", "compare", "estimate", "next", "report"])
def test_every_verb_that_reads_is_told_how_by_the_same_options(verb: str, tmp_path: Path) -> None:
    qrels, topics = tmp_path / "qrels.txt", tmp_path / "topics.txt"
    qrels.write_text("1 0 a -2\n1 0 b 1\n2 0 a 1\n3 0 a 1\n")
    topics.write_text("1\n2\n")
    for name in ("x", "y"):
        run = "1 Q0 a 1 5 x\n1 Q0 b 2 4 x\n2 Q0 a 1 5 x\n3 Q0 a 1 5 x\nbroken\n"
        (tmp_path / f"{name}.run").write_text(run)
    runs = tmp_path / "x.run", tmp_path / "y.run"
    how = "--topics", topics, "--ties", "file-order", "--skip-bad-lines", "--map-grade=-2=0"
    result = call(verb, qrels, *runs, *how)
    assert result.code == 0, result.err
    assert "1 faulty lines were skipped" in result.err
    assert "wants FROM=TO" in call(verb, qrels, *runs, "--map-grade", "1:0").err


def test_quiet_says_nothing_but_errors(files: tuple[Path, ...]) -> None:
    assert call("pool", *files).err
    quiet = call("pool", *files, "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    assert "no such file" in call("evaluate", "nowhere", *files[1:], "--quiet").err
