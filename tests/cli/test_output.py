"""What the program prints: columns, formats, where data and notices go, exit codes."""

import csv
import io
import json
import os
import pty
import re
import stat
import subprocess
from pathlib import Path

import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import measures
from tests.cli.outputs import collection
from tests.cli.program import call, command, environment, good, shell, start

EVALUATE = "run,topic,measure,value,lower,upper,judged"
LINT = "file,line,level,code,message"
LIST = "kind,name,parameters,description,formula"
VERBS = ["evaluate", "lint", "list", "demo"]
ESCAPE = "\x1b"


# Columns


def test_csv_survives_names_with_commas_quotes_and_letters_beyond_ascii(
    files: tuple[Path, ...],
) -> None:
    odd = files[0].with_name('b,"m\u00e9".run')
    odd.write_bytes(files[1].read_bytes())
    result = good(call("evaluate", files[0], odd, "-m", "nDCG(gains=exp2, rel=2)@10"))
    (row,) = result.rows()
    assert row["run"] == 'b,"m\u00e9"'
    assert row["measure"] == str(measures.parse("nDCG(gains=exp2, rel=2)@10"))


# Formats


def test_json_holds_the_same_as_csv(files: tuple[Path, ...]) -> None:
    arguments = ("evaluate", *files, "-m", "P@2", "-m", "NumRel", "--per-topic")
    records = good(call(*arguments, "--format", "json")).json()
    rows = good(call(*arguments, "--format", "csv")).rows()
    assert len(records) == len(rows)
    for record, row in zip(records, rows, strict=True):
        assert list(record) == EVALUATE.split(",")
        for key, value in record.items():
            if value is None:
                assert row[key] == ""
            elif isinstance(value, str):
                assert row[key] == value
            else:
                assert float(row[key]) == value


def test_json_of_lint_and_list_has_the_promised_keys(files: tuple[Path, ...]) -> None:
    files[1].write_text("")
    lint = call("lint", *files, "--format", "json")
    assert lint.code == 1
    (record,) = lint.json()
    assert list(record) == LINT.split(",")
    # An empty file has no line to point at.
    assert record["line"] is None
    assert list(good(call("list", "--format", "json")).json()[0]) == LIST.split(",")


def test_csv_comes_when_the_output_is_piped(files: tuple[Path, ...]) -> None:
    result = good(start("evaluate", *files, "-m", "P@2"))
    assert result.out.splitlines()[0] == EVALUATE
    assert result.out == call("evaluate", *files, "-m", "P@2", "--format", "csv").out


def on_terminal(*arguments: object) -> tuple[int, str]:
    """What a person sees whose standard output is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*command(), *map(str, arguments)],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={**environment(), "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 1 << 16):
            seen += piece
    except OSError:
        # Linux says so when the other end of a terminal is closed.
        pass
    finally:
        os.close(ours)
    return process.wait(timeout=60), seen.decode()


def test_a_table_comes_on_a_terminal(files: tuple[Path, ...]) -> None:
    code, seen = on_terminal("evaluate", *files, "-m", "P@2")
    assert code == 0
    assert EVALUATE not in seen
    assert "P@2" in seen
    # People read from the top, so the best run stands there.
    assert seen.index("b-strong") < seen.index("a-weak")


@pytest.mark.parametrize("verb", ["evaluate", "lint", "list"])
def test_a_table_comes_when_asked_and_without_colour_when_piped(
    files: tuple[Path, ...], verb: str
) -> None:
    files[2].write_text(files[2].read_text() + "1 Q0 x\n")
    arguments = {"evaluate": files[:2], "lint": files, "list": ("measures",)}[verb]
    result = start(verb, *arguments, "--format", "table")
    assert result.code == (1 if verb == "lint" else 0)
    assert result.out.splitlines()[0] not in (EVALUATE, LINT, LIST)
    assert {"evaluate": "a-weak", "lint": "error", "list": "nDCG"}[verb] in result.out
    assert ESCAPE not in result.out + result.err


def test_the_table_shows_score_interval_and_share_judged(files: tuple[Path, ...]) -> None:
    out = good(call("evaluate", *files, "-m", "P@2", "--format", "table")).out
    assert out.index("b-strong") < out.index("a-weak")
    line = next(line for line in out.splitlines() if "a-weak" in line)
    assert "0.0000" in line
    assert "0.2500" in line
    assert "%" in line


def test_a_table_does_not_take_brackets_in_a_name_for_markup(files: tuple[Path, ...]) -> None:
    odd = files[0].with_name("run[bold].run")
    odd.write_bytes(files[1].read_bytes())
    out = good(call("evaluate", files[0], odd, "-m", "P@2", "--format", "table")).out
    assert "run[bold]" in out


@pytest.mark.parametrize("form", ["xml", "CSV "])
def test_a_format_that_is_none_is_refused(files: tuple[Path, ...], form: str) -> None:
    result = call("evaluate", *files, "--format", form)
    assert (result.code, result.out) == (2, "")
    assert "table" in result.err
    assert "json" in result.err


# Where it goes


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("verb", ["evaluate", "lint", "list"])
def test_o_writes_to_a_file_what_would_have_been_printed(
    files: tuple[Path, ...], tmp_path: Path, verb: str, form: str
) -> None:
    arguments = (verb, *(() if verb == "list" else files), "--format", form)
    printed = good(call(*arguments))
    before = set(tmp_path.iterdir())
    out = tmp_path / f"out.{form}"
    written = good(call(*arguments, "-o", out))
    assert written.out == ""
    assert out.read_text() == printed.out
    assert set(tmp_path.iterdir()) - before == {out}


def test_o_writes_csv_unless_told_otherwise(files: tuple[Path, ...], tmp_path: Path) -> None:
    good(call("evaluate", *files, "-m", "AP", "-o", tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == EVALUATE


def test_o_replaces_an_older_file(files: tuple[Path, ...], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old\n" * 10_000)
    good(call("evaluate", *files, "-m", "AP", "-o", out))
    assert out.read_text() == call("evaluate", *files, "-m", "AP").out


def test_a_file_written_by_o_can_be_read_like_any_other(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    # A temporary file is private; the finished one must have the rights that the umask leaves.
    old = os.umask(0o022)
    try:
        good(call("evaluate", *files, "-m", "AP", "-o", tmp_path / "out.csv"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o644


def test_o_through_a_link_writes_to_where_it_leads(files: tuple[Path, ...], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "scores.csv"
    target.write_text("old\n")
    (tmp_path / "out.csv").symlink_to(target)
    good(call("evaluate", *files, "-m", "AP", "-o", tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").is_symlink()
    assert target.read_text().splitlines()[0] == EVALUATE


def test_o_writes_into_a_pipe_and_does_not_replace_it(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    # Stands for /dev/null and /dev/stdout, which a program run by root could destroy for all.
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        good(call("evaluate", *files, "-m", "AP", "-o", pipe))
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert os.read(reader, 1 << 16).decode().splitlines()[0] == EVALUATE
    finally:
        os.close(reader)


def test_o_into_a_folder_that_is_not_there_is_refused_by_name(
    files: tuple[Path, ...], tmp_path: Path
) -> None:
    out = tmp_path / "nowhere" / "out.csv"
    result = call("evaluate", *files, "-o", out)
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err
    # The user's own file, not a temporary one that they never asked for.
    assert str(out) in result.err
    assert not out.parent.exists()


def test_o_onto_a_folder_is_refused(files: tuple[Path, ...], tmp_path: Path) -> None:
    result = call("evaluate", *files, "-o", tmp_path)
    assert (result.code, result.out) == (2, "")
    assert "Traceback" not in result.err


def test_standard_output_is_data_and_notices_go_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("1 0 a 1\n1 0 a 1\n1 0 b -1\n1 0 c -2\n2 0 a 1\n3 0 a 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1 t\n9 Q0 a 1 1 t\n")
    arguments = ("evaluate", tmp_path / "q", tmp_path / "r", "-m", "P@2", "-m", "AP", "--per-topic")
    result = good(start(*arguments, "--verbose"))
    rows = list(csv.reader(io.StringIO(result.out)))
    assert {len(row) for row in rows} == {7}
    assert {row[1] for row in rows[1:]} == {"1", "2", "3", "all"}
    for word in ("merged", "-1", "non-relevant", "32 bits", "no judgments", "returns nothing"):
        assert word in result.err
    assert ESCAPE not in result.err
    assert "32 bits" not in good(start(*arguments)).err
    as_json = good(start(*arguments, "--format", "json"))
    assert len(json.loads(as_json.out)) == len(rows) - 1


def test_nothing_is_said_when_nothing_is_odd(files: tuple[Path, ...]) -> None:
    assert good(call("evaluate", *files, "-m", "P@2")).err == ""


# Rows


# Help, version, exit codes


def test_version_tells_the_version() -> None:
    result = good(start("--version"))
    assert leadline.__version__ in result.out
    assert len(result.out.splitlines()) == 1
    assert result.err == ""


def test_help_names_every_verb() -> None:
    result = good(call("--help"))
    assert result.err == ""
    for verb in VERBS:
        assert re.search(rf"\b{verb}\b", result.out)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    result = good(call(verb, "--help"))
    assert result.err == ""
    assert f"leadline {verb}" in result.out


def test_help_is_plain_when_piped() -> None:
    assert ESCAPE not in good(start("evaluate", "--help")).out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("evaluate",),
        ("lint",),
        ("evaluate", "--nonsense"),
        ("evaluate", "q", "r", "--ties", "random"),
        ("evaluate", "q", "r", "--missing-topics", "never"),
        ("evaluate", "q", "r", "--unjudged-topics", "never"),
        ("evaluate", "q", "r", "-m"),
        ("list", "measures", "pools"),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(arguments: tuple[str, ...]) -> None:
    result = call(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err != ""
    assert "Traceback" not in result.err


def test_the_installed_program_ends_with_the_promised_codes(files: tuple[Path, ...]) -> None:
    files[2].write_text("x\n")
    assert start("lint", files[0], files[1]).code == 0
    assert start("lint", *files).code == 1
    assert start("evaluate", *files).code == 2


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    # Far more than a pipe holds, so that the program is still writing when head has gone.
    topics = range(30_000)
    (tmp_path / "q").write_text("".join(f"{topic} 0 d 1\n" for topic in topics))
    (tmp_path / "r").write_text("".join(f"{topic} Q0 d 1 1 t\n" for topic in topics))
    program = " ".join(command())
    line = f'{program} evaluate "$1/q" "$1/r" -m P@1 -m AP --per-topic | head -1'
    # Bash tells how the first of the two ended.
    line += '; echo "codes ${PIPESTATUS[@]}"' if shell().endswith("bash") else ""
    done = subprocess.run(
        [shell(), "-c", line, "sh", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == EVALUATE
    assert done.stderr == ""
    if len(lines) > 1:
        # Done, or ended by the signal that ends every writer to a closed pipe.
        assert lines[1] in ("codes 0 0", "codes 141 0")


@pytest.mark.parametrize("where", [[], ["-o", "scores.csv"], ["--format", "json"]])
def test_a_file_whose_name_is_not_utf8_is_named_in_any_locale(
    tmp_path: Path, where: list[str]
) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    run = os.fsencode(tmp_path) + b"/caf\xe9.run"
    with open(run, "w") as file:  # noqa: PTH123 - a path is text
        file.write("1 Q0 a 1 5 x\n")
    plain = {**environment(), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for env in (environment(), plain):
        done = subprocess.run(
            [*command(), "evaluate", "qrels.txt", run, "-m", "P@1", *where],
            cwd=tmp_path,
            capture_output=True,
            env=env,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        text = (tmp_path / "scores.csv").read_text() if "-o" in where else done.stdout.decode()
        assert "caf\\\\xe9" in text if "json" in where else "caf\\xe9,all" in text


# Pictures


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collection(tmp_path_factory.mktemp("small") / "in")


@pytest.mark.parametrize(
    "words",
    [
        "evaluate {in}",
        "estimate {in} -e LowerBound",
        "adjust {in} --new c --pool-depth 3",
        "correlate {in}/a.csv {in}/b.csv",
        "pool {in}",
        "next {in} --simulate {in}/qrels.txt",
        "plan {in} --budget 6 -m P@5",
        "audit {in}/qrels.txt {in} --reference {in}/qrels.txt -m P@5",
        f"explain {COLLECTION} --run farlight-hand --topic 1",
    ],
)
def test_a_picture_beside_the_table(small: Path, tmp_path: Path, words: str) -> None:
    out, chart = tmp_path / "table.csv", tmp_path / "chart.json"
    arguments = words.format(**{"in": small}).split()
    good(call(*arguments, "-o", out, "--chart", chart))
    assert out.read_text().count("\n") > 1
    assert "vega-lite" in json.loads(chart.read_text())["$schema"]


def test_a_picture_that_cannot_be_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    for name, says in (("x.gif", "a chart ends in"), ("nowhere/x.svg", "nowhere")):
        result = call("evaluate", "no-such-qrels", "no-such-run", "--chart", tmp_path / name)
        assert result.code == 2
        assert says in result.err
        assert "no-such-qrels" not in result.err
