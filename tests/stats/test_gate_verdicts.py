"""Verdicts say where the interval lies, and allow for several questions."""

import pytest

from leadline.stats.gate import verdicts
from leadline.stats.mean_uncertainty import TopicVariance


@pytest.mark.parametrize(
    ("centre", "plain", "equivalent"),
    [
        # The bounds are t(.95, 49) * .01 = .0168 away.
        (0.05, "not_worse", "different"),
        (0.0, "not_worse", "equivalent"),
        (-0.02, "undecided", "undecided"),
        (-0.08, "worse", "different"),
        (0.04, "not_worse", "undecided"),
    ],
)
def test_where_the_interval_lies(centre: float, plain: str, equivalent: str) -> None:
    doubt = TopicVariance(centre, 0.01, 49)
    least, most = doubt.bounds(0.95)
    (said,) = verdicts([doubt], 0.025, 0.95, "none", "not_worse")
    assert said == plain
    assert (least > -0.025) == (said == "not_worse")
    assert (most < -0.025) == (said == "worse")
    assert verdicts([doubt], 0.025, 0.95, "none", "equivalent") == [equivalent]


def test_several_questions_need_more() -> None:
    # p of one is about .032, below .05; of two equal ones Holm asks for half of that.
    doubt = TopicVariance(0.02, 0.0108, 1e6)
    assert doubt.p_above(0.0) == pytest.approx(0.032, abs=1e-3)
    assert verdicts([doubt], 0.0, 0.95, "holm", "not_worse") == ["not_worse"]
    assert verdicts([doubt] * 2, 0.0, 0.95, "holm", "not_worse") == ["undecided"] * 2
    assert verdicts([doubt] * 2, 0.0, 0.95, "none", "not_worse") == ["not_worse"] * 2


def test_what_cannot_be_told_is_undecided() -> None:
    nothing = TopicVariance(float("nan"), float("nan"), float("nan"))
    assert verdicts([nothing], 0.01, 0.95, "holm", "not_worse") == ["undecided"]
    assert verdicts([nothing], 0.01, 0.95, "holm", "equivalent") == ["undecided"]
    assert verdicts([], 0.01, 0.95, "holm", "not_worse") == []
