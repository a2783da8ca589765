"""The same lines, written differently, lead to the same scores.

Each variant of a file is compared with the plain one, whose scores are worked out by hand in the
first test.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd

from tests.cli.program import call, start
from tests.io.plain_files import QRELS, RUN, Rows, cli, one, scores, text


def test_the_plain_files_score_what_a_hand_computes(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, _ = plain
    got = cli(qrels, run, "-m", "P@2", "-m", "RBP(p=0.8)", "-m", "RR", "--per-topic").table()
    # Topic 1 ranks d3 (relevant), d7 (unjudged), d1 (relevant), d2 (not).
    row = got["plain", "1", "P@2"]
    assert [float(row[key]) for key in ("value", "lower", "upper", "judged")] == [0.5, 0.5, 1, 0.5]
    row = got["plain", "1", "RBP(p=0.8)"]
    base = 0.2 * (1 + 0.8**2)
    assert float(row["lower"]) == pytest.approx(base)
    # Open are the rank of d7 and the tail behind four documents.
    assert float(row["upper"]) == pytest.approx(base + 0.2 * 0.8 + 0.8**4)
    assert float(got["plain", "2", "RR"]["value"]) == 0.5
    assert float(got["plain", "10", "RR"]["upper"]) == 1
    assert float(got["plain", "all", "P@2"]["value"]) == 0.5


# The same lines, written differently

VARIANTS: dict[str, Callable[[list[str]], bytes]] = {
    "gz": lambda lines: gzip.compress(text(lines)),
    "two gz, one after the other": lambda lines: (
        gzip.compress(text(lines[:3])) + gzip.compress(text(lines[3:]))
    ),
    "zst": lambda lines: zstd.compress(text(lines)),
    "tabs": lambda lines: text(lines).replace(b" ", b"\t"),
    "repeated spaces": lambda lines: text(lines).replace(b" ", b"   "),
    "double spaces on one line only": lambda lines: text(
        [*lines[:-1], lines[-1].replace(" ", "  ")]
    ),
    "spaces and tabs mixed": lambda lines: text(lines).replace(b" ", b" \t ", 5),
    "leading spaces": lambda lines: text([f"  {line}" for line in lines]),
    "a leading tab on one line": lambda lines: text([*lines[:2], f"\t{lines[2]}", *lines[3:]]),
    "trailing spaces": lambda lines: text([f"{line} \t" for line in lines]),
    "a trailing space on one line": lambda lines: text([*lines[:-1], f"{lines[-1]} "]),
    "CRLF": lambda lines: text(lines).replace(b"\n", b"\r\n"),
    "CRLF on one line only": lambda lines: text(lines).replace(b"\n", b"\r\n", 1),
    "CR only": lambda lines: text(lines).replace(b"\n", b"\r"),
    "a byte order mark": lambda lines: b"\xef\xbb\xbf" + text(lines),
    "a byte order mark in a gz": lambda lines: gzip.compress(b"\xef\xbb\xbf" + text(lines)),
    "a byte order mark and CRLF": lambda lines: (
        b"\xef\xbb\xbf" + text(lines).replace(b"\n", b"\r\n")
    ),
    "a byte order mark before a comment": lambda lines: b"\xef\xbb\xbf# note\n" + text(lines),
    "blank lines": lambda lines: b"\n\n" + text(lines).replace(b"\n", b"\n \n\n") + b"\n\t\n",
    "comments": lambda lines: (
        b"# a b c d e\n" + text(lines).replace(b"\n", b"\n#1 Q0 d9 1 9 x\n", 2)
    ),
    "a comment behind spaces": lambda lines: b"  # note\n" + text(lines),
    "no newline at the end": lambda lines: text(lines).rstrip(b"\n"),
    "no newline at the end, CRLF": lambda lines: text(lines).replace(b"\n", b"\r\n").rstrip(),
    "lines from last to first": lambda lines: text(lines[::-1]),
    "topics scattered": lambda lines: text([*lines[::2], *lines[1::2]]),
    "all of these": lambda lines: gzip.compress(
        b"\xef\xbb\xbf\r\n # note\r\n"
        + text(lines[::-1]).replace(b" ", b"  \t").replace(b"\n", b" \r\n")
    ),
}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_variant_scores_as_the_plain_file(
    plain: tuple[Path, Path, Rows],
    tmp_path: Path,
    kind: str,
    variant: Callable[[list[str]], bytes],
) -> None:
    qrels, run, expected = plain
    file = tmp_path / "variant"
    file.write_bytes(variant(RUN if kind == "run" else QRELS))
    inputs = (qrels, file) if kind == "run" else (file, run)
    assert scores(*inputs) == expected
    # Lint uses the same reader.
    assert call("lint", file).code == 0


@pytest.mark.parametrize("variant", ["gz", "zst", "tabs", "CR only"])
def test_standard_input_is_read_as_a_run(plain: tuple[Path, Path, Rows], variant: str) -> None:
    qrels, run, _ = plain
    arguments = ("-m", "AP", "-m", "nDCG@3", "--per-topic")
    piped = cli(qrels, "-", *arguments, stdin=VARIANTS[variant](RUN)).rows()
    from_file = cli(qrels, run, *arguments).rows()
    for row in piped + from_file:
        del row["run"]
    assert piped == from_file


def test_standard_input_is_read_as_qrels(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, _ = plain
    piped = cli("-", run, "-m", "AP", stdin=text(QRELS))
    assert piped.out == cli(qrels, run, "-m", "AP").out


def test_the_installed_program_reads_standard_input(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, _ = plain
    piped = cli("-", run, "-m", "AP", stdin=text(QRELS), program=start)
    assert piped.out == cli(qrels, run, "-m", "AP").out


def test_the_columns_that_nobody_reads_may_hold_anything(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    qrels, _, expected = plain
    odd = []
    for number, line in enumerate(RUN):
        topic, _, doc, _, score, _ = line.split()
        odd.append(f'{topic} {number}"x {doc} rank={number} {score} "tag,\u00e9\u00a0#{number}')
    file = tmp_path / "odd.run"
    file.write_bytes(text(odd))
    assert scores(qrels, file) == expected


def test_docnos_and_topics_are_taken_letter_by_letter(tmp_path: Path) -> None:
    # Quotation marks, commas, signs, letters beyond ASCII; the case counts, and 01 is not 1.
    names = ['"a', "b,c", "d'e", "\u00e9\u00df\u6d77", "null", "NaN", "01", "1", "A#1", "-", "a"]
    qrels = [f"t-\u00e9 0 {name} {int(name == 'A#1')}" for name in names]
    run = [f"t-\u00e9 Q0 {name} 1 {50 - at} tag" for at, name in enumerate(names)]
    row = one(qrels, run, "RR", tmp_path)
    assert row["value"] == pytest.approx(1 / (names.index("A#1") + 1))
    assert row["judged"] == 1


@pytest.mark.parametrize("score", ["5", "5.", ".5", "+5", "5e0", "5E-3", "-5", "1e-300", "-0"])
def test_a_score_may_be_written_in_every_usual_way(tmp_path: Path, score: str) -> None:
    run = [f"1 Q0 d1 1 {score} tag", "1 Q0 d2 2 -99 tag"]
    assert one(["1 0 d1 1"], run, "RR", tmp_path)["value"] == 1


@pytest.mark.parametrize("grade", ["1", "+1", "01"])
def test_a_grade_may_be_written_in_every_usual_way(tmp_path: Path, grade: str) -> None:
    assert one([f"1 0 d1 {grade}"], ["1 Q0 d1 1 1 t"], "NumRel", tmp_path)["value"] == 1


def test_a_large_file_with_irregular_blanks_scores_as_the_regular_one(tmp_path: Path) -> None:
    # Larger than any piece that a reader takes at once, with odd blanks at its very end only.
    lines = [
        f"{topic} Q0 doc{number:07d} {number} {10_000 - number} a-rather-long-tag"
        for topic in range(1, 5)
        for number in range(9000)
    ]
    judged = [
        f"{topic} 0 doc{number:07d} {number % 3}" for topic in (1, 4) for number in range(900)
    ]
    (tmp_path / "q").write_bytes(text(judged))
    (tmp_path / "regular").write_bytes(text(lines))
    (tmp_path / "tabs").write_bytes(text(lines).replace(b" ", b"\t"))
    odd = [*lines[:-2], f"  {lines[-2]}", lines[-1].replace(" ", "\t \t")]
    (tmp_path / "odd").write_bytes(text(odd))
    (tmp_path / "crlf").write_bytes(text(lines).replace(b" ", b"  ").replace(b"\n", b" \r\n"))
    expected = scores(tmp_path / "q", tmp_path / "regular")
    for name in ("tabs", "odd", "crlf"):
        assert scores(tmp_path / "q", tmp_path / name) == expected
