"""Several acts by one commit: one transaction, all or nothing, and nothing out of order."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event, text

from leadline.app.room import Assessor, Pending, Room, Unavailable
from leadline.app.sql_ledger import Place
from leadline.judging.ledger import Entry
from tests.app.rooms import in_file, room_over, some_runs

ANN = Assessor("ann")


def first_of(room: Room) -> int:
    pair = room.next(ANN)
    assert pair is not None
    return pair


def judge_and_then(room: Room, pair: int, more: Callable[[], object]) -> None:
    with room.together():
        room.judge(ANN, pair, 1)
        more()


def test_what_is_freed_goes_first_unless_it_was_kept_here() -> None:
    pending = Pending()
    assert not pending
    pending.add([Entry("judge", "1", "d", 1, "ann")], [Place("1", "d", "ann", 0, None)], [])
    assert pending
    assert pending.bars([Place("1", "d", "ann", 0, None)])
    assert not pending.bars([Place("1", "d", "ben", 0, None), Place("1", "e", "ann", 0, None)])


def test_a_judgment_and_what_comes_next_are_one_commit(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs())
    pair = first_of(room)
    commits: list[object] = []
    event.listen(database.engine, "commit", commits.append)
    with room.together():
        room.judge(ANN, pair, 1)
        following = room.next(ANN)
    assert len(commits) == 1
    again = room_over(database, some_runs())
    assert again.state.votes.of(pair)["ann"].grade == 1
    assert again.state.leases.waiting["ann"] == [following]
    assert room.ledger.check().wrong is None
    database.close()


def test_what_the_database_refuses_counts_nowhere(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs())
    pair = first_of(room)
    with database.engine.begin() as connection:
        connection.execute(
            text("CREATE TRIGGER no BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'no'); END")
        )
    with pytest.raises(Unavailable):
        judge_and_then(room, pair, lambda: room.next(ANN))
    with database.engine.begin() as connection:
        connection.execute(text("DROP TRIGGER no"))
    assert room.next(ANN) == pair
    assert room.state.votes.of(pair) == {}
    room.judge(ANN, pair, 1)
    database.close()


def test_an_error_before_the_commit_takes_back_what_was_counted(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    room = room_over(database, some_runs())
    pair = first_of(room)
    with pytest.raises(ZeroDivisionError):
        judge_and_then(room, pair, lambda: 1 // 0)
    assert room.next(ANN) == pair
    assert room.ledger.entries == []
    database.close()
