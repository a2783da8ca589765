"""What every act goes through: other rules while it runs, and refusals that change nothing."""

from pathlib import Path

import pytest

from leadline.app.room import ActionRefused, Assessor
from leadline.judging.order import orders
from leadline.judging.project import Rules
from leadline.judging.session import Session
from tests.app.rooms import in_file, room_over, some_runs

ANN, BEN = Assessor("ann"), Assessor("ben")


def test_other_rules_hold_at_once_and_what_was_judged_stays(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    runs = some_runs()
    room = room_over(database, runs)
    first = room.next(ANN)
    assert first is not None
    room.judge(ANN, first, 1)
    assert room.state.settled(first)
    order = orders.parse("MoffatA(p=0.8)")
    room.reconfigure(lambda: Session(runs, order), Rules(per_pair=2))
    assert str(room.state.session.order) == "MoffatA(p=0.8)"
    assert not room.state.settled(first)
    assert room.next(BEN) == first
    room.judge(BEN, first, 1)
    room.reconfigure(lambda: Session(runs, order), Rules())
    assert room.state.settled(first)
    database.close()


def test_rules_that_cannot_be_leave_all_as_it_was(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs())

    def wrong() -> Session:
        raise ValueError("no such thing")

    with pytest.raises(ValueError, match="no such thing"):
        room.reconfigure(wrong, Rules(per_pair=3))
    assert room.rules == Rules()
    assert room.next(ANN) is not None
    database.close()


def test_a_judgment_is_revised_whenever_it_was_given(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs())
    pairs = []
    for _ in range(3):
        pair = room.next(ANN)
        assert pair is not None
        pairs.append(pair)
        room.judge(ANN, pair, 1, seconds=4.0)
    room.revise(ANN, pairs[0], 0, "looked again")
    assert room.state.votes.of(pairs[0])["ann"].grade == 0
    assert room.state.session.judged.outcome(pairs[0]) == 0
    n = len(room.ledger.entries)
    room.revise(ANN, pairs[0], 0, "looked again")
    assert len(room.ledger.entries) == n
    room.revise(ANN, pairs[1], None)
    again = room_over(database, some_runs())
    assert [again.state.votes.of(pair)["ann"].grade for pair in pairs] == [0, None, 1]
    assert again.state.tallies["ann"].seconds == 12.0
    assert room.ledger.check().wrong is None
    for who, pair, grade in ((BEN, pairs[0], 1), (ANN, pairs[0], 7)):
        with pytest.raises(ActionRefused):
            room.revise(who, pair, grade)
    room.end(BEN)
    with pytest.raises(ActionRefused, match="ended"):
        room.revise(ANN, pairs[2], 0)
    database.close()
