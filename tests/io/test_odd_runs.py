"""Runs that are probably not what was meant are told; sound ones are not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leadline
from leadline.io.formats import Reading
from leadline.io.problems import Notices
from leadline.io.rows import Rows
from leadline.io.tabular import run_columns, to_frame
from leadline.io.topics_seen import OddRuns

QRELS = {"1": {"a": 1, "b": 0}}
DOCS = "abcdef"


def codes(run: dict[str, float], **more: object) -> list[str]:
    found = leadline.evaluate(QRELS, {"1": run}, "P@5", **more)  # type: ignore[arg-type]
    return [problem.code for problem in found.notices.problems if problem.level == "warning"]


def test_scores_that_rise_are_told_unless_lists_are_taken_as_they_are() -> None:
    rising = dict(zip(DOCS, range(6), strict=True))
    assert codes(rising) == ["ascending"]
    assert codes(rising, ties="file-order") == []
    assert codes({doc: -score for doc, score in rising.items()}) == []


def test_scores_that_are_all_equal_are_told() -> None:
    assert codes(dict.fromkeys(DOCS, 1.0)) == ["constant"]
    # Two or three equal ones are nothing odd.
    assert codes({"a": 1.0, "b": 1.0, "c": 1.0}) == []


def test_a_run_of_foreign_documents_is_told_with_the_judgments_that_do_not_know_them() -> None:
    found = leadline.evaluate(QRELS, {"1": {"x": 2.0, "y": 1.0}}, "P@5")
    (problem,) = found.notices.problems
    assert problem.code == "foreign"
    assert "nothing that it returns is judged in qrels" in problem.message


def test_a_collection_that_was_read_before_tells_them_too() -> None:
    runs = {
        "rising": {"1": dict(zip(DOCS, range(6), strict=True))},
        "foreign": {"1": {"x": 2.0, "y": 1.0}},
    }
    read = leadline.read(QRELS, runs)
    found = leadline.evaluate(read, measures="P@5").notices.problems
    assert [(each.file, each.code) for each in found] == [
        ("rising", "ascending"),
        ("foreign", "foreign"),
    ]
    as_listed = leadline.read(QRELS, runs, ties="file-order")
    told = leadline.evaluate(as_listed, measures="P@5").notices.problems
    assert [each.code for each in told] == ["foreign"]


@given(st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=3))
def test_neighbours_are_counted_within_lists_of_every_run(lists: list[list[int]]) -> None:
    rows = [("r", str(t), str(d), s) for t, each in enumerate(lists) for d, s in enumerate(each)]
    if not rows:
        return
    table = [{"topic": t, "doc": d, "score": float(s)} for _, t, d, s in rows]
    odd = OddRuns()
    frame = run_columns(to_frame(table, "r"), "r", Reading())
    odd.look(["r"], Rows.of_frame(frame))
    steps = [np.sign(np.diff(each)) for each in lists if each]
    expected = [sum(int((step == sign).sum()) for step in steps) for sign in (1, -1, 0)]
    assert odd.steps.get("r", np.zeros(4)).tolist() == [*expected, 0]
    odd.report(Notices())


def test_parts_of_a_run_are_counted_together() -> None:
    odd = OddRuns()
    table = [{"topic": "1", "doc": str(d), "score": float(d)} for d in range(3)]
    rows = Rows.of_frame(run_columns(to_frame(table, "r"), "r", Reading()))
    odd.look(["r"], rows)
    odd.look(["r"], rows)
    assert odd.steps["r"].tolist() == [4, 0, 0, 0]


def test_rounds_taken_for_subtopics_are_told() -> None:
    rounds = {"1": {"1": {"a": 1, "b": 0}, "2": {"c": 1}}}
    subtopics = {"1": {"1": {"a": 1, "b": 0}, "2": {"a": 1}}}
    for judged, told in ((rounds, True), (subtopics, False)):
        found = leadline.evaluate(judged, {"1": {"a": 2.0, "c": 1.0}}, "alpha_nDCG@5")
        assert any(problem.code == "rounds" for problem in found.notices.problems) == told


@pytest.mark.parametrize("n_runs", [1, 3])
def test_ties_of_32_bits_are_told_in_one_line(n_runs: int) -> None:
    run = {"1": {"a": 1.00000001, "b": 1.0}}
    found = leadline.evaluate(QRELS, {f"r{at}": run for at in range(n_runs)}, "P@5")
    (line,) = found.notices.lines(details=True)
    assert not found.notices.lines()
    begins = "r0: 1 ties after" if n_runs == 1 else "3 ties of 3 runs (r0, r1, r2) after"
    assert line.startswith(begins)
