"""Registered adjusters take part as they are."""

import numpy as np
import pytest

from leadline.completions.adjuster import UnpooledRuns, adjusters
from leadline.lab.benchmark.entrants.methods import ByAdjuster
from tests.lab.asked import question


@pytest.mark.parametrize("entrant", ByAdjuster.variants(), ids=lambda each: each.title)
def test_it_adds_what_the_adjuster_adds(entrant: ByAdjuster) -> None:
    asked = question("newcomer", 5, "P@10")
    evidence = asked.given
    assert isinstance(evidence, UnpooledRuns)
    amount = adjusters.parse(entrant.adjuster).amounts(evidence)
    unadjusted = evidence.measure.score(evidence.new_lists()).mean()
    assert np.allclose(entrant.answer(asked).value, unadjusted + amount)


def test_those_that_need_trusted_judgments_take_no_part() -> None:
    assert "WebberTopics" not in {each.title for each in ByAdjuster.variants()}
