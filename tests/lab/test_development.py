"""What was looked at in development is named once, for methods that are there."""

from leadline.completions.adjuster import adjusters
from leadline.completions.estimator import estimators
from leadline.judging.order import orders
from leadline.lab.benchmark.play import DEVELOPED_ON, developed_on
from leadline.pooling.strategies import pools


def test_every_method_named_is_registered() -> None:
    known = {name for r in (adjusters, estimators, orders, pools) for name in r.classes()}
    assert set(DEVELOPED_ON) <= known


def test_parameters_change_nothing_and_others_have_none() -> None:
    assert developed_on("LikelyWinner(k=5)") == DEVELOPED_ON["LikelyWinner"]
    assert developed_on("MaxMean") == ()
