"""Tiers and intervals from the figures of draws."""

import numpy as np
import polars as pl
import pytest

from leadline.lab.benchmark.play import TASKS, task_of
from leadline.lab.benchmark.tables import DEFAULTS, LEAST_ERROR, tier_table


def draws(
    errors: dict[str, list[float]], seen: tuple[str, ...] = (), task: str = "shallow"
) -> pl.DataFrame:
    """Two collections, x and y, each with half of the errors."""
    loss = task_of(task).loss
    return pl.DataFrame(
        [
            {
                "task": task,
                "collection": "xy"[2 * at // len(losses)],
                "seen": "xy"[2 * at // len(losses)] in seen and method == "ours",
                "measure": "P@10",
                "method": method,
                "budget": 5,
                "draw": at,
                loss: each,
            }
            for method, losses in errors.items()
            for at, each in enumerate(losses)
        ]
    )


NOISE = np.exp(np.random.default_rng(3).normal(0, 0.2, 8))


def test_twice_the_error_on_every_draw_is_another_tier() -> None:
    table = tier_table(draws({"b": [*(0.02 * NOISE)], "a": [*(0.01 * NOISE)]}))
    mine = table.filter(scope="all")
    assert mine["method"].to_list() == ["a", "b"]
    assert mine["tier"].to_list() == [1, 2]
    # Paired: what all find hard does not count, so the interval is narrow.
    assert mine["to_best"].to_list() == pytest.approx([0.5, 2.0], rel=0.02)
    assert 1.9 < mine["lower"][1] <= mine["upper"][1] < 2.1
    value = np.exp(np.log(0.01 * NOISE + LEAST_ERROR).mean()) - LEAST_ERROR
    assert mine["value"][0] == pytest.approx(value)


def test_of_tau_the_larger_is_ahead() -> None:
    table = tier_table(draws({"a": [0.5, 0.6] * 4, "b": [0.8, 0.9] * 4}, task="diversity"))
    mine = table.filter(scope="all")
    assert mine["method"].to_list() == ["b", "a"]
    assert mine["value"].to_list() == pytest.approx([0.85, 0.55])
    assert mine["to_best"].to_list() == pytest.approx([-0.3, 0.3])
    assert mine["loss"].to_list() == ["tau", "tau"]


def test_one_draw_of_one_collection_settles_nothing() -> None:
    one = draws({"a": [0.01], "b": [0.02], "c": [0.5]})
    mine = tier_table(one).filter(scope="all")
    assert mine["tier"].to_list() == [1, 1, 1]
    assert mine["to_best"].to_list() == pytest.approx([0.5, 2.0, 50.0], rel=0.02)
    assert mine["lower"].null_count() == mine["upper"].null_count() == 3


def test_now_better_now_worse_is_one_tier() -> None:
    swing = [0.01, 0.02] * 4
    table = tier_table(draws({"a": swing, "b": swing[::-1]})).filter(scope="all")
    assert table["tier"].to_list() == [1, 1]
    assert table["lower"][1] < 1 < table["upper"][1]


def test_one_collection_against_another_is_not_settled() -> None:
    """Better on all draws of one and worse on all of the other: who knows of a third?"""
    table = tier_table(draws({"a": [0.01] * 8, "b": [0.005] * 4 + [0.03] * 4}))
    assert table.filter(scope="all")["tier"].to_list() == [1, 1]


def test_what_was_seen_in_development_is_left_out_of_the_second_scope() -> None:
    mine = {"ours": [0.001] * 4 + [0.04] * 4, "theirs": [0.01] * 8}
    table = tier_table(draws(mine, seen=("x",)))
    assert table.filter(scope="all")["method"][0] == "ours"
    unseen = table.filter(scope="unseen")
    assert unseen["method"][0] == "theirs"
    assert unseen["collections"].to_list() == [2, 1]
    assert unseen["to_best"][1] == pytest.approx(4, rel=0.05)


def test_regrets_are_told_as_differences() -> None:
    table = tier_table(draws({"a": [0.0] * 8, "b": [0.01] * 8}, task="best"))
    mine = table.filter(scope="all")
    assert mine["to_best"].to_list() == pytest.approx([-0.01, 0.01])
    assert mine["loss"].to_list() == ["regret"] * 2


def test_budgets_that_one_did_not_answer_do_not_count_for_the_other() -> None:
    both = draws({"a": [0.01] * 8, "b": [0.02] * 8})
    hard = draws({"a": [0.5] * 8}).with_columns(budget=pl.lit(10, pl.Int64))
    table = tier_table(pl.concat([both, hard.select(both.columns)])).filter(scope="all")
    assert table["method"].to_list() == ["a", "b"]
    assert table["to_best"][1] == pytest.approx(2, rel=0.02)


def test_who_answers_only_what_is_easy_is_not_the_best() -> None:
    """On the first half both have a regret of 0; the second half is hard, and one passes."""
    whole = draws({"a": [0.0] * 4 + [0.1] * 4, "b": [0.0] * 4 + [0.2] * 4}, task="best")
    easy = draws({"c": [0.0] * 4 + [0.9] * 4}, task="best").filter(pl.col("draw") < 4)
    table = tier_table(pl.concat([whole, easy])).filter(scope="all")
    assert table["method"].to_list() == ["a", "c", "b"]
    assert table["to_best"].to_list() == pytest.approx([-0.05, 0.0, 0.05])
    assert table["answered"].to_list() == [1.0, 0.5, 1.0]


def test_hidden_collections_do_not_keep_a_method_from_being_best() -> None:
    """Ours is better wherever it may be looked at, though the others also have the easy one."""
    mine = {"ours": [0.001] * 4 + [0.02] * 4, "b": [0.001] * 4 + [0.04] * 4}
    unseen = tier_table(draws(mine, seen=("x",))).filter(scope="unseen")
    assert unseen["method"].to_list() == ["ours", "b"]
    assert unseen["to_best"].to_list() == pytest.approx([0.5, 2.0], rel=0.02)
    assert unseen["answered"].to_list() == [1.0, 1.0]


def test_who_stands_alone_has_nobody_to_be_compared_with() -> None:
    table = tier_table(draws({"a": [0.01] * 8}))
    assert table["to_best"].to_list() == [None, None]


def test_every_task_but_diversity_has_a_default_that_takes_part() -> None:
    from leadline.lab.benchmark.question import entrants_of

    assert set(DEFAULTS) == {task.name for task in TASKS} - {"diversity"}
    for task in TASKS:
        if task.name == "diversity":
            continue
        assert DEFAULTS[task.name] in {each.title for each in entrants_of(task.name)}
