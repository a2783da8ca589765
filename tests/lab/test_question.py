"""Questions count what is judged, and answers say what their makers know."""

import numpy as np
import pytest

from leadline.data.lists import Lists
from leadline.data.mean_estimate import MeanEstimate
from leadline.lab.benchmark.question import BudgetError, Reply, Truth, n_pairs
from tests.lab.asked import everything, question


def test_a_pair_counts_once_and_its_grade_is_known_then() -> None:
    asked = question("scores", 60)
    pair = np.unique(asked.runs.pair)[:5].astype(np.int64)
    assert asked.judge(pair).tolist() == asked.hidden.grade[pair].tolist()
    asked.judge(pair[:2])
    assert asked.judgments == 5
    assert np.flatnonzero(asked.known.judged).tolist() == pair.tolist()


def test_what_is_not_asked_for_is_not_known() -> None:
    assert not question("scores", 60).known.judged.any()


def test_more_than_chance_may_add_is_refused() -> None:
    asked = question("scores", 60)
    pairs = np.unique(asked.runs.pair).astype(np.int64)
    asked.judge(pairs[: 60 + 30])  # 60 + 4 * sqrt(60) = 90.98
    with pytest.raises(BudgetError, match="91 judgments, but the budget is 60"):
        asked.judge(pairs[90:91])


def test_given_judgments_cannot_be_added_to() -> None:
    asked = question("shallow", 5)
    with pytest.raises(BudgetError, match="are given"):
        asked.judge([0])
    assert asked.judgments == asked.given.judgments.judged.sum()


def test_the_truth_is_the_measure_by_all_judgments() -> None:
    asked = everything("AP")
    scores = asked.measure.score(Lists.of(asked.runs, asked.hidden))
    assert Truth.of(asked).value.tolist() == scores.mean().tolist()


def test_of_a_newcomers_question_only_its_runs_are_true() -> None:
    asked = question("newcomer", 5)
    assert asked.asked is not None
    assert len(Truth.of(asked).value) == asked.asked.sum() < len(asked.runs.names)


def test_intervals_are_told_only_where_they_are_offered() -> None:
    mean = MeanEstimate(np.array([0.5, 0.2]), np.diag([0.01, 0.04]))
    answer = Reply.of_mean(mean)
    assert answer.upper is not None
    assert (answer.upper - answer.value).tolist() == pytest.approx([0.196, 0.392], abs=1e-3)
    assert Reply.of_mean(mean.withhold("too few")).lower is None


def test_pairs_are_those_that_some_run_returns() -> None:
    asked = everything()
    assert n_pairs(asked.runs) == len(np.unique(asked.runs.pair))
