"""What a session forecasts while it is judged."""

from dataclasses import replace

import pytest

from leadline.judging import likely_winner
from leadline.judging.forecast import LEAST_NEW, Forecast
from leadline.judging.likely_winner import LikelyWinner
from leadline.judging.order import DepthFirst, Order
from leadline.judging.session import Session
from leadline.judging.stops import Budget
from tests.judging.test_weighted_sample import collection


def judge(session: Session, n: int) -> None:
    _, judgments = collection()
    for _ in range(n):
        for choice in session.ask():
            session.tell(choice.pair, int(judgments.grade[choice.pair]))


@pytest.mark.parametrize("order", [DepthFirst(p=0.8), LikelyWinner(pilot=10, batch=10)])
def test_judgments_to_go_come_down_to_nothing(order: Order) -> None:
    runs, _ = collection()
    session = Session(runs, order)
    forecast = Forecast(session)
    assert forecast.now() is None
    judge(session, 30)
    early = forecast.now()
    assert early is not None
    assert early.outlook.certainty in ("open", "likely")
    assert early.outlook.to_certain > 0
    assert early.left is None
    assert early.after_budget is None
    judge(session, 10**4)
    late = forecast.now()
    assert late is not None
    assert (late.outlook.certainty, late.outlook.to_certain) == ("certain", 0)


def test_it_is_made_anew_only_when_enough_has_come_in_and_counts_the_budget() -> None:
    runs, _ = collection()
    session = Session(runs, DepthFirst(p=0.8), Budget(50))
    forecast = Forecast(session)
    judge(session, 20)
    first = forecast.now()
    assert first is not None
    assert first.left == 30
    assert first.after_budget == first.outlook.after(30)
    judge(session, LEAST_NEW - 1)
    kept = forecast.now()
    assert kept is not None
    assert kept.outlook is first.outlook
    assert kept.left == 30 - LEAST_NEW + 1
    judge(session, 1)
    later = forecast.now()
    assert later is not None
    assert later.n_judged == 20 + LEAST_NEW


def test_what_the_audit_speaks_against_is_not_called_likely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likely_winner, "FEWEST_JUDGED", 40)
    runs, _ = collection()
    session = Session(runs, LikelyWinner(pilot=10, batch=10))
    judge(session, 60)
    state = session.standing.likely
    assert state is not None
    assert state.posterior is not None
    sure = replace(state.posterior, covariance=state.posterior.covariance * 1e-9)
    state.recent = [sure]
    early = Forecast(session).now()
    assert early is not None
    assert early.outlook.certainty == "open"
    assert "4 batches in a row" in early.held
    state.recent = [sure] * 4
    trusting = Forecast(session).now()
    assert trusting is not None
    assert trusting.outlook.certainty == "likely"
    state.audit._surprise = [(-0.9, 0.09)] * 20
    doubting = Forecast(session).now()
    assert doubting is not None
    assert doubting.outlook.certainty == "open"
    assert "sampled at random" in doubting.held
