"""What people said, copied: later judgments change nothing in it."""

import pytest

from leadline.app.room import Assessor
from leadline.app.site import Site
from leadline.app.snapshot import Said
from leadline.app.state import RoomState
from leadline.judging.project import Thresholds

ANN, MACHINE = Assessor("ann"), Assessor("llm", "machine")


def test_a_copy_says_what_was_said_then(site: Site) -> None:
    room = site.judging.room
    for who, grade in ((ANN, 1), (MACHINE, 0)):
        pair = room.next(who)
        assert pair is not None
        room.judge(who, pair, grade)
    said = Said.of(room, Thresholds())
    before = said.agreement()
    room.undo(ANN)
    assert said.agreement() == before
    assert [each["who"] for each in before["people"]] == ["ann"]
    (pair_of_two,) = before["pairs"]
    assert (pair_of_two["machine"], pair_of_two["n"]) == (True, 1)
    assert Said.of(room, Thresholds()).agreement()["pairs"] == []


def test_no_name_is_looked_up_while_everybody_waits(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = site.judging.room
    for grade in (1, 0, 1):
        pair = room.next(ANN)
        assert pair is not None
        room.judge(ANN, pair, grade)
    room.undo(ANN)
    expected = [room.state.pair(act.topic, act.doc) for act in room.state.acts["ann"]]

    def lookup(*_: str) -> int:
        raise AssertionError("tens of microseconds for every judgment, under the room's lock")

    monkeypatch.setattr(RoomState, "pair", lookup)
    said = Said.of(room, Thresholds())
    assert [pair for pair, _ in said.acts["ann"]] == expected
    assert len(expected) == 2
