"""Grades drawn from the shares of the run and of the pool."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.baselines import ShareBootstrap, grade_shares
from leadline.completions.estimator import TrainingData
from leadline.measures.measure import parse_measure
from tests.collections import Small, small_collections
from tests.tries import tries


def share(grades: list[int], top: int) -> list[float]:
    """The share of each grade, 0 of all where there are none."""
    return [grades.count(grade) / max(1, len(grades)) for grade in range(top + 1)]


@pytest.mark.parametrize("name", ["nDCG@3", "AP"])
@tries(10)
@given(small_collections())
def test_shares_are_those_of_a_plain_count(name: str, small: Small) -> None:
    runs, judgments = small.tables()
    measure = parse_measure(name)
    ours = grade_shares(TrainingData(measure, runs, judgments))
    top = judgments.max_grade
    for run, of_run in enumerate(runs.names):
        for at, topic in enumerate(runs.pairs.topics):
            known = small.grades[topic]
            listed = small.runs[of_run].get(topic, [])[: measure.depth]
            of_pool = share(list(known.values()), top)
            of_list = [known[doc] for doc in listed if doc in known]
            of_run_share = share(of_list, top) if of_list else of_pool
            mean = [(a + b) / 2 for a, b in zip(of_run_share, of_pool, strict=True)]
            assert ours[run * len(runs.pairs.topics) + at] == pytest.approx(mean)


def test_the_mean_of_a_short_list_is_what_can_be_worked_out() -> None:
    """P@2 of x, y: x is relevant; y is so with (1/1 + 2/3) / 2 = 5/6, as list and pool say."""
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 1, "z": 0, "q": 1}}, 1)
    evidence = TrainingData(parse_measure("P@2"), *small.tables())
    found = ShareBootstrap().gains(evidence).scores("ShareBootstrap")
    assert found.value[0, 0] == pytest.approx((1 + 5 / 6) / 2)
    recall = TrainingData(parse_measure("Recall@2"), *small.tables())
    drawn = ShareBootstrap(draws=4000).drawn(recall)
    # One of x and q, or two of x, y and q.
    expected = 5 / 6 * 2 / 3 + 1 / 6 * 1 / 2
    assert drawn.scores("").mean()[0] == pytest.approx(expected, abs=0.01)
    assert np.isnan(drawn.scores("").mean_error()[0])


def test_draws_do_not_depend_on_the_order_of_the_runs_and_do_on_the_seed() -> None:
    grades = {"1": {"x": 2, "z": 0, "q": 1}}
    runs = {"a": {"1": ["x", "y", "z", "w"]}, "b": {"1": ["z", "x", "w", "v"]}}
    first, second = (
        TrainingData(
            parse_measure("nDCG@4"), *Small({n: runs[n] for n in names}, grades, 2).tables()
        )
        for names in (("a", "b"), ("b", "a"))
    )
    drawn = ShareBootstrap(draws=50).drawn(first).draws
    backwards = ShareBootstrap(draws=50).drawn(second).draws
    assert drawn[:, 0].tolist() == backwards[:, 1].tolist()
    other = ShareBootstrap(draws=50, seed=1).drawn(first).draws
    assert (other != drawn).any()


def test_no_draws_are_refused() -> None:
    with pytest.raises(ValueError, match="draws must be at least 1"):
        ShareBootstrap(draws=0)
