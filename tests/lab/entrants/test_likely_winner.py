"""LikelyWinner and what its model expects."""

import numpy as np

from leadline.lab.benchmark.entrants.methods import ByLikelyWinner
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import question


def test_the_budget_is_spent_by_the_order_and_the_model_answers() -> None:
    asked = question("best", 100)
    answer = ByLikelyWinner().answer(asked)
    assert asked.judgments <= 100
    true = Truth.of(asked).value
    assert true.max() - true[int(np.argmax(answer.value))] < 0.1
    assert answer.lower is None


def test_graded_gains_have_the_top_of_the_scale() -> None:
    asked = question("best", 40, "SDCG@100")
    assert np.isfinite(ByLikelyWinner().answer(asked).value).all()
