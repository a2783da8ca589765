"""Gold questions: training first, then one after every so many judgments, apart from the ledger."""

from pathlib import Path

import pytest

from leadline.app.gold import Gold, GoldQuestion
from leadline.app.room import ActionRefused, Assessor, Room
from leadline.judging.project import Rules
from tests.app.rooms import Clock, in_file, room_over, some_runs

ANN, BEN = Assessor("ann"), Assessor("ben")


def with_gold(path: Path, *questions: GoldQuestion, every: int = 2) -> Room:
    rules = Rules(gold_every=every, topic_batch=5)
    room = room_over(in_file(path), some_runs(), rules, "MoffatA(p=0.8)", clock=Clock())
    for each in questions:
        pair = room.state.pair(each.topic, each.doc)
        room.adjudicate(Assessor("boss"), pair, each.grade)
    room.gold.put(list(questions))
    return room


def work(room: Room, who: Assessor, n: int, grade: int = 0) -> list[bool]:
    """Judge n documents; which of them were gold questions."""
    found = []
    for _ in range(n):
        room.clock.now += 10  # type: ignore[attr-defined]
        pair = room.next(who)
        assert pair is not None
        found.append(room.judge(who, pair, grade) is not None)
    return found


def test_training_comes_first_and_gold_is_mixed_in(tmp_path: Path) -> None:
    training = GoldQuestion("1", "d0", 1, "says it", training=True)
    room = with_gold(
        tmp_path / "x", training, GoldQuestion("1", "d7", 0), GoldQuestion("2", "d7", 1)
    )
    assert work(room, ANN, 9) == [True, False, False, True, False, False, True, False, False]
    assert [answer.right for answer in room.gold.answers["ann"]].count(True) == 1
    # Neither the ledger nor what is judged knows of it.
    assert sum(entry.act == "judge" for entry in room.ledger.entries) == 6
    assert work(room, BEN, 1) == [True]
    room.ledger.database.close()


def test_gold_of_the_topic_at_hand_is_preferred(tmp_path: Path) -> None:
    gold = [GoldQuestion(topic, doc, 0) for topic in "12" for doc in ("d3", "d4")]
    room = with_gold(tmp_path / "x", *gold, every=1)
    pair = room.next(ANN)
    assert pair is not None
    topic = room.state.name(pair)[0]
    work(room, ANN, 2)
    assert [answer.topic for answer in room.gold.answers["ann"]] == [topic]
    room.ledger.database.close()


def test_an_answer_counts_once_and_stays(tmp_path: Path) -> None:
    room = with_gold(tmp_path / "x", GoldQuestion("1", "d0", 1, training=True))
    pair = room.next(ANN)
    assert pair == room.state.pair("1", "d0")
    assert room.is_gold(ANN, pair)
    assert room.judge(ANN, pair, 0) == room.judge(ANN, pair, 0)
    with pytest.raises(ActionRefused, match="judged this document already"):
        room.judge(ANN, pair, 1)
    assert len(room.gold.answers["ann"]) == 1
    again = Gold(room.ledger.database)
    assert (again.questions, again.answers) == (room.gold.questions, room.gold.answers)
    assert room.next(ANN) != pair
    room.ledger.database.close()


def test_a_skipped_question_is_neither_right_nor_asked_again(tmp_path: Path) -> None:
    room = with_gold(tmp_path / "x", GoldQuestion("1", "d0", 1, training=True))
    pair = room.next(ANN)
    assert pair is not None
    room.skip(ANN, pair)
    assert room.gold.answers["ann"][0].said is None
    assert room.next(ANN) != pair
    room.ledger.database.close()


def test_machines_and_who_judged_it_before_are_not_asked(tmp_path: Path) -> None:
    room = with_gold(tmp_path / "x")
    pair = room.next(ANN)
    assert pair is not None
    room.judge(ANN, pair, 1)
    room.gold.put([GoldQuestion(*room.state.name(pair), 1, training=True)])
    assert room.next(ANN) != pair
    assert not room.is_gold(ANN, pair)
    assert room.next(BEN) == pair
    assert room.is_gold(BEN, pair)
    assert not room.is_gold(Assessor("llm", "machine"), pair)
    room.ledger.database.close()


def test_one_that_is_lent_as_any_other_is_judged_as_any_other(tmp_path: Path) -> None:
    room = with_gold(tmp_path / "x", every=0)
    pair = room.next(ANN)
    assert pair is not None
    room.gold.put([GoldQuestion(*room.state.name(pair), 1)])
    assert room.judge(ANN, pair, 0) is None
    assert room.next(ANN) != pair
    room.ledger.database.close()


def test_a_question_is_put_otherwise_and_removed(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    gold = Gold(database)
    gold.put([GoldQuestion("1", "d0", 1), GoldQuestion("1", "d0", 0, "better", True)])
    assert list(Gold(database).questions.values()) == [GoldQuestion("1", "d0", 0, "better", True)]
    assert gold.remove("1", "d0")
    assert not gold.remove("1", "d0")
    assert Gold(database).questions == {}
    database.close()


def test_who_judged_it_before_it_became_a_question_goes_on(tmp_path: Path) -> None:
    room = with_gold(tmp_path / "x", every=1)
    pair = room.next(ANN)
    assert pair is not None
    room.judge(ANN, pair, 1)
    topic, doc = room.state.name(pair)
    room.gold.put([GoldQuestion(topic, doc, 1, training=True), GoldQuestion("9", "gone", 1)])
    # Nor does one that no run returns stand in the way.
    assert len({room.state.name(each) for each in _all(room, ANN)}) == 15
    assert room.gold.answers == {}
    room.ledger.database.close()


def _all(room: Room, who: Assessor) -> list[int]:
    found = []
    while (pair := room.next(who)) is not None and len(found) < 40:
        found.append(pair)
        room.judge(who, pair, 0)
    return found
