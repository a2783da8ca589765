"""Every accepted way to give runs and judgments leads to the same scores.

Each variant of a file is compared with the plain one, whose scores are worked out by hand in the
first test.
"""

import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
from leadline.demo import COLLECTION
from tests.cli.program import Result, call, start

QRELS = [
    "1 0 d1 2",
    "1 0 d2 0",
    "1 0 d3 1",
    "1 0 d4 0",
    "2 0 d1 0",
    "2 0 d5 1",
    "10 0 d6 3",
]
RUN = [
    "1 Q0 d3 1 9.5 tag",
    "1 Q0 d7 2 9.25 tag",
    "1 Q0 d1 3 4 tag",
    "1 Q0 d2 4 -1.5e-1 tag",
    "2 Q0 d1 1 7.5 tag",
    "2 Q0 d5 2 7.25 tag",
    "10 Q0 d8 1 0.5 tag",
    "10 Q0 d6 2 0.25 tag",
]
MEASURES = ["P@2", "AP", "nDCG@3", "RBP(p=0.8)", "ERR@3", "RR", "Recall@3", "NumRet", "NumRel"]

Rows = list[tuple[Any, ...]]


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def rows(frame: pl.DataFrame) -> Rows:
    """All there is but the run's name, sorted."""
    return sorted(frame.drop("run").rows(), key=repr)


def scores(qrels: object, run: object, **options: Any) -> Rows:
    return rows(leadline.evaluate(qrels, run, MEASURES, per_topic=True, **options))


def one(qrels: list[str], run: list[str], measure: str, folder: Path, **options: Any) -> Any:
    """The row `all` of one measure."""
    (folder / "q").write_bytes(text(qrels))
    (folder / "r").write_bytes(text(run))
    frame = leadline.evaluate(folder / "q", folder / "r", measure, **options)
    return frame.row(0, named=True)


def cli(*arguments: object, stdin: bytes = b"", program: Callable[..., Result] = call) -> Result:
    result = program("evaluate", *arguments, stdin=stdin)
    assert result.code == 0, result.err
    return result


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Rows]:
    folder = tmp_path_factory.mktemp("plain")
    qrels, run = folder / "qrels.txt", folder / "plain.run"
    qrels.write_bytes(text(QRELS))
    run.write_bytes(text(RUN))
    return qrels, run, scores(qrels, run)


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


# Order


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.permutations(RUN),
    st.permutations(QRELS),
    st.lists(st.sampled_from([1.0, 0.5, 1 + 1e-12, -3.0]), min_size=8, max_size=8),
)
def test_shuffled_lines_change_nothing(
    run: list[str], qrels: list[str], values: list[float]
) -> None:
    # New scores, many of them tied, so that an order left over from the file would show.
    given_score = dict(zip(RUN, values, strict=True))

    def rescored(line: str) -> str:
        topic, q0, doc, rank, _, tag = line.split()
        return f"{topic} {q0} {doc} {rank} {given_score[line]!r} {tag}"

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        contents = {
            "q": text(QRELS),
            "r": text([rescored(line) for line in RUN]),
            "qx": text(qrels),
            "rx": text([rescored(line) for line in run]),
        }
        for file, content in contents.items():
            (folder / file).write_bytes(content)
        assert scores(folder / "qx", folder / "rx") == scores(folder / "q", folder / "r")


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.permutations(["a", "b", "c", "d"]), st.randoms(use_true_random=False))
def test_the_order_of_runs_and_measures_changes_no_score(
    order: list[str], source: random.Random
) -> None:
    runs = {}
    for number, name in enumerate("abcd"):
        docs = [f"d{(3 * at + number) % 9}" for at in range(6)]
        runs[name] = {"1": {doc: -at for at, doc in enumerate(docs)}, "2": {docs[0]: 1.0}}
    qrels = {"1": {"d1": 1, "d4": 2}, "2": {"d3": 1}}
    shuffled = source.sample(MEASURES, len(MEASURES))
    expected = leadline.evaluate(qrels, runs, MEASURES, per_topic=True)
    got = leadline.evaluate(qrels, {name: runs[name] for name in order}, shuffled, per_topic=True)
    assert sorted(got.rows(), key=repr) == sorted(expected.rows(), key=repr)


def test_ties_go_by_docno_descending(tmp_path: Path) -> None:
    # As text, d9 > d2 > d10 > d1, whatever rank column and file say.
    run = [f"1 Q0 {doc} {at} 1.0 t" for at, doc in enumerate(["d1", "d10", "d2", "d9"])]
    for doc, rank in (("d9", 1), ("d2", 2), ("d10", 3), ("d1", 4)):
        assert one([f"1 0 {doc} 1"], run, "RR", tmp_path)["value"] == pytest.approx(1 / rank)


def test_docnos_that_tie_are_compared_byte_by_byte(tmp_path: Path) -> None:
    run = [f"1 Q0 {doc} 1 1.0 t" for doc in ("Z", "a", "\u00e9", "z", "_")]
    for rank, doc in enumerate(["\u00e9", "z", "a", "_", "Z"], 1):
        assert one([f"1 0 {doc} 1"], run, "RR", tmp_path)["value"] == pytest.approx(1 / rank)


@pytest.mark.parametrize(
    ("higher", "lower"),
    [("16777217", "16777216"), ("1.00000001", "1.0"), ("2e40", "1e39"), ("1e-50", "0")],
)
def test_scores_are_compared_as_32_bit_floats(tmp_path: Path, higher: str, lower: str) -> None:
    # Equal when single, so the docno decides and the document with the higher score comes second.
    run = [f"1 Q0 a 1 {higher} t", f"1 Q0 b 2 {lower} t"]
    assert one(["1 0 a 1"], run, "RR", tmp_path)["value"] == 0.5


def test_ties_that_32_bits_made_are_said(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "made").write_bytes(b"1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1.0 t\n")
    (tmp_path / "clear").write_bytes(b"1 Q0 a 1 1.1 t\n1 Q0 b 2 1.0 t\n")
    said = cli(tmp_path / "q", tmp_path / "made", "-m", "RR").err
    assert "32-bit" in said
    assert "made" in said
    assert cli(tmp_path / "q", tmp_path / "clear", "-m", "RR").err == ""


def test_a_score_beyond_32_bits_gives_no_warning_of_numpy(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1e300 t\n1 Q0 b 2 1.0 t\n")
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "RR", program=start)
    assert "Warning" not in result.err
    assert float(result.rows()[0]["value"]) == 1


def test_the_rank_column_is_never_looked_at(tmp_path: Path) -> None:
    run = ["1 Q0 a 2 9.0 t", "1 Q0 b 1 8.0 t"]
    assert one(["1 0 a 1"], run, "RR", tmp_path)["value"] == 1


def test_ranks_listed_takes_the_lines_in_the_order_of_the_file(tmp_path: Path) -> None:
    qrels = ["1 0 a 1", "2 0 x 1"]
    run = ["1 Q0 b 9 1.0 t", "2 Q0 y 1 5.0 t", "1 Q0 a 1 8.0 t", "2 Q0 x 2 9.0 t"]
    assert one(qrels, run, "RR", tmp_path)["value"] == 1
    assert one(qrels, run, "RR", tmp_path, ranks="listed")["value"] == 0.5
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "RR", "--ranks", "listed")
    assert float(result.rows()[0]["value"]) == 0.5
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "RR", "--ranks", "score")
    assert float(result.rows()[0]["value"]) == 1


def test_ranks_listed_keeps_tied_lines_as_they_are(tmp_path: Path) -> None:
    run = ["1 Q0 a 1 1.0 t", "1 Q0 b 2 1.0 t"]
    assert one(["1 0 a 1"], run, "RR", tmp_path, ranks="listed")["value"] == 1


# Other kinds of judgments


def test_ndeval_qrels_give_a_document_its_best_grade(tmp_path: Path) -> None:
    nd = ["1 1 a 0", "1 2 a 2", "1 1 b 1", "1 2 b 0", "1 1 c 0", "1 2 c 0"]
    flat = ["1 0 a 2", "1 0 b 1", "1 0 c 0"]
    (tmp_path / "nd").write_bytes(text(nd))
    (tmp_path / "flat").write_bytes(text(flat))
    (tmp_path / "r").write_bytes(b"1 Q0 c 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n")
    expected = scores(tmp_path / "flat", tmp_path / "r")
    assert scores(tmp_path / "nd", tmp_path / "r") == expected
    (tmp_path / "nd").write_bytes(text(nd[::-1]))
    assert scores(tmp_path / "nd", tmp_path / "r") == expected
    assert call("lint", tmp_path / "nd").code == 0


def test_the_subtopics_of_ndeval_qrels_are_kept(tmp_path: Path) -> None:
    (tmp_path / "nd").write_bytes(b"1 1 a 0\n1 2 a 2\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 3 t\n")
    assert leadline.read(tmp_path / "nd", tmp_path / "r").subtopics is not None


def test_the_iteration_of_plain_qrels_means_nothing(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    lines = [
        f"{line.split()[0]} {at} {' '.join(line.split()[2:])}" for at, line in enumerate(QRELS)
    ]
    file = qrels.with_name("iterations")
    file.write_bytes(text(lines))
    assert scores(file, run) == expected


def test_a_fifth_column_holds_the_inclusion_probability(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    _, run, expected = plain
    shares = [1, 0.5, 0.25, 1, 0.125, 1e-3, 1]
    lines = [f"{line} {share}" for line, share in zip(QRELS, shares, strict=True)]
    (tmp_path / "sampled").write_bytes(text(lines))
    assert scores(tmp_path / "sampled", run) == expected
    assert call("lint", tmp_path / "sampled").code == 0
    collection = leadline.read(tmp_path / "sampled", run)
    judgments = collection.judgments
    assert judgments.inclusion is not None
    pair = judgments.pairs.find(["1", "2"], ["d2", "d5"])
    assert judgments.inclusion[pair].tolist() == [0.5, 1e-3]


def triples(lines: list[str]) -> list[tuple[str, str, str]]:
    return [(line.split()[0], line.split()[2], line.split()[3]) for line in lines]


def beir_tsv() -> bytes:
    return text(["query-id\tcorpus-id\tscore", *("\t".join(each) for each in triples(QRELS))])


def beir_jsonl() -> bytes:
    records = [
        json.dumps({"query-id": topic, "corpus-id": doc, "score": int(grade)})
        for topic, doc, grade in triples(QRELS)
    ]
    return text(records)


def nested(lines: list[str], column: int, number: type) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for line in lines:
        fields = line.split()
        made.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return made


QRELS_DICT = nested(QRELS, 3, int)
RUN_DICT = nested(RUN, 4, float)


def parquet(table: dict[str, dict[str, Any]]) -> bytes:
    """As ranx saves it."""
    flat = [(topic, doc, value) for topic, inner in table.items() for doc, value in inner.items()]
    buffer = io.BytesIO()
    pl.DataFrame(flat, schema=["q_id", "doc_id", "score"], orient="row").write_parquet(buffer)
    return buffer.getvalue()


def ranx_json(table: dict[str, dict[str, Any]]) -> bytes:
    return json.dumps(table).encode()


FILES: dict[str, tuple[str, bytes]] = {
    "BEIR tsv": ("qrels", beir_tsv()),
    "BEIR tsv with CRLF": ("qrels", beir_tsv().replace(b"\n", b"\r\n")),
    "BEIR tsv with a byte order mark": ("qrels", b"\xef\xbb\xbf" + beir_tsv()),
    "BEIR tsv in a gz": ("qrels", gzip.compress(beir_tsv())),
    "BEIR tsv without a newline at its end": ("qrels", beir_tsv().rstrip()),
    "BEIR jsonl": ("qrels", beir_jsonl()),
    "BEIR jsonl in a zst": ("qrels", zstd.compress(beir_jsonl())),
    "BEIR jsonl with a blank line at its end": ("qrels", beir_jsonl() + b"\n"),
    "ranx JSON judgments": ("qrels", ranx_json(QRELS_DICT)),
    "ranx JSON judgments, indented": ("qrels", json.dumps(QRELS_DICT, indent=2).encode()),
    "ranx parquet judgments": ("qrels", parquet(QRELS_DICT)),
    "ranx JSON run": ("run", ranx_json(RUN_DICT)),
    "ranx JSON run in a gz": ("run", gzip.compress(ranx_json(RUN_DICT))),
    "ranx JSON run with a byte order mark": ("run", b"\xef\xbb\xbf" + ranx_json(RUN_DICT)),
    "ranx parquet run": ("run", parquet(RUN_DICT)),
}
each_file = pytest.mark.parametrize(("kind", "content"), FILES.values(), ids=FILES.keys())


@each_file
def test_a_file_of_another_tool_scores_as_the_plain_file(
    plain: tuple[Path, Path, Rows], tmp_path: Path, kind: str, content: bytes
) -> None:
    qrels, run, expected = plain
    file = tmp_path / "foreign"
    file.write_bytes(content)
    assert scores(*((qrels, file) if kind == "run" else (file, run))) == expected


@each_file
def test_lint_says_nothing_against_a_good_file_of_another_tool(
    tmp_path: Path, kind: str, content: bytes
) -> None:
    file = tmp_path / "foreign"
    file.write_bytes(content)
    result = call("lint", file)
    assert result.code == 0, result.out


def test_one_record_of_jsonl_is_enough(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b'{"query-id": 1, "corpus-id": "a", "score": 1}\n')
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n")
    assert leadline.evaluate(tmp_path / "q", tmp_path / "r", "RR")["value"].to_list() == [1]


# In Python


def columns(topic: str, doc: str, value: str, table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    flat = [(t, d, v) for t, inner in table.items() for d, v in inner.items()]
    names = (topic, doc, value)
    return {name: [row[at] for row in flat] for at, name in enumerate(names)}


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, shuffled": lambda made: pd.DataFrame(made).sample(frac=1, random_state=7),
    "polars": pl.DataFrame,
    "Arrow": pa.table,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize(
    ("topic", "doc", "grade"),
    [
        ("qid", "docno", "label"),
        ("query_id", "doc_id", "relevance"),
        ("topic", "docid", "rel"),
        ("topic", "docid", "grade"),
    ],
)
def test_a_table_scores_as_the_plain_file(
    plain: tuple[Path, Path, Rows],
    make: Callable[[dict[str, Any]], Any],
    topic: str,
    doc: str,
    grade: str,
) -> None:
    expected = plain[2]
    qrels = make(columns(topic, doc, grade, QRELS_DICT))
    run = make(columns(topic, doc, "score", RUN_DICT))
    assert scores(qrels, run) == expected


def test_topics_of_a_table_may_be_numbers(plain: tuple[Path, Path, Rows]) -> None:
    qrels = pd.DataFrame(columns("qid", "docno", "label", QRELS_DICT)).astype({"qid": int})
    run = pl.DataFrame(columns("qid", "docno", "score", RUN_DICT)).cast({"qid": pl.Int32})
    assert scores(qrels, run) == plain[2]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_table_without_scores_is_ordered_by_its_ranks(
    plain: tuple[Path, Path, Rows], make: Callable[[dict[str, Any]], Any]
) -> None:
    ranks = nested(RUN, 3, int)
    run = make(columns("qid", "docno", "rank", ranks))
    assert scores(plain[0], run) == plain[2]


def test_a_table_with_scores_and_ranks_is_ordered_by_its_scores(
    plain: tuple[Path, Path, Rows],
) -> None:
    made = columns("qid", "docno", "score", RUN_DICT)
    run = pd.DataFrame({"rank": range(len(RUN), 0, -1), **made})
    assert scores(plain[0], run) == plain[2]


def test_dicts_score_as_the_plain_file(plain: tuple[Path, Path, Rows]) -> None:
    assert scores(QRELS_DICT, RUN_DICT) == plain[2]


def test_the_tuples_of_ir_measures_score_as_the_plain_file(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    listed = list(ir_measures.read_trec_run(str(run)))
    assert scores(judged, listed) == expected
    # Also when they can be walked through only once, as ir_measures hands them out.
    once = ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    assert scores(*once) == expected


def test_paths_may_be_text_or_path_and_mix_with_tables(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    assert scores(str(qrels), str(run)) == expected
    assert scores(qrels, [run]) == expected
    assert scores(str(qrels), RUN_DICT) == expected
    assert scores(QRELS_DICT, run) == expected


def test_several_runs_come_by_name(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    frames = {
        "a": RUN_DICT,
        "b": pd.DataFrame(columns("qid", "docno", "score", RUN_DICT)),
        "c": run,
    }
    got = leadline.evaluate(qrels, frames, MEASURES, per_topic=True)
    assert got["run"].unique().sort().to_list() == ["a", "b", "c"]
    for name in frames:
        assert rows(got.filter(pl.col("run") == name)) == expected


# What is said and goes on


def test_identical_duplicate_judgments_merge_with_a_notice(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    _, run, expected = plain
    file = tmp_path / "again"
    file.write_bytes(text([*QRELS, QRELS[0], QRELS[0], QRELS[4]]))
    assert scores(file, run) == expected
    said = cli(file, run, "-m", "AP").err
    assert "merged" in said
    assert str(file) in said
    assert "3" in said


def test_a_grade_of_minus_one_is_pooled_but_unjudged(tmp_path: Path) -> None:
    qrels = ["1 0 a -1", "1 0 b 1", "1 0 c -1"]
    run = ["1 Q0 a 1 2 t", "1 Q0 b 2 1 t"]
    row = one(qrels, run, "P@2", tmp_path)
    assert [row[key] for key in ("value", "lower", "upper", "judged")] == [0.5, 0.5, 1.0, 0.5]
    said = cli(tmp_path / "q", tmp_path / "r", "-m", "P@2").err
    assert "-1" in said
    assert "2 documents" in said
    assert "unjudged" in said


@pytest.mark.parametrize("grade", ["-2", "-3", "-100"])
def test_a_grade_below_minus_one_is_judged_non_relevant(tmp_path: Path, grade: str) -> None:
    run = ["1 Q0 a 1 2 t", "1 Q0 b 2 1 t"]
    row = one([f"1 0 a {grade}", "1 0 b 1"], run, "P@2", tmp_path)
    assert [row[key] for key in ("value", "lower", "upper", "judged")] == [0.5, 0.5, 0.5, 1.0]
    said = cli(tmp_path / "q", tmp_path / "r", "-m", "P@2").err
    assert "1 documents" in said
    assert "non-relevant" in said


def test_negative_grades_count_the_same_in_tables(tmp_path: Path) -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    frame = leadline.evaluate({"1": {"a": -1, "b": 1, "c": -2}}, run, "P@3")
    row = frame.row(0, named=True)
    assert [row[key] for key in ("value", "upper", "judged")] == pytest.approx(
        [1 / 3, 2 / 3, 2 / 3]
    )


def test_grades_can_be_mapped(tmp_path: Path) -> None:
    qrels = ["1 0 a -1", "1 0 b 1", "1 0 c -2"]
    run = ["1 Q0 a 1 3 t", "1 Q0 b 2 2 t", "1 Q0 c 3 1 t"]
    row = one(qrels, run, "P@3", tmp_path, map_grades={-1: 0})
    assert [row[key] for key in ("value", "upper", "judged")] == pytest.approx([1 / 3, 1 / 3, 1])
    files = tmp_path / "q", tmp_path / "r"
    got = cli(*files, "-m", "P@3", "--map-grade", "-1=0")
    assert float(got.rows()[0]["upper"]) == pytest.approx(1 / 3)
    assert "unjudged" not in got.err
    got = cli(*files, "-m", "P@3", "--map-grade", "-1=2", "--map-grade", "1=0")
    assert float(got.rows()[0]["value"]) == pytest.approx(1 / 3)


def test_a_mapped_grade_is_not_mapped_again(tmp_path: Path) -> None:
    # 1 becomes 0 and 0 becomes 1 at once: a swap, not a chain.
    run = ["1 Q0 a 1 3 t", "1 Q0 b 2 2 t"]
    row = one(["1 0 a 0", "1 0 b 1"], run, "RR", tmp_path, map_grades={0: 1, 1: 0})
    assert row["value"] == 1
    row = one(["1 0 a 0", "1 0 b 1"], run, "NumRel", tmp_path, map_grades={0: 1, 1: 0})
    assert row["value"] == 1


# Topics


TWO_TOPICS = ["1 0 a 1", "2 0 b 1"]


def test_a_topic_missing_from_a_run_scores_its_lower_bound_and_is_listed(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    (tmp_path / "gappy.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(
        tmp_path / "q", tmp_path / "gappy.run", "-m", "P@1", "-m", "RBP(p=0.8)", "--per-topic"
    )
    got = result.table()
    row = got["gappy", "2", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0, 0, 0]
    # The reader of plain RBP does not stop where the list ends, not even at once.
    row = got["gappy", "2", "RBP(p=0.8)"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0, 0, 1]
    assert float(got["gappy", "all", "P@1"]["value"]) == 0.5
    said = next(line for line in result.err.splitlines() if "gappy" in line)
    assert said.rstrip(".").endswith("2")


def test_topics_missing_from_a_run_can_be_skipped(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    (tmp_path / "gappy.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "gappy.run", "-m", "P@1", "--missing-topics", "skip")
    assert float(result.table()["gappy", "all", "P@1"]["value"]) == 1
    assert "gappy" in result.err


def test_at_most_ten_runs_with_missing_topics_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(text(TWO_TOPICS))
    for number in range(15):
        (tmp_path / f"gappy{number}.run").write_bytes(b"1 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "gappy*.run", "-m", "P@1")
    lines = result.err.splitlines()
    assert sum("gappy" in line for line in lines) == 10
    assert any("5" in line for line in lines if "gappy" not in line)


def test_topics_without_judgments_are_ignored_and_counted(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n8 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic")
    assert {row["topic"] for row in result.rows()} == {"1", "all"}
    assert float(result.table()["r", "all", "P@1"]["value"]) == 1
    assert "2 topics" in result.err
    assert "no judgments" in result.err


def test_topics_without_judgments_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n")
    result = cli(
        tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic", "--unjudged-topics", "include"
    )
    got = result.table()
    row = got["r", "7", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper", "judged")] == [0, 0, 1, 0]
    row = got["r", "all", "P@1"]
    assert [float(row[key]) for key in ("value", "lower", "upper")] == [0.5, 0.5, 1]


def test_runs_with_different_topics_without_judgments_can_be_included(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n")
    (tmp_path / "x.run").write_bytes(b"1 Q0 a 1 1 t\n7 Q0 a 1 1 t\n")
    (tmp_path / "y.run").write_bytes(b"8 Q0 a 1 1 t\n1 Q0 a 1 1 t\n")
    arguments = ("-m", "P@1", "--per-topic", "--unjudged-topics", "include")
    got = cli(tmp_path / "q", tmp_path / "x.run", tmp_path / "y.run", *arguments).table()
    assert float(got["x", "7", "P@1"]["upper"]) == 1
    assert float(got["y", "8", "P@1"]["upper"]) == 1
    assert {topic for _, topic, _ in got} == {"1", "7", "8", "all"}


def test_a_topic_with_only_unjudged_documents_has_no_judgments(tmp_path: Path) -> None:
    (tmp_path / "q").write_bytes(b"1 0 a 1\n2 0 a -1\n")
    (tmp_path / "r").write_bytes(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "P@1", "--per-topic")
    assert {row["topic"] for row in result.rows()} == {"1", "all"}


@pytest.mark.parametrize("content", [b"2\n10\n", b"\xef\xbb\xbf10\r\n\r\n2", b"# note\n2\n\n10\n"])
def test_a_file_of_topics_restricts_the_evaluation(
    plain: tuple[Path, Path, Rows], tmp_path: Path, content: bytes
) -> None:
    qrels, run, _ = plain
    (tmp_path / "topics").write_bytes(content)
    result = cli(qrels, run, "-m", "RR", "--per-topic", "--topics", tmp_path / "topics")
    got = result.table()
    assert {topic for _, topic, _ in got} == {"2", "10", "all"}
    assert float(got["plain", "all", "RR"]["value"]) == 0.5
    assert scores(qrels, run, topics=["2", "10"]) == scores(qrels, run, topics=tmp_path / "topics")


def test_a_topic_that_was_not_asked_for_is_not_called_unjudged(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    qrels, run, _ = plain
    (tmp_path / "topics").write_bytes(b"2\n10\n")
    # Topic 1 has judgments; the user left it out on purpose.
    assert "no judgments" not in cli(qrels, run, "-m", "RR", "--topics", tmp_path / "topics").err


# Folders, patterns and names


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
    assert collection.groups.columns == ["run", "group", "type", "pooled"]
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


def test_a_pool_hides_the_judgments_outside_it(
    plain: tuple[Path, Path, Rows], tmp_path: Path
) -> None:
    qrels, run, _ = plain
    (tmp_path / "pool.csv").write_bytes(
        b"topic,doc,stratum,inclusion\n1,d3,0,1.0\n1,d7,0,1.0\n2,d1,0,1.0\n10,d6,0,1.0\n"
    )
    arguments = ("-m", "P@3", "--per-topic", "--pool", tmp_path / "pool.csv")
    row = cli(qrels, run, *arguments).table()["plain", "1", "P@3"]
    got = [float(row[key]) for key in ("value", "upper", "judged")]
    assert got == pytest.approx([1 / 3, 1, 1 / 3])


def test_judgments_per_subtopic_may_be_nested_dicts() -> None:
    judged = {"1": {"x": {"a": 1, "b": 0}, "y": {"b": 2}}, "2": {"x": {"c": 1}}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}
    found = leadline.evaluate(judged, run, ["StRec@1", "P@2"], per_topic=True)
    assert found["value"].to_list() == [0.5, 1.0, 0.75, 1.0, 0.5, 0.75]
