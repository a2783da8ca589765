"""Judgments of any kind are settled: repeats, subtopics, negative and mapped grades."""

from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.io.formats import Reading
from leadline.io.normalised_qrels import (
    has_repeats,
    has_subtopics,
    normalise_qrels,
    settle_grades,
)
from leadline.io.problems import InputError, Notices
from tests.cli.program import call
from tests.io.plain_files import QRELS, Rows, cli, one, scores, text

SCHEMA = {
    "topic": pl.String,
    "iteration": pl.String,
    "doc": pl.String,
    "grade": pl.Int16,
    "inclusion": pl.Float64,
    "stratum": pl.Int16,
}


def frame(*rows: tuple[str, str, str, int]) -> pl.DataFrame:
    whole = [(*row, None, None) for row in rows]
    return pl.DataFrame(whole, schema=SCHEMA, orient="row")


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


PLAIN = frame(("1", "0", "a", 1), ("1", "0", "b", 0))
SUBTOPICS = frame(("1", "x", "a", 1), ("1", "y", "a", 2), ("1", "x", "b", 0))


def test_a_second_field_is_a_subtopic_if_some_document_has_two() -> None:
    assert not has_subtopics(PLAIN)
    assert not has_subtopics(frame(("1", "0", "a", 1), ("1", "1", "b", 0)))
    assert has_subtopics(SUBTOPICS)
    assert not has_repeats(SUBTOPICS, Reading())
    again = pl.concat([PLAIN, PLAIN.head(1)])
    assert has_repeats(again, Reading())
    assert not has_repeats(PLAIN, Reading())


def test_subtopics_that_are_asked_for_must_be_there() -> None:
    with pytest.raises(InputError, match="has no subtopics: the second field is 0 on every line"):
        normalise_qrels(PLAIN, "q", Reading(subtopics=True))
    found = normalise_qrels(SUBTOPICS, "q", Reading(subtopics=True))
    assert found.subtopics is not None
    assert found.frame.sort("doc")["grade"].to_list() == [2, 0]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("all", "0", "a", 1)], "a topic named all"),
        ([("1", "0", "a", -1)], "has no judged document"),
        (
            [("1", "0", "a", 1), ("1", "0", "a", 0)],
            "row 2: doc a of topic 1 has grade 0 here and 1",
        ),
    ],
)
def test_what_cannot_be_settled_is_refused(
    rows: list[tuple[str, str, str, int]], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        normalise_qrels(frame(*rows), "q", Reading())


def test_of_two_that_disagree_the_first_is_kept_if_lenient() -> None:
    reading = Reading(skip_bad_lines=True)
    twice = frame(("1", "0", "a", 1), ("1", "0", "a", 0), ("1", "0", "b", 2))
    found = normalise_qrels(twice, "q", reading)
    assert found.frame["grade"].to_list() == [1, 2]
    assert "1 judgments that conflict were skipped" in reading.notices.lines()[0]


def test_a_map_that_maps_nothing_is_said_and_one_beyond_every_scale_refused() -> None:
    notices = Notices()
    settled = settle_grades("q", PLAIN, notices, {1: 3, 7: 0})
    assert settled["grade"].to_list() == [3, 0]
    assert notices.lines() == ["q: no document has grade 7, mapped"]
    with pytest.raises(InputError, match="cannot map grade 1 to 40000"):
        settle_grades("q", PLAIN, Notices(), {1: 40_000})
