"""Cells: the same for any number of workers, played again only if something changed."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.io.datasets import COLLECTION
from leadline.lab.benchmark.play import (
    BenchmarkSetting,
    benchmark_cells,
    cells_to_run,
    forget_all,
    questions_of,
    task_of,
    tasks_of,
)
from leadline.lab.benchmark.question import Truth
from leadline.simulate import run_cells
from tests.lab.asked import SMALL, part

SETTING = BenchmarkSetting(
    (str(COLLECTION),),
    ("newcomer", "scores"),
    ("P@10",),
    (5,),
    only=("as judged", "Condensed", "MaxMean", "even sample + Horvitz-Thompson"),
    draws=2,
    how=SMALL,
)


def without_time(results: dict[str, list[dict[str, float]]]) -> object:
    return {
        key: [{name: row[name] for name in row if name != "seconds"} for row in rows]
        for key, rows in results.items()
    }


def test_one_worker_or_two() -> None:
    cells = cells_to_run(benchmark_cells(SETTING), SETTING)
    one = run_cells(cells)
    assert without_time(run_cells(cells, workers=2)) == without_time(one)
    assert all("rmse" in rows[0] for rows in one.values())


def test_what_changes_an_answer_changes_the_key() -> None:
    keys = {cell.key for cell in benchmark_cells(SETTING)}
    assert keys == {cell.key for cell in benchmark_cells(SETTING)}
    for changed in (replace(SETTING, seed=1), replace(SETTING, budgets=(6,))):
        assert not keys & {cell.key for cell in benchmark_cells(changed)}
    # A draw more is played beside those that were.
    assert keys < {cell.key for cell in benchmark_cells(replace(SETTING, draws=3))}


def test_tasks_have_names_and_letters() -> None:
    assert tasks_of("c") == tasks_of("scores") == [task_of("scores")]
    assert [task.name for task in tasks_of("d")] == ["best", "five"]
    with pytest.raises(ValueError, match="there is no task named x: choose a or shallow"):
        tasks_of("x")


def test_what_two_tasks_ask_alike_is_played_once() -> None:
    alike = replace(SETTING, tasks=("scores", "best", "five"), only=("MaxMean",))
    cells = benchmark_cells(alike)
    assert {cell.task for cell in cells} == {"scores", "best", "five"}
    assert len(cells_to_run(cells, alike)) == len(cells) // 3 == 2


@pytest.mark.parametrize("task", ["shallow", "newcomer"])
def test_given_judgments_are_shared_by_methods_and_ranks_by_measures(task: str) -> None:
    forget_all()
    asked, again = (questions_of(part(), task, "P@10", 5) for _ in range(2))
    assert asked[0] is again[0] is asked[0].afresh()
    other = questions_of(part(), task, "RBP(p=0.95)", 5)[0]
    assert other.given.judgments is asked[0].given.judgments
    assert other.given.pooled_runs is asked[0].given.pooled_runs
    assert str(other.given.measure) == "RBP(p=0.95)"
    alone = next(task_of(task).questions(part(), other.measure, 5))
    assert np.array_equal(alone.given.judgments.judged, other.given.judgments.judged)
    forget_all()
    assert questions_of(part(), task, "P@10", 5)[0] is not asked[0]


def test_what_one_method_judged_no_other_knows() -> None:
    (asked,) = questions_of(part(), "scores", "P@10", 5)
    mine, yours = asked.afresh(), asked.afresh()
    mine.judge([int(asked.runs.pair[0])])
    assert (mine.judgments, yours.judgments, asked.judgments) == (1, 0, 0)
    assert mine.truth is yours.truth
    assert np.array_equal(mine.truth.value, Truth.of(yours).value)
