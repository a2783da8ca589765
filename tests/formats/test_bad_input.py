"""Every bad input: its message, exit code 2, and nothing left behind.

The promise is the same for all of them: the message names the file, the line where there is one,
what was found and what was expected; standard output stays empty; no output file and no temporary
file appears; there is never a traceback.
"""

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
from backports import zstd
from ir_measures import Qrel, ScoredDoc

import leadline
from tests.cli.program import Result, call, start

QRELS = ["1 0 d1 1", "1 0 d2 0", "2 0 d3 2"]
RUN = ["1 Q0 d1 1 3.0 tag", "1 Q0 d2 2 2.0 tag", "2 Q0 d3 1 1.5 tag"]
LINT_COLUMNS = "file,line,level,code,message"


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@dataclass(frozen=True)
class Bad:
    """A line that ruins a file, and what its message must hold."""

    line: bytes | str
    says: tuple[str, ...]
    kind: str = "run"
    skipped: bool = field(default=True)
    """Whether --lenient can leave out this line and go on."""

    @property
    def good(self) -> bytes:
        return text(RUN if self.kind == "run" else QRELS)

    @property
    def content(self) -> bytes:
        line = self.line.encode() if isinstance(self.line, str) else self.line
        return self.good + line + b"\n"


# Each line is the fourth of its file, below three good ones.
LINES = {
    "a run line with too few fields": Bad(
        "1 Q0 d9 3 0.5", ("6 fields", "found 5", "1 Q0 d9 3 0.5")
    ),
    "a run line with a single field": Bad("x", ("6 fields", "found 1", '"x"')),
    "a run line with too many fields": Bad(
        "1 Q0 d9 3 0.5 tag more", ("6 fields", "found 7", "more")
    ),
    "a run line with a seventh field after a tab": Bad(
        "1 Q0 d9 3 0.5 tag\tmore", ("6 fields", "found 7", "more")
    ),
    "a run line with a tab inside its docno": Bad(
        "1 Q0 d9\tx 3 0.5 tag", ("6 fields", "found 7", "d9")
    ),
    "a run line whose empty docno hides between two blanks": Bad(
        "1 Q0  3 0.5 tag", ("6 fields", "found 5")
    ),
    "a NaN score": Bad("1 Q0 d9 3 NaN tag", ("score", "number", '"NaN"')),
    "a nan score in small letters with a sign": Bad(
        "1 Q0 d9 3 -nan tag", ("score", "number", "-nan")
    ),
    "a text score": Bad("1 Q0 d9 3 high tag", ("score", "number", '"high"')),
    "a score with a decimal comma": Bad("1 Q0 d9 3 0,5 tag", ("score", "number", '"0,5"')),
    "a hexadecimal score": Bad("1 Q0 d9 3 0x10 tag", ("score", "number", '"0x10"')),
    # Python's float() takes the next four.
    "a score with an underscore": Bad("1 Q0 d9 3 1_0 tag", ("score", "number", '"1_0"')),
    "a score in Arabic digits": Bad(
        "1 Q0 d9 3 \u0661\u0662 tag", ("score", "number", "\u0661\u0662")
    ),
    "a score in full-width digits": Bad(
        "1 Q0 d9 3 \uff11\uff12 tag", ("score", "number", "\uff11\uff12")
    ),
    "a score with a no-break space before it": Bad(
        "1 Q0 d9 3 \u00a00.5 tag", ("score", "number", "0.5")
    ),
    # And its split() takes these as separators.
    "a run line with a no-break space between fields": Bad(
        "1 Q0\u00a0d9 3 0.5 tag", ("6 fields", "found 5", "no-break")
    ),
    "a run line with only no-break spaces between fields": Bad(
        "1 Q0 d9 3 0.5 tag".replace(" ", "\u00a0"), ("6 fields", "found 1", "no-break")
    ),
    "a run line with a line separator of Unicode": Bad(
        "1 Q0\u2028d9 3 0.5 tag", ("6 fields", "found 5")
    ),
    "a document twice in a list, topics scattered": Bad(
        "1 Q0 d1 3 0.5 tag", ("d1", "twice", "topic 1", "line 1", "Keep one")
    ),
    "a document twice in a list, one line after the other": Bad(
        "2 Q0 d3 2 1.4 tag", ("d3", "twice", "topic 2", "line 3", "Keep one")
    ),
    "a docno that is not UTF-8": Bad(b"1 Q0 d\xe9 3 0.5 tag", ("UTF-8", "Convert")),
    "a tag that is not UTF-8": Bad(b"1 Q0 d9 3 0.5 caf\xe9", ("UTF-8", "Convert")),
    "a NUL byte in a docno": Bad(b"1 Q0 d\x009 3 0.5 tag", ("NUL",), skipped=False),
    "a NUL byte at the end of a run line": Bad(b"1 Q0 d9 3 0.5 tag\x00", ("NUL",), skipped=False),
    "a qrels line with too few fields": Bad("1 0 d9", ("4 fields", "found 3", "1 0 d9"), "qrels"),
    "a qrels line with too many fields": Bad("1 0 d9 1 1 1", ("fields", "found 6"), "qrels"),
    "a qrels line with a tab inside its docno": Bad("1 0 d9\tx y 1", ("fields", "found"), "qrels"),
    "a fractional grade": Bad("1 0 d9 0.5", ("grade", "whole number", '"0.5"'), "qrels"),
    "a text grade": Bad("1 0 d9 good", ("grade", "whole number", '"good"'), "qrels"),
    "a NaN grade": Bad("1 0 d9 nan", ("grade", "whole number", '"nan"'), "qrels"),
    "a grade with an underscore": Bad("1 0 d9 1_0", ("grade", "whole number", '"1_0"'), "qrels"),
    "a grade in Arabic digits": Bad("1 0 d9 \u0661", ("grade", "whole number", "\u0661"), "qrels"),
    "a grade with a no-break space behind it": Bad(
        "1 0 d9 1\u00a0", ("grade", "whole number"), "qrels"
    ),
    "a grade beyond every scale": Bad(
        "1 0 d9 99999999999999999999", ("grade", "99999999999999999999"), "qrels"
    ),
    "a qrels line with no-break spaces between fields": Bad(
        "1\u00a00\u00a0d9\u00a01", ("4 fields", "found 1", "no-break"), "qrels"
    ),
    "a conflicting duplicate judgment": Bad(
        "1 0 d1 0", ("d1", "topic 1", "grade 0", "line 1", "Decide"), "qrels"
    ),
    "a judged docno that is not UTF-8": Bad(b"1 0 d\xe9 1", ("UTF-8", "Convert"), "qrels"),
    "a NUL byte in qrels": Bad(b"1 0 d9\x00 1", ("NUL",), "qrels", skipped=False),
}
every_line = pytest.mark.parametrize("bad", LINES.values(), ids=LINES.keys())
SKIPPED = {name: bad for name, bad in LINES.items() if bad.skipped}


@dataclass(frozen=True)
class Folder:
    """A folder with good qrels and a good run, ready to be ruined."""

    path: Path

    def write(self, name: str, content: bytes) -> Path:
        file = self.path / name
        file.write_bytes(content)
        return file

    def evaluate(
        self,
        *inputs: object,
        measure: str = "P@2",
        options: tuple[object, ...] = (),
        program: Callable[..., Result] = call,
    ) -> Result:
        """`leadline evaluate ... -o out.csv` in this folder, which must not change if it fails."""
        before = self.listing()
        out = self.path / "out.csv"
        result = program("evaluate", *inputs, "-m", measure, *options, "-o", out)
        if result.code:
            assert self.listing() == before
        return result

    def listing(self) -> dict[str, bytes]:
        files = [file for file in self.path.rglob("*") if file.is_file()]
        return {str(file.relative_to(self.path)): file.read_bytes() for file in files}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.write("qrels.txt", text(QRELS))
    made.write("good.run", text(RUN))
    return made


def inputs_of(folder: Folder, kind: str, file: Path) -> tuple[Path, Path]:
    """The file in its place, something good in the other."""
    if kind == "run":
        return folder.path / "qrels.txt", file
    return file, folder.path / "good.run"


def check_refused(result: Result, *says: str) -> None:
    assert "Traceback" not in result.err
    assert result.code == 2, result.err
    assert result.out == ""
    for each in says:
        assert each in result.err
    # One line of words for a person, not a page of internals.
    assert "polars" not in result.err
    assert "Warning:" not in result.err


def check_linted(result: Result, file: Path, line: int | None) -> list[dict[str, str]]:
    assert "Traceback" not in result.err
    assert result.code == 1, result.err
    assert result.out.splitlines()[0] == LINT_COLUMNS
    errors = [row for row in result.rows() if row["level"] == "error"]
    assert {row["file"] for row in errors} == {str(file)}
    assert {row["line"] for row in errors} == {"" if line is None else str(line)}
    assert all(row["code"] and row["message"] for row in errors)
    return errors


# Faulty lines


@every_line
def test_evaluate_refuses(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    result = folder.evaluate(*inputs_of(folder, bad.kind, file))
    check_refused(result, f"{file}:4: ", *bad.says)


@every_line
def test_lint_finds(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    check_linted(call("lint", file), file, 4)


@pytest.mark.parametrize("bad", SKIPPED.values(), ids=SKIPPED.keys())
def test_lenient_skips_and_counts(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    options = ("--lenient", "--per-topic", "-m", "NumRet", "-m", "NumRel")
    result = folder.evaluate(*inputs_of(folder, bad.kind, file), options=options)
    assert result.code == 0, result.err
    assert "skipped" in result.err
    said = next(line for line in result.err.splitlines() if "skipped" in line)
    assert str(file) in said
    assert " 1 " in said
    scores = (folder.path / "out.csv").read_bytes()
    # The same as if the line had never been there.
    file.write_bytes(bad.good)
    assert folder.evaluate(*inputs_of(folder, bad.kind, file), options=options).code == 0
    assert (folder.path / "out.csv").read_bytes() == scores


@pytest.mark.parametrize(
    "name",
    [
        "a run line with too few fields",
        "a NaN score",
        "a document twice in a list, topics scattered",
        "a conflicting duplicate judgment",
        "a NUL byte in a docno",
    ],
)
def test_the_installed_program_refuses(folder: Folder, name: str) -> None:
    bad = LINES[name]
    file = folder.write("bad.txt", bad.content)
    result = folder.evaluate(*inputs_of(folder, bad.kind, file), program=start)
    check_refused(result, f"{file}:4: ", *bad.says)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_line_number_counts_blank_lines_and_comments(folder: Folder, kind: str) -> None:
    good = text(RUN if kind == "run" else QRELS)
    file = folder.write("bad.txt", b"\xef\xbb\xbf# a comment\r\n\r\n" + good + b"  # more\nx y\n")
    result = folder.evaluate(*inputs_of(folder, kind, file))
    check_refused(result, f"{file}:7: ", "found 2", '"x y"')
    check_linted(call("lint", file), file, 7)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_line_number_is_right_whatever_ends_the_lines(folder: Folder, newline: str) -> None:
    lines = [*RUN, "1 Q0 d9 3 high tag"]
    file = folder.write("bad.run", newline.join([*lines, ""]).encode())
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), f"{file}:4: ", '"high"')
    check_linted(call("lint", file), file, 4)


def test_a_line_number_is_right_in_a_compressed_file(folder: Folder) -> None:
    file = folder.write("bad.gz", gzip.compress(text([*RUN, "1 Q0 d9 3 high tag"])))
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), f"{file}:4: ", '"high"')
    check_linted(call("lint", file), file, 4)


def test_a_long_line_is_cut_in_the_message(folder: Folder) -> None:
    file = folder.write("bad.run", text([*RUN, "x" * 100_000]))
    result = folder.evaluate(folder.path / "qrels.txt", file)
    check_refused(result, f"{file}:4: ", "found 1")
    assert len(result.err) < 1000


def test_a_fault_deep_inside_a_tabbed_file_is_found_as_at_its_top(folder: Folder) -> None:
    # A reader that looks at the head to guess the separator must still check every line.
    lines = [f"1\tQ0\td{number}\t1\t{9000 - number}\ttag" for number in range(9000)]
    file = folder.write("bad.run", text([*lines, "1\tQ0\td x\t1\t0.5\ttag"]))
    result = folder.evaluate(folder.path / "qrels.txt", file)
    check_refused(result, f"{file}:9001: ", "6 fields", "found 7")


def test_whether_the_fifth_column_may_come_and_go_does_not_hang_on_the_first_line(
    folder: Folder,
) -> None:
    # Shuffling lines must change nothing, so these two are both fine or both refused.
    run = folder.path / "good.run"
    lines = ["1 0 d1 1", "1 0 d2 0 0.5"]
    codes = [
        folder.evaluate(folder.write("q.txt", text(each)), run).code
        for each in (lines, lines[::-1])
    ]
    assert codes[0] == codes[1]


@pytest.mark.parametrize("share", ["0", "-0.5", "1.5", "nan", "half", "1_0"])
def test_an_inclusion_probability_that_is_none_is_refused(folder: Folder, share: str) -> None:
    file = folder.write("q.txt", text(["1 0 d1 1 0.5", f"1 0 d2 0 {share}"]))
    result = folder.evaluate(file, folder.path / "good.run")
    check_refused(result, f"{file}:2: ", "inclusion", f'"{share}"')
    check_linted(call("lint", file), file, 2)


# At most ten


def test_at_most_ten_messages_of_one_kind_are_shown_then_a_count(folder: Folder) -> None:
    bad = [f"1 Q0 e{number} 1 high tag" for number in range(25)]
    few = [f"1 Q0 f{number} 1 0.1" for number in range(12)]
    file = folder.write("bad.run", text([*RUN, *bad, *few]))
    result = folder.evaluate(folder.path / "qrels.txt", file)
    check_refused(result)
    shown = result.err.splitlines()
    assert sum('"high"' in line for line in shown) == 10
    assert sum("6 fields" in line for line in shown) == 10
    counts = [line for line in shown if str(file) not in line]
    assert len(counts) == 2
    assert any("15" in line for line in counts)
    assert any(" 2 " in line for line in counts)


def test_ten_messages_need_no_count(folder: Folder) -> None:
    bad = [f"1 Q0 e{number} 1 high tag" for number in range(10)]
    file = folder.write("bad.run", text([*RUN, *bad]))
    result = folder.evaluate(folder.path / "qrels.txt", file)
    check_refused(result)
    assert len(result.err.splitlines()) == 10


def test_lenient_counts_lines_not_faults(folder: Folder) -> None:
    # The first of the two lines is wrong in two ways.
    lines = text(RUN) + b"1 Q0 d\xe9 3 high tag\n1 Q0 d8 4 high tag\n"
    file = folder.write("bad.run", lines)
    result = folder.evaluate(folder.path / "qrels.txt", file, options=("--lenient",))
    assert result.code == 0, result.err
    said = next(line for line in result.err.splitlines() if "skipped" in line)
    assert " 2 " in said


def test_lenient_still_refuses_a_file_of_which_nothing_is_left(folder: Folder) -> None:
    file = folder.write("bad.run", text(["1 Q0 d1 1 high tag", "1 Q0 d2 1 low tag"]))
    result = folder.evaluate(folder.path / "qrels.txt", file, options=("--lenient",))
    check_refused(result, str(file))


# Files that are wrong as a whole

HOLLOW = {
    "nothing at all": b"",
    "blank lines only": b"\n \n\t\r\n\n",
    "a byte order mark only": b"\xef\xbb\xbf",
    "comments only": b"# one\n# two\n",
    "comments and blank lines only": b"\n  # one\n\n#two",
    "an empty gz": gzip.compress(b""),
    "comments only in a gz": gzip.compress(b"# one\n"),
    "an empty zst": zstd.compress(b""),
}
hollow = pytest.mark.parametrize("content", HOLLOW.values(), ids=HOLLOW.keys())


@hollow
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_file_with_nothing_in_it_is_refused(folder: Folder, kind: str, content: bytes) -> None:
    file = folder.write("hollow.txt", content)
    check_refused(folder.evaluate(*inputs_of(folder, kind, file)), str(file), "empty")


@hollow
def test_lint_finds_a_file_with_nothing_in_it(folder: Folder, content: bytes) -> None:
    file = folder.write("hollow.txt", content)
    check_linted(call("lint", file), file, None)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_lenient_does_not_excuse_an_empty_file(folder: Folder, kind: str) -> None:
    file = folder.write("hollow.txt", b"")
    result = folder.evaluate(*inputs_of(folder, kind, file), options=("--lenient",))
    check_refused(result, str(file), "empty")


def test_a_run_given_as_qrels_is_recognised(folder: Folder) -> None:
    run = folder.path / "good.run"
    other = folder.write("other.run", text(RUN))
    result = folder.evaluate(run, other)
    check_refused(result, str(run), "looks like a run", "6 fields", "qrels first")
    assert len(result.err.splitlines()) == 1


def test_qrels_given_as_a_run_are_recognised(folder: Folder) -> None:
    qrels = folder.path / "qrels.txt"
    other = folder.write("other.txt", text(QRELS))
    result = folder.evaluate(qrels, other)
    check_refused(result, str(other), "looks like a qrels file", "4 fields", "qrels first")
    assert len(result.err.splitlines()) == 1


def test_qrels_and_run_in_the_wrong_order_are_recognised(folder: Folder) -> None:
    qrels, run = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(run, qrels, program=start), str(run), "qrels first")


def test_no_topic_in_common_is_refused_and_both_sides_are_shown(folder: Folder) -> None:
    qrels = folder.path / "qrels.txt"
    run = folder.write("far.run", text(["77 Q0 d1 1 3.0 tag", "78 Q0 d1 1 3.0 tag"]))
    check_refused(folder.evaluate(qrels, run), "far", str(qrels), "topic in common", "77", "1, 2")


def test_topics_that_only_look_alike_are_not_in_common(folder: Folder) -> None:
    # Topics are names, not numbers: 01 is not 1.
    run = folder.write("far.run", text(["01 Q0 d1 1 3.0 tag"]))
    check_refused(folder.evaluate(folder.path / "qrels.txt", run), "topic in common", "01")


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize(
    "cut", [slice(0, 2), slice(0, 12), slice(0, -9), slice(0, -1)], ids=lambda cut: f"to {cut.stop}"
)
def test_a_truncated_gz_is_refused(folder: Folder, kind: str, cut: slice) -> None:
    whole = gzip.compress(text((RUN if kind == "run" else QRELS) * 3))
    file = folder.write("short.gz", whole[cut])
    check_refused(folder.evaluate(*inputs_of(folder, kind, file)), str(file), "damaged", "again")
    check_linted(call("lint", file), file, None)


def test_a_gz_with_a_flipped_bit_is_refused(folder: Folder) -> None:
    whole = bytearray(gzip.compress(text(RUN * 3)))
    whole[-6] ^= 1
    file = folder.write("flipped.gz", bytes(whole))
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), str(file), "damaged")


@pytest.mark.parametrize("cut", [4, -1])
def test_a_truncated_zst_is_refused(folder: Folder, cut: int) -> None:
    file = folder.write("short.zst", zstd.compress(text(RUN))[:cut])
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), str(file), "damaged")


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_missing_file_is_named(folder: Folder, kind: str) -> None:
    file = folder.path / "nowhere.txt"
    check_refused(folder.evaluate(*inputs_of(folder, kind, file)), str(file), "no such file")


def test_lint_of_a_missing_file_fails_without_a_traceback(folder: Folder) -> None:
    result = call("lint", folder.path / "nowhere.txt")
    assert result.code in (1, 2)
    assert "nowhere.txt" in result.out + result.err
    assert "no such file" in result.out + result.err
    assert "Traceback" not in result.err


def test_a_pattern_that_fits_no_file_is_named(folder: Folder) -> None:
    pattern = folder.path / "*.nothing"
    check_refused(folder.evaluate(folder.path / "qrels.txt", pattern), str(pattern), "no file")


def test_a_folder_given_as_qrels_is_refused(folder: Folder) -> None:
    (folder.path / "inner").mkdir()
    result = folder.evaluate(folder.path / "inner", folder.path / "good.run")
    check_refused(result, str(folder.path / "inner"), "is a folder")


def test_a_folder_without_runs_is_refused(folder: Folder) -> None:
    (folder.path / "inner").mkdir()
    result = folder.evaluate(folder.path / "qrels.txt", folder.path / "inner")
    check_refused(result, str(folder.path / "inner"), "folder")


def test_a_folder_that_is_no_collection_is_refused(folder: Folder) -> None:
    (folder.path / "inner").mkdir()
    check_refused(folder.evaluate(folder.path / "inner"), str(folder.path / "inner"), "QRELS")


def test_a_lone_file_is_no_input(folder: Folder) -> None:
    qrels = folder.path / "qrels.txt"
    check_refused(folder.evaluate(qrels), str(qrels), "QRELS")


def test_two_runs_with_one_name_are_refused(folder: Folder) -> None:
    first, second = (folder.write(name, text(RUN)) for name in ("bm25.run", "bm25.txt.gz"))
    result = folder.evaluate(folder.path / "qrels.txt", first, second)
    check_refused(result, "two runs are named bm25", str(first), str(second), "Rename")


def test_the_same_run_twice_is_refused(folder: Folder) -> None:
    run = folder.path / "good.run"
    check_refused(folder.evaluate(folder.path / "qrels.txt", run, run), "two runs are named good")


def test_nothing_is_written_when_only_the_last_of_many_runs_is_bad(folder: Folder) -> None:
    runs = [folder.write(f"run{number}.run", text(RUN)) for number in range(4)]
    bad = folder.write("z.run", text([*RUN, "x"]))
    check_refused(folder.evaluate(folder.path / "qrels.txt", *runs, bad), f"{bad}:4: ")


def test_an_older_output_file_survives_a_failure(folder: Folder) -> None:
    folder.write("out.csv", b"precious\n")
    bad = folder.write("bad.run", text([*RUN, "x"]))
    check_refused(folder.evaluate(folder.path / "qrels.txt", bad))
    assert (folder.path / "out.csv").read_bytes() == b"precious\n"


def test_bad_input_on_standard_input_is_refused_with_its_line(folder: Folder) -> None:
    out = folder.path / "out.csv"
    arguments = ("evaluate", folder.path / "qrels.txt", "-", "-m", "P@2", "-o", out)
    result = call(*arguments, stdin=text([*RUN, "1 Q0 d9 3 high tag"]))
    check_refused(result, ":4: ", '"high"')
    assert not out.exists()


def test_a_picture_is_no_run(folder: Folder) -> None:
    file = folder.write("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256)))
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), str(file))
    assert call("lint", file).code == 1


@pytest.mark.parametrize("option", ["--topics", "--pool"])
def test_a_missing_file_behind_an_option_is_named(folder: Folder, option: str) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    result = folder.evaluate(*inputs, options=(option, folder.path / "nowhere"))
    check_refused(result, str(folder.path / "nowhere"), "no such file")


def test_topics_that_nobody_judged_are_refused(folder: Folder) -> None:
    chosen = folder.write("topics.txt", b"77\n78\n")
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, options=("--topics", chosen)), "77", "topics")


@pytest.mark.parametrize(
    "grades", ["0", "a=b", "0=", "=1", "0=1.5", "1_0=1", "\u0661=0", "0=99999"]
)
def test_a_grade_map_that_makes_no_sense_is_refused(folder: Folder, grades: str) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, options=("--map-grade", grades)), grades.split("=")[0])


def test_judgments_of_which_none_is_one_are_refused(folder: Folder) -> None:
    file = folder.write("q.txt", text(["1 0 d1 -1", "1 0 d2 -1"]))
    check_refused(folder.evaluate(file, folder.path / "good.run"), str(file), "judged")


# Names of measures


@pytest.mark.parametrize(
    ("measure", "says"),
    [
        ("ndgc@10", ("ndgc", "did you mean nDCG?")),
        ("Sucess@5", ("Sucess", "did you mean Success?")),
        ("brpef", ("brpef", "did you mean bpref?")),
        ("P(rell=2)@10", ("rell", "did you mean rel?")),
        ("RBP", ("RBP", "needs p")),
        ("RBP(p=1.5)", ("p", "1.5", "between 0 and 1")),
        ("RBP(p=high)", ("p", "number", "high")),
        ("P", ("P", "@10")),
        ("P@0", ("depth", "0")),
        ("P@", ("whole number", "@")),
        ("P@ten", ("whole number", "ten")),
        ("P@1_0", ("P@1_0",)),
        ("P@\u0661\u0660", ("P@\u0661\u0660",)),
        ("P@10)", ("nothing was expected", ")")),
        ("", ("name",)),
        ("nDCG(gains=cubic)@10", ("gains", "cubic")),
        ("AP" + "x" * 199, ("200", "201")),
        ("P@" + "0" * 300 + "5", ("200", "303")),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_a_measure_that_is_none_is_refused(
    folder: Folder, measure: str, says: tuple[str, ...]
) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, measure=measure), *says)


@pytest.mark.parametrize("measure", ["ndgc@10", "AP" + "x" * 500])
def test_the_installed_program_refuses_a_measure(folder: Folder, measure: str) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    check_refused(folder.evaluate(*inputs, measure=measure, program=start), "leadline")


# Between a million and these a reader could ask for more memory than a test should take.
@pytest.mark.parametrize("depth", [10**6, 10**13, 10**18, 10**30])
@pytest.mark.parametrize("name", ["P", "nDCG", "AP", "SDCG", "ERR", "Recall"])
def test_a_depth_beyond_reason_ends_in_a_score_or_a_message(
    folder: Folder, name: str, depth: int
) -> None:
    inputs = folder.path / "qrels.txt", folder.path / "good.run"
    result = folder.evaluate(*inputs, measure=f"{name}@{depth}")
    assert "Traceback" not in result.err
    assert result.code in (0, 2)


# Lint


def test_lint_reports_all_problems_of_all_files_at_once(folder: Folder) -> None:
    run = folder.write(
        "bad.run",
        text(
            [
                "# a comment",
                "1 Q0 d1 1 3.0 tag",
                "1 Q0 d2 2 2.0",
                "",
                "1 Q0 d3 3 nan tag",
                "1 Q0 d1 4 1.0 tag",
                "1 Q0 d4 5 0.9 tag",
                "1 Q0 d5 6 1_0 tag more",
            ]
        ),
    )
    qrels = folder.write(
        "bad.qrels", text(["1 0 d1 1", "1 0 d2", "1 0 d1 0", "1 0 d3 0.5", "1 0 d4 1"])
    )
    good = folder.path / "good.run"
    result = call("lint", run, qrels, good)
    assert result.code == 1
    assert result.out.splitlines()[0] == LINT_COLUMNS
    errors = [row for row in result.rows() if row["level"] == "error"]
    found = {
        file: sorted(int(row["line"]) for row in errors if row["file"] == str(file))
        for file in (run, qrels, good)
    }
    assert found == {run: [3, 5, 6, 8], qrels: [2, 3, 4], good: []}


def test_lint_leaves_out_none_of_many_problems(folder: Folder) -> None:
    # Ten messages are enough for a person who waits for a score, not for one who mends a file.
    bad = [f"1 Q0 e{number} 1 high tag" for number in range(25)]
    file = folder.write("bad.run", text([*RUN, *bad]))
    result = call("lint", file)
    errors = [int(row["line"]) for row in result.rows() if row["level"] == "error"]
    assert sorted(errors) == list(range(4, 29))


def test_lint_says_nothing_against_good_files(folder: Folder) -> None:
    result = call("lint", folder.path / "good.run", folder.path / "qrels.txt")
    assert result.code == 0
    assert result.out == LINT_COLUMNS + "\n"


def test_what_is_only_odd_is_no_error_to_lint(folder: Folder) -> None:
    odd = folder.write("odd.run", text(["1 Q0 d1 1 1.0 t", "2 Q0 d1 1 1.0 t", "1 Q0 d2 2 5.0 t"]))
    again = folder.write("again.qrels", text([*QRELS, QRELS[0], "1 0 d7 -1", "1 0 d8 -2"]))
    result = call("lint", odd, again)
    assert result.code == 0, result.out
    assert {row["level"] for row in result.rows()} <= {"warning", "notice"}
    assert {row["file"] for row in result.rows()} == {str(odd), str(again)}


def test_lint_finds_a_conflict_between_subtopic_judgments(folder: Folder) -> None:
    file = folder.write("nd.txt", text(["1 1 d1 1", "1 2 d1 0", "1 2 d1 1"]))
    check_linted(call("lint", file), file, 3)


# Tables in other formats


def test_beir_judgments_with_a_fractional_grade_are_refused_with_their_line(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    result = folder.evaluate(file, folder.path / "good.run")
    check_refused(result, str(file), "grade", "whole number", "0.5")
    assert f"{file}:3: " in result.err


def test_lint_reads_beir_judgments_as_evaluate_does(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    assert call("lint", file).code == 1


def test_lenient_skips_faulty_lines_of_beir_judgments_too(folder: Folder) -> None:
    file = folder.write("test.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n1\td2\t0.5\n")
    result = folder.evaluate(file, folder.path / "good.run", options=("--lenient",))
    assert result.code == 0, result.err
    assert "skipped" in result.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"1": {"d1": NaN}}', ("score", "number")),
        (b'{"1": {"d1": "high"}}', ("score", "number", "high")),
        (b'{"1": {"d1": 1.0, "d2": null}}', ("score", "number")),
        (b'{"1": {"d1": [1.0]}}', ("score", "number")),
        (b'{"1": {"d1": 1.0, "d2": true, "d3": {}}}', ("score",)),
        (b'{"1": {"d1": 1.0}', ("JSON",)),
        (b'{"1": {"d1": 1.0, "d1": 2.0}}', ("d1", "twice")),
        (b'{"1": {}}', ("empty",)),
        (b"{}", ("empty",)),
        (b'{"1": 5}', ("column",)),
        (b'{"a": 1}\n{"a": 2}\n', ("column",)),
        (b'{"qid": "1", "docno": "d1", "score": 1}\n{"qid": \n', ()),
        (b"PAR1 but no more", ("cannot be read",)),
    ],
    ids=lambda value: value.decode() if isinstance(value, bytes) else "",
)
def test_a_bad_table_in_a_file_is_refused(
    folder: Folder, content: bytes, says: tuple[str, ...]
) -> None:
    file = folder.write("bad.json", content)
    check_refused(folder.evaluate(folder.path / "qrels.txt", file), str(file), *says)


BAD_TABLES = {
    "a NaN score": ({"1": {"d1": 1}}, {"1": {"d1": float("nan")}}, "score"),
    "a text score": ({"1": {"d1": 1}}, {"1": {"d1": "high"}}, "score"),
    "a missing score": ({"1": {"d1": 1}}, {"1": {"d1": None}}, "score"),
    "a fractional grade": ({"1": {"d1": 0.5}}, {"1": {"d1": 1.0}}, "whole number"),
    "no topic in common": ({"1": {"d1": 1}}, {"2": {"d1": 1.0}}, "topic in common"),
    "no judgments": ({}, {"1": {"d1": 1.0}}, "empty"),
    "no documents": ({"1": {"d1": 1}}, [], "no runs"),
    "a document twice": (
        {"1": {"d1": 1}},
        [ScoredDoc("1", "d1", 2.0), ScoredDoc("1", "d1", 1.0)],
        "twice",
    ),
    "a conflicting duplicate judgment": (
        [Qrel("1", "d1", 1), Qrel("1", "d1", 0)],
        {"1": {"d1": 1.0}},
        "d1",
    ),
    "a frame without scores": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": ["d1"]}),
        "score",
    ),
    "a frame with a missing docno": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": [None], "score": [1.0]}),
        "doc",
    ),
    "a frame with a score in Arabic digits": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": ["d1"], "score": ["\u0661"]}),
        "score",
    ),
    "a number instead of a run": ({"1": {"d1": 1}}, 5, "run"),
}


@pytest.mark.parametrize(("qrels", "runs", "says"), BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_python_gets_a_value_error_for(qrels: object, runs: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        leadline.evaluate(qrels, runs, "P@2")


@pytest.mark.parametrize(
    "judged",
    [{"1": {"s": {"a": 1}}, "2": {"x": 1}}, {"1": {"s": {"a": 1}}, "2": 3}],
)
def test_judgments_that_are_nested_differently_are_refused(judged: object) -> None:
    with pytest.raises(ValueError, match=r"expected \{topic: \{doc: number\}\}"):
        leadline.evaluate(judged, {"1": {"a": 1.0}}, "StRec@2")
