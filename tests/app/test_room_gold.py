"""Which document is a gold question nobody can find out by trying; untold, it is as any other."""

from pathlib import Path

import pytest

from leadline.app.gold import Gold, GoldQuestion
from leadline.app.room import ActionRefused, Assessor, Room
from leadline.judging.project import Rules
from tests.app.rooms import Clock, in_file, room_over, some_runs

ANN = Assessor("ann")
HIDDEN = GoldQuestion("1", "d5", 1)


def room_with(path: Path, feedback: bool = False) -> Room:
    rules = Rules(gold_every=2, gold_feedback=feedback)
    room = room_over(in_file(path), some_runs(), rules, "MoffatA(p=0.8)", clock=Clock())
    room.adjudicate(Assessor("boss"), room.state.pair("1", "d5"), 1)
    room.gold.put([HIDDEN])
    return room


def work(room: Room, grade: int | None = 0) -> int:
    room.clock.now += 10  # type: ignore[attr-defined]
    pair = room.next(ANN)
    assert pair is not None
    room.judge(ANN, pair, grade)
    return pair


def test_before_it_is_handed_out_it_is_nobodys(tmp_path: Path) -> None:
    room = room_with(tmp_path / "x")
    gold, other = room.state.pair("1", "d5"), room.state.pair("1", "d7")
    for pair in (gold, other):
        assert not room.is_gold(ANN, pair)
        with pytest.raises(ActionRefused, match="not yours to judge"):
            room.judge(ANN, pair, 1)
        with pytest.raises(ActionRefused, match="not yours to judge"):
            room.skip(ANN, pair)
    assert room.gold.answers == {}
    work(room)
    work(room)
    assert room.next(ANN) == gold
    assert room.is_gold(ANN, gold)
    # Another who was not asked has it as little as before.
    assert not room.is_gold(Assessor("ben"), gold)
    room.ledger.database.close()


def test_what_was_handed_out_is_answered_after_a_restart(tmp_path: Path) -> None:
    room = room_with(tmp_path / "x")
    gold = room.state.pair("1", "d5")
    work(room)
    work(room)
    assert room.next(ANN) == gold
    room._handed.clear()
    assert room.judge(ANN, gold, 1) is not None
    room.ledger.database.close()


def test_untold_answers_are_taken_back_and_changed_as_judgments_are(tmp_path: Path) -> None:
    room = room_with(tmp_path / "x")
    gold = room.state.pair("1", "d5")
    first = [work(room), work(room)]
    assert work(room, 0) == gold
    assert [each.said for each in room.untold("ann")] == [0]
    with pytest.raises(ActionRefused, match="undo that first"):
        room.judge(ANN, gold, 1)
    assert room.undo(ANN) == gold
    assert room.untold("ann") == []
    assert room.next(ANN) == gold
    assert work(room, 0) == gold
    room.revise(ANN, gold, 1)
    assert [each.right for each in room.gold.answers["ann"]] == [True]
    assert Gold(room.ledger.database).answers == room.gold.answers
    later = work(room)
    assert room.undo(ANN) == later
    assert room.undo(ANN) == gold
    assert room.undo(ANN) == first[1]
    room.ledger.database.close()


def test_an_answer_of_which_the_right_one_was_told_stays(tmp_path: Path) -> None:
    room = room_with(tmp_path / "x", feedback=True)
    gold = room.state.pair("1", "d5")
    first = [work(room), work(room)]
    assert work(room, 0) == gold
    assert room.untold("ann") == []
    assert room.undo(ANN) == first[1]
    with pytest.raises(ActionRefused, match="you have not judged"):
        room.revise(ANN, gold, 1)
    assert [each.said for each in room.gold.answers["ann"]] == [0]
    room.ledger.database.close()


def test_a_clock_that_is_set_back_changes_nothing(tmp_path: Path) -> None:
    room = room_with(tmp_path / "x")
    room.adjudicate(Assessor("boss"), room.state.pair("1", "d6"), 1)
    room.gold.put([GoldQuestion("1", "d6", 1)])
    gold = {room.state.pair("1", "d5"), room.state.pair("1", "d6")}
    first = [work(room) for _ in range(3)]
    assert first[2] in gold
    room.clock.now -= 86_400  # type: ignore[attr-defined]
    then = [work(room) for _ in range(3)]
    assert {first[2], then[2]} == gold
    assert [room.undo(ANN) for _ in range(6)] == [*then[::-1], *first[::-1]]
    room.ledger.database.close()
