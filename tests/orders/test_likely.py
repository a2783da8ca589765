"""Likely: batches by what a model says, a share of each by chance, and honest scores from that."""

import numpy as np
import pytest

from leadline.estimators.pair_weights import PairWeights
from leadline.orders.likely import Likely
from leadline.orders.order import Stepper
from leadline.tables.judgments import Judgments
from leadline.tables.runs import Runs
from leadline.testing import check_order
from tests.designs.test_designed import collection

SMALL = Likely(measure="P@5", pilot=10, batch=10)


def follow(stepper: Stepper, judgments: Judgments, n: int) -> list[int]:
    asked = []
    while len(asked) < n and (chosen := stepper.next()):
        asked.append(chosen[0].pair)
        stepper.tell(chosen[0].pair, int(judgments.grade[chosen[0].pair]))
    return asked


def truth(runs: Runs, judgments: Judgments) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    weights = PairWeights.of(runs, SMALL.weighted)
    return weights.scores((judgments.grade[weights.pair] >= 1) * 1.0)


def test_it_keeps_the_contract() -> None:
    check_order(Likely(measure="P@3", pilot=2, batch=3, audit=0.4), n=8)


def test_the_best_run_leads_when_little_is_judged_and_for_certain_in_the_end() -> None:
    runs, judgments = collection()
    stepper = SMALL.start(runs)
    follow(stepper, judgments, 10**6)
    assert stepper.likely is not None
    stepper.likely.audit.settle(stepper.gain)  # type: ignore[attr-defined]
    assert stepper.likely.posterior is not None
    best = int(np.argmax(truth(runs, judgments)))
    assert stepper.likely.posterior.best()[best]


def test_two_runs_are_told_apart_by_what_they_do_not_share() -> None:
    runs, judgments = collection()
    order = Likely(measure="P@5", aim="run1,run7", pilot=2, batch=6, audit=0.0)
    stepper = order.start(runs)
    asked = follow(stepper, judgments, 14)[2:]
    weights = PairWeights.of(runs, order.weighted)
    a, b = (weights.matrix[[runs.names.index(name)]].toarray()[0] for name in ("run1", "run7"))
    decides = set(weights.pair[a != b].tolist())
    assert set(asked) <= decides


@pytest.mark.parametrize("aim", ["first", "run1", "run1,nobody"])
def test_an_aim_that_is_none_is_refused(aim: str) -> None:
    runs, judgments = collection()
    with pytest.raises(ValueError, match="aim must be"):
        follow(Likely(measure="P@5", aim=aim, pilot=2, batch=2).start(runs), judgments, 6)


def test_the_best_k_and_the_whole_order_ask_for_other_pairs_than_the_best() -> None:
    runs, judgments = collection()
    courses = {
        tuple(follow(order.start(runs), judgments, 40))
        for order in (SMALL, Likely("P@5", 3, pilot=10, batch=10), Likely("P@5", aim="order"))
    }
    assert len(courses) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"k": 0}, "at least 1"),
        ({"audit": 1.0}, "audit must be a share"),
        ({"measure": "RR"}, "no sum of weights"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Likely(**wrong)  # type: ignore[arg-type]
