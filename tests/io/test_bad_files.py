"""Files that are wrong as a whole: a message, exit code 2, and nothing left behind."""

import gzip

import pytest
from backports import zstd

from tests.cli.program import call, start
from tests.io.bad_files import QRELS, RUN, Folder, check_linted, check_refused, inputs_of
from tests.io.plain_files import text

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
    result = folder.evaluate(*inputs_of(folder, kind, file), options=("--skip-bad-lines",))
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
