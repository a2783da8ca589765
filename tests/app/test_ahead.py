"""The range of judgments to go, while people judge."""

import logging

import pytest

from leadline.app import snapshot as ahead
from leadline.app.snapshot import PlayedAhead
from leadline.judging.forecast import ToGo
from leadline.judging.order import orders
from leadline.judging.session import Session
from leadline.judging.stops import FirstOf, stops
from tests.app.rooms import some_runs

ORDER = "MoffatA(p=0.8)"


def played(*rules: str) -> PlayedAhead:
    made = tuple(map(stops.parse, rules))
    stop = FirstOf(made) if len(made) > 1 else made[0] if made else None
    return PlayedAhead(Session(some_runs(40), orders.parse(ORDER), stop))


def judge(session: Session, n: int) -> None:
    for _ in range(n):
        (choice,) = session.ask()
        session.count(choice.pair, int(choice.pair % 5 == 0))


def test_a_budget_is_exact_and_without_a_rule_there_is_no_telling() -> None:
    assert played().now() is None
    found = played("Budget(n=5)")
    judge(found.session, 2)
    assert found.now() == ToGo(3, 3)
    judge(found.session, 3)
    assert found.now() == ToGo(0, 0)


def test_a_range_is_made_meanwhile_and_comes_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "WORK", 1.0)
    found = played("MaxResidual(x=0.0001)")
    judge(found.session, ahead.LEAST_NEW - 1)
    assert found.now() is None
    judge(found.session, 1)
    assert found.now() is None
    found.wait(30)
    first = found.now()
    assert first is not None
    assert 1 <= first.least < first.most
    judge(found.session, 3)
    assert found.now() == first.since(3)
    while found.session.reason() is None and (asked := found.session.ask()):
        found.session.count(asked[0].pair, 0)
    assert found.now() == ToGo(0, 0)


def test_with_a_budget_beside_no_more_than_it_leaves() -> None:
    found = played("WinnerCertain(joint=true)", "Budget(n=12)")
    assert found.now() == ToGo(1, 12)
    judge(found.session, 10)
    found.now()
    found.wait(30)
    told = found.now()
    assert told is not None
    assert told.most <= 2


def test_a_forecast_that_fails_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise FloatingPointError("no world")

    monkeypatch.setattr(ahead, "to_go", broken)
    found = played("MaxResidual(x=0.0001)")
    judge(found.session, 10)
    with caplog.at_level(logging.ERROR):
        found.now()
        found.wait(30)
    assert found.now() is None
    assert "could not be played" in caplog.text
