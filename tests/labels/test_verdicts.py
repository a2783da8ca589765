"""Verdicts that a judge turns, and the order of runs by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.labels.audit import TurnedVerdicts, _verdicts, verdict_rows
from tests.labels.small_world import audited, noisy, scores_of, small_runs
from tests.reference import auditing as plain


@given(st.integers(0, 1000))
def test_counts_are_those_of_the_plain_twin(seed: int) -> None:
    random = np.random.default_rng(seed)
    level = random.random((5, 1)) * 2
    people, judge = (level + random.normal(scale=0.4, size=(5, 8)) for _ in range(2))
    first, second = np.triu_indices(5, 1)
    counts = plain.turned(_verdicts(people, first, second), _verdicts(judge, first, second))
    made = TurnedVerdicts.of(people, judge)
    assert {name: getattr(made, name) for name in counts} == counts
    assert made.n == 10


def test_a_judge_like_people_turns_nothing() -> None:
    runs, judgments = small_runs(n_groups=8)
    rows = {
        row.item: row.value
        for row in verdict_rows(scores_of(runs, audited(judgments, judgments.grade)))
    }
    assert rows["tau"] == pytest.approx(1.0)
    assert rows["drop in rank of the labels' top run"] == 0
    for name in ("opposite", "false alarms", "missed"):
        assert rows[f"all pairs: {name}"] == 0
    assert "best 20: both" not in rows, "there are 16 runs"


def test_a_judge_that_turns_grades_round_turns_the_order_round() -> None:
    runs, judgments = small_runs(n_groups=8)
    turned = (3 - judgments.grade).astype(np.int16)
    rows = {
        row.item: row.value for row in verdict_rows(scores_of(runs, audited(judgments, turned)))
    }
    assert rows["tau"] == pytest.approx(-1.0)
    assert rows["drop in rank of the labels' top run"] == 15


def test_one_run_has_no_order() -> None:
    runs, judgments = small_runs()
    one = scores_of(runs.only(np.arange(8) == 0), audited(judgments, noisy(judgments)))
    assert verdict_rows(one) == []
