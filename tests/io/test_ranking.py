"""The order of a list equals sorting it by the named rule."""

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadline
from leadline.io.problems import Notices
from leadline.io.rows import note_float32_ties, rank
from tests.cli.program import start
from tests.io.plain_files import MEASURES, QRELS, RUN, cli, one, scores, text
from tests.io.test_join import Line, plainly_ranked, rows_of, runs, topic_of


@given(runs)
def test_lists_are_ordered_by_single_precision_score_then_docno_descending(
    lines: list[Line],
) -> None:
    rows = rows_of(lines)
    ranking = rank(rows)
    order = ranking.arrange(np.arange(len(rows)))
    for first, last in zip(ranking.start, ranking.stop, strict=True):
        part = order[first:last]
        topic = topic_of(rows, int(part[0]))
        assert [rows.doc[int(at)] for at in part] == plainly_ranked(lines, topic)
    assert sorted(order.tolist()) == list(range(len(rows)))


@given(runs)
def test_listed_ranks_keep_the_order_of_the_lines(lines: list[Line]) -> None:
    rows = rows_of(lines)
    ranking = rank(rows, "file-order")
    order = ranking.arrange(np.arange(len(rows)))
    for first, last in zip(ranking.start, ranking.stop, strict=True):
        part = order[first:last].tolist()
        topic = topic_of(rows, part[0])
        assert part == [at for at, line in enumerate(lines) if line[0] == topic]


HALF = 1.0 + 1e-12
"""Equal to 1 as a 32-bit float only."""


@pytest.mark.parametrize(
    ("ties", "order"), [("float32", "ba"), ("float64", "ab"), ("file-order", "ab")]
)
def test_the_rule_says_what_is_equal(ties: str, order: str) -> None:
    rows = rows_of([("1", "a", HALF), ("1", "b", 1.0)])
    ranking = rank(rows, ties)  # type: ignore[arg-type]
    assert [rows.doc[int(at)] for at in ranking.arrange(np.arange(2))] == list(order)
    assert len(ranking.made) == ranking.n_ties == (ties == "float32")


def test_ties_are_settled_among_themselves_only() -> None:
    rows = rows_of([("1", "a", 2.0), ("1", "c", 1.0), ("1", "d", 1.0), ("2", "x", 1.0)])
    ranking = rank(rows)
    docs = [rows.doc[int(at)] for at in ranking.arrange(np.arange(4))]
    assert docs == ["a", "d", "c", "x"]
    assert (ranking.n_ties, ranking.made.tolist()) == (1, [])
    assert ranking.first_row().tolist() == [0, 3]


def test_arranging_leaves_the_column_as_it_was() -> None:
    rows = rows_of([("1", "a", 1.0), ("1", "b", 1.0)])
    column = np.array([1, 2])
    assert rank(rows).arrange(column).tolist() == [2, 1]
    assert column.tolist() == [1, 2]


def test_scores_beyond_32_bits_are_as_large_as_can_be() -> None:
    rows = rows_of([("1", "a", 1e300), ("1", "b", 1e200), ("1", "c", 1.0)])
    assert rank(rows).n_ties == 1
    assert rank(rows, "float64").n_ties == 0


def test_ties_that_only_32_bits_make_are_said() -> None:
    notices = Notices()
    note_float32_ties({}, notices)
    assert not notices.problems
    note_float32_ties({"x": 3}, notices)
    assert notices.lines(details=True)[0].startswith("x: 3 ties after rounding scores to 32 bits")


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
    for doc, place in (("d9", 1), ("d2", 2), ("d10", 3), ("d1", 4)):
        assert one([f"1 0 {doc} 1"], run, "RR", tmp_path)["value"] == pytest.approx(1 / place)


def test_docnos_that_tie_are_compared_byte_by_byte(tmp_path: Path) -> None:
    run = [f"1 Q0 {doc} 1 1.0 t" for doc in ("Z", "a", "\u00e9", "z", "_")]
    for place, doc in enumerate(["\u00e9", "z", "a", "_", "Z"], 1):
        assert one([f"1 0 {doc} 1"], run, "RR", tmp_path)["value"] == pytest.approx(1 / place)


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
    said = cli(tmp_path / "q", tmp_path / "made", "-m", "RR", "--verbose").err
    assert "32 bits" in said
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
    assert one(qrels, run, "RR", tmp_path, ties="file-order")["value"] == 0.5
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "RR", "--ties", "file-order")
    assert float(result.rows()[0]["value"]) == 0.5
    result = cli(tmp_path / "q", tmp_path / "r", "-m", "RR", "--ties", "float32")
    assert float(result.rows()[0]["value"]) == 1


def test_ranks_listed_keeps_tied_lines_as_they_are(tmp_path: Path) -> None:
    run = ["1 Q0 a 1 1.0 t", "1 Q0 b 2 1.0 t"]
    assert one(["1 0 a 1"], run, "RR", tmp_path, ties="file-order")["value"] == 1
