"""What organisers do: adjudications that are taken back, whoever made them."""

from pathlib import Path

import pytest

from leadline.app.gold import GoldQuestion
from leadline.app.room import ActionRefused, Assessor, Room
from leadline.judging.project import Rules
from tests.app.rooms import Clock, in_file, room_over, some_runs

ANN, BEN, BOSS = Assessor("ann"), Assessor("ben"), Assessor("boss")


def in_dispute(path: Path) -> tuple[Room, int]:
    rules = Rules("adjudicated", 2)
    room = room_over(in_file(path), some_runs(), rules, clock=Clock())
    pair = room.next(ANN)
    assert pair is not None
    assert room.next(BEN) == pair
    room.judge(ANN, pair, 0)
    room.judge(BEN, pair, 1)
    return room, pair


def test_what_people_said_counts_again(tmp_path: Path) -> None:
    room, pair = in_dispute(tmp_path / "x")
    assert room.state.votes.disputed() == [pair]
    room.adjudicate(BOSS, pair, 1)
    assert room.state.session.judged.outcome(pair) == 1
    room.undo_adjudication(Assessor("chief"), pair)
    assert room.state.votes.disputed() == [pair]
    assert room.state.session.judged.outcome(pair) is None
    assert room.ledger.entries[-1].who == "boss"
    assert room.ledger.entries[-1].note == "undone by chief"
    again = room_over(room.ledger.database, some_runs(), room.rules)
    assert again.state.votes.disputed() == [pair]
    with pytest.raises(ActionRefused, match="nobody adjudicated"):
        room.undo_adjudication(BOSS, pair)
    room.ledger.database.close()


def test_what_a_gold_question_decides_stays_as_long_as_it_is_asked(tmp_path: Path) -> None:
    room, pair = in_dispute(tmp_path / "x")
    room.adjudicate(BOSS, pair, 1)
    room.gold.put([GoldQuestion(*room.state.name(pair), 1)])
    with pytest.raises(ActionRefused, match="remove it from those first"):
        room.undo_adjudication(BOSS, pair)
    room.gold.remove(*room.state.name(pair))
    room.undo_adjudication(BOSS, pair)
    assert room.state.votes.disputed() == [pair]
    room.ledger.database.close()


def test_the_undo_key_does_not_take_back_an_adjudication(tmp_path: Path) -> None:
    room = room_over(in_file(tmp_path / "x"), some_runs())
    pair = room.next(ANN)
    assert pair is not None
    room.judge(ANN, pair, 0)
    room.adjudicate(ANN, pair, 1)
    with pytest.raises(ActionRefused, match="undo that first"):
        room.undo(ANN)
    room.undo_adjudication(ANN, pair)
    assert room.undo(ANN) == pair
    assert room.state.votes.of(pair) == {}
    room.ledger.database.close()


def test_the_last_decision_is_taken_back_although_the_clock_was_set_back(tmp_path: Path) -> None:
    room, pair = in_dispute(tmp_path / "x")
    room.adjudicate(BOSS, pair, 1)
    room.clock.now -= 86_400  # type: ignore[attr-defined]
    room.adjudicate(BEN, pair, 0)
    room.undo_adjudication(BOSS, pair)
    assert (room.ledger.entries[-1].act, room.ledger.entries[-1].who) == ("undo", "ben")
    room.ledger.database.close()
