"""Two strata and InfRBP."""

import numpy as np
import pytest

from leadline.lab.benchmark.entrants.pools import InferredBelow
from leadline.lab.benchmark.question import Truth
from tests.lab.asked import question


def test_about_the_budget_is_spent_and_the_scores_are_near() -> None:
    asked = question("scores", 120)
    answer = InferredBelow().answer(asked)
    assert abs(asked.judgments - 120) < 4 * 120**0.5
    assert np.abs(answer.value - Truth.of(asked).value).mean() < 0.15


def test_where_the_first_ranks_cost_more_it_passes() -> None:
    with pytest.raises(ValueError, match="does not pay for two strata"):
        InferredBelow().answer(question("scores", 10))
