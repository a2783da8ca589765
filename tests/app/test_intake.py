"""Imports: each can be taken back as a whole, whatever happened since."""

import pytest

from leadline.app.database import Database
from leadline.app.room import ActionRefused, Assessor
from leadline.judging.ledger import Entry
from leadline.judging.project import Rules
from tests.app.rooms import room_over, some_runs

ANN, BOSS = Assessor("ann"), Assessor("boss")


def test_an_import_is_undone_and_what_came_since_stands() -> None:
    room = room_over(Database("sqlite://"), some_runs(), Rules(per_pair=2))
    old = [Entry("judge", "1", f"d{at}", 1, "old") for at in range(3)]
    number = room.add_entries([*old, Entry("adjudicate", "1", "d0", 1, "boss")], "boss", "csv")
    pair = room.state.pair("1", "d0")
    # The same person on the same pair, after the import.
    room.adjudicate(BOSS, pair, 0)
    first = room.next(ANN)
    assert first is not None
    room.judge(ANN, first, 1)
    assert room.undo_import(BOSS, number) == 4
    assert room.state.votes.decided == {pair: 0}
    assert {vote.who for votes in room.state.votes.by_pair.values() for vote in votes.values()} == {
        "ann"
    }
    assert [(each.added, bool(each.undone)) for each in room.intake.all()] == [(4, True)]
    assert room.ledger.check().wrong is None
    with pytest.raises(ActionRefused, match="no import 1"):
        room.undo_import(BOSS, number)


def test_what_was_taken_back_by_hand_is_not_taken_back_again() -> None:
    room = room_over(Database("sqlite://"), some_runs())
    first = room.add_entries([Entry("judge", "1", "d0", 1, "ann")])
    second = room.add_entries([Entry("judge", "1", "d1", 1, "ann")])
    assert (first, second) == (1, 2)
    room.undo(ANN)
    assert room.undo_import(BOSS, second) == 0
    assert room.undo_import(BOSS, first) == 1
    assert room.state.session.grades == {}


def test_more_than_k_may_be_imported_and_have_no_place() -> None:
    database = Database("sqlite://")
    room = room_over(database, some_runs(), Rules(per_pair=2))
    room.add_entries([Entry("judge", "1", "d0", 1, who) for who in ("a", "b", "c")])
    assert [place.slot for place in room.ledger.places()] == [0, 1, None]
    again = room_over(database, some_runs(), Rules(per_pair=1))
    assert [place.slot for place in again.ledger.places()] == [0, None, None]
