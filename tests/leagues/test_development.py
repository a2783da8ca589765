"""What was looked at in development is named once, for methods that are there."""

from leadline.adjusters.adjuster import adjusters
from leadline.estimators.estimator import estimators
from leadline.leagues.development import DEVELOPED_ON, developed_on
from leadline.orders.order import orders
from leadline.pools.strategy import pools


def test_every_method_named_is_registered() -> None:
    known = {name for r in (adjusters, estimators, orders, pools) for name in r.classes()}
    assert set(DEVELOPED_ON) <= known


def test_parameters_change_nothing_and_others_have_none() -> None:
    assert developed_on("Doubt(k=5)") == DEVELOPED_ON["Doubt"]
    assert developed_on("MaxMean") == ()
