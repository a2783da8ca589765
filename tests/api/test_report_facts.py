"""What a report shows is computed once, whatever the measures need."""

import numpy as np
import pytest

import leadline
from leadline.api.report import ReportOptions, report_facts
from leadline.measures.measure import parse_measures
from leadline.stats.significance import tests
from leadline.views.page import Origin
from leadline.views.report_page import ReportFacts

QRELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "d": 1}}
RUNS = {
    "one": {"1": {"a": 3.0, "b": 2.0}, "2": {"a": 3.0, "d": 2.0}},
    "two": {"1": {"c": 3.0, "z": 2.0}, "2": {"d": 3.0, "a": 2.0}},
}


def facts(
    *names: str, runs: object = None, depth: int | None = None, progress: object = None
) -> ReportFacts:
    read = leadline.read(QRELS, RUNS if runs is None else runs)
    options = ReportOptions(parse_measures(names), tests.parse("t"), pool_depth=depth)
    return report_facts(read, options, "T", Origin("q", "r"), "made by", progress)  # type: ignore[arg-type]


def test_a_board_for_each_measure_with_open_weight_where_there_is_one() -> None:
    found = facts("P@2", "AP", "P(judged_only=true)@2")
    assert [board.scores.measure for board in found.boards] == [
        "P@2",
        "AP",
        "P(judged_only=true)@2",
    ]
    assert [weight is not None for weight in found.open_weights] == [True, False, False]
    # z at rank 2 of run two is all that is open, worth a half on topic 1.
    weight = found.open_weights[0]
    assert weight is not None
    assert weight.own.sum(axis=1) == pytest.approx([0.0, 0.5])


def test_a_single_run_is_compared_with_nobody() -> None:
    (board,) = facts("P@2", runs={"one": RUNS["one"]}).boards
    assert board.pairwise is None
    assert board.mean.tolist() == [0.5]


def test_runs_with_the_same_lists_are_alike() -> None:
    same = {"x": RUNS["one"], "y": RUNS["two"], "z": RUNS["one"]}
    (board,) = facts("P@2", runs=same).boards
    assert board.alike[0] == board.alike[2] != board.alike[1]


def test_the_depth_of_the_pool_is_given_or_found() -> None:
    found, given = facts("P@2"), facts("P@2", depth=1)
    # Down to rank 1 everything is judged; z at rank 2 is not.
    assert (found.pool_depth, found.depth_given) == (1, False)
    assert (given.pool_depth, given.depth_given) == (1, True)


def test_notices_say_what_is_undefined_and_progress_comes_to_its_end() -> None:
    said: list[tuple[int, int]] = []
    read = leadline.read({"1": {"a": 0}, "2": {"d": 1}}, RUNS)
    options = ReportOptions(parse_measures(["AP"]), tests.parse("t"))
    found = report_facts(read, options, "T", Origin("", ""), "", lambda *n: said.append(n))
    assert "undefined" in {problem.code for problem in found.notices}
    assert said == [(step, 4) for step in range(1, 5)]
    assert np.isnan(found.boards[0].scores.value[:, 0]).all()
