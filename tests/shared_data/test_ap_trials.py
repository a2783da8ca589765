"""The rivals that estimate AP spend the budget they are given, on what they are to look at."""

import numpy as np
import pytest

from scripts.ap_trials import RIVALS, Course
from tests.shared_data.where import collection


@pytest.fixture(scope="module")
def course() -> Course:
    return Course.of(collection("trec_dl21_half"))


def test_pools_have_as_many_pairs_as_they_may(course: Course) -> None:
    for draw, _ in RIVALS.values():
        pools = [draw(course.runs, 400, seed) for seed in range(6)]
        expected = sum(float(pool.inclusion.sum()) for pool in pools) / len(pools)
        assert expected == pytest.approx(400, abs=2)
        for pool in pools:
            assert abs(len(pool) - 400) < 4 * 400**0.5
            assert course.runs.best_rank[pool.member].max() <= 100


def test_the_better_a_pair_is_ranked_the_likelier_it_is_drawn(course: Course) -> None:
    draw, measure = RIVALS["by prior + statAP"]
    pool = draw(course.runs, 400, 0)
    best = course.runs.best_rank
    near, far = (pool.inclusion[(best > a) & (best <= b)].mean() for a, b in ((0, 10), (50, 100)))
    assert near > 3 * far > 0
    truth = course.truth()
    outcome = course.outcome(pool, f"{measure}(rel=2)", truth)
    assert outcome.judgments == len(pool)
    assert 0 < outcome.score_square < float(np.mean(truth**2))
