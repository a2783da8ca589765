"""Every faulty line: its message, exit code 2, and nothing left behind.

The promise is the same for all of them: the message names the file, the line where there is one,
what was found and what was expected; standard output stays empty; no output file and no temporary
file appears; there is never a traceback.
"""

import gzip
from collections.abc import Callable, Iterator

import pytest
from backports import zstd

from leadline.io.source import Source
from tests.cli.program import call, start
from tests.io.bad_files import (
    QRELS,
    RUN,
    Bad,
    Folder,
    check_linted,
    check_refused,
    inputs_of,
)
from tests.io.plain_files import text

# Each line is the fourth of its file, below three good ones.
LINES = {
    "a run line with too few fields": Bad(
        "1 Q0 d9 3 0.5", ("6 fields", "found 5", "1 Q0 d9 3 0.5")
    ),
    "a run line with a single field": Bad("x", ("6 fields", "found 1", '"x"')),
    "a run line with a blank inside its docno": Bad(
        "1 Q0 d9 x 3 0.5 tag", ("6 fields", "found 7", "d9 x")
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


@every_line
def test_evaluate_refuses(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    result = folder.evaluate(*inputs_of(folder, bad.kind, file))
    check_refused(result, f"{file}:4: ", *bad.says)


@every_line
def test_lint_finds(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    check_linted(call("lint", file), file, 4)


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstd.compress,
}
SOUND = {
    "bad.run": (text(RUN), "run"),
    "bad.csv": (b"topic,doc,score\n1,d1,3\n1,d2,2\n", "run"),
    "bad.jsonl": (b'{"topic": "1", "doc": "d1", "score": 3}\n' * 3, "run"),
    "bad.tsv": (b"1\td1\t3.5\n1\td2\t2.5\n2\td3\t1.5\n", "run"),
    "qrels.bad": (text(QRELS), "qrels"),
    "qrels.csv": (b"topic,doc,grade\n1,d1,1\n1,d2,0\n", "qrels"),
}


@pytest.mark.parametrize("verb", ["evaluate", "lint", "skip_bad_lines"])
@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_read_behind_the_first_nul_byte(
    folder: Folder, name: str, packing: str, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A disk that was full or a download that broke leaves gigabytes of them.
    sound, kind = SOUND[name]
    file = folder.write(name + packing, PACKINGS[packing](sound + bytes(12 << 20)))
    behind = []
    chunks = Source.chunks

    def watched(source: Source, size: int = 1 << 20) -> Iterator[bytes]:
        for chunk in chunks(source, size):
            if not chunk.strip(b"\0"):
                behind.append(source.name)
            yield chunk

    monkeypatch.setattr(Source, "chunks", watched)
    line = sound.count(b"\n") + 1
    if verb == "lint":
        assert f"{file},{line},error,binary" in call("lint", file).out
    else:
        options = ("--skip-bad-lines",) if verb == "skip_bad_lines" else ()
        result = folder.evaluate(*inputs_of(folder, kind, file), options=options)
        check_refused(result, f"{file}:{line}: holds a NUL byte")
    assert behind == []


@pytest.mark.parametrize("bad", SKIPPED.values(), ids=SKIPPED.keys())
def test_lenient_skips_and_counts(folder: Folder, bad: Bad) -> None:
    file = folder.write("bad.txt", bad.content)
    options = ("--skip-bad-lines", "--per-topic", "-m", "NumRet", "-m", "NumRel")
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
    check_refused(result, f"{file}:4: ", "more than 10,000")
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
    result = folder.evaluate(folder.path / "qrels.txt", file, options=("--skip-bad-lines",))
    assert result.code == 0, result.err
    said = next(line for line in result.err.splitlines() if "skipped" in line)
    assert " 2 " in said


def test_lenient_still_refuses_a_file_of_which_nothing_is_left(folder: Folder) -> None:
    file = folder.write("bad.run", text(["1 Q0 d1 1 high tag", "1 Q0 d2 1 low tag"]))
    result = folder.evaluate(folder.path / "qrels.txt", file, options=("--skip-bad-lines",))
    check_refused(result, str(file))
