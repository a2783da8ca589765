"""Topics that are somebody's: assigned, taken, given up, and still so after a restart."""

from pathlib import Path

from leadline.app.places import Holding, TopicHolders
from leadline.app.room import Assessor
from leadline.judging.project import Rules
from tests.app.rooms import in_file, room_over, some_runs

ANN, BEN = Assessor("ann"), Assessor("ben")


def test_an_assigned_topic_is_for_its_people_alone(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    held = TopicHolders(database, 2)
    held.assign("1", ["ann", "ann", "ben"])
    assert held.by_topic == {"1": Holding(("ann", "ben"), False)}
    assert [held.may_have("1", who) for who in ("ann", "ben", "cat")] == [True, True, False]
    assert held.may_have("2", "cat")
    assert TopicHolders(database, 2).by_topic == held.by_topic
    held.assign("1", [])
    assert TopicHolders(database, 2).by_topic == {}
    database.close()


def test_a_taken_topic_is_open_until_k_have_taken_it(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    held = TopicHolders(database, 2)
    held.take("1", "ann")
    held.take("1", "ann")
    assert held.may_have("1", "ben")
    held.take("1", "ben")
    assert not held.may_have("1", "cat")
    assert held.give_up("ann") == ["1"]
    assert TopicHolders(database, 2).by_topic == {"1": Holding(("ben",), True)}
    assert held.may_have("1", "cat")
    database.close()


def test_nobody_gets_a_document_of_a_topic_of_others(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(), Rules(topic_batch=5))
    room.state.topics.holders.assign("1", ["ann"])
    room.state.topics.holders.assign("2", ["ben"])
    for who, topic in ((ANN, "1"), (BEN, "2")):
        for _ in range(3):
            pair = room.next(who)
            assert pair is not None
            assert room.state.name(pair)[0] == topic
            room.judge(who, pair, 1)
    assert room.next(Assessor("cat")) is None
    # What somebody has of a topic that is given to another goes there.
    held = room.next(ANN)
    room.state.topics.holders.assign("1", ["cat"])
    assert room.next(ANN) is None
    assert room.next(Assessor("cat")) == held
    database.close()


def test_orders_that_learn_keep_what_is_for_others(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(), Rules(topic_batch=5), "MoveToFront")
    room.state.topics.holders.assign("1", ["ann"])
    for _ in range(3):
        pair = room.next(BEN)
        assert pair is not None
        assert room.state.name(pair)[0] == "2"
        room.judge(BEN, pair, 0)
    first = room.next(ANN)
    assert first is not None
    assert room.state.name(first)[0] == "1"
    database.close()


def test_who_begins_a_topic_has_it_whole(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(), Rules(topic_batch=0, take_topics=True))
    mine = [room.next(who) for who in (ANN, BEN)]
    topics = [room.state.name(pair)[0] for pair in mine if pair is not None]
    assert sorted(topics) == ["1", "2"]
    again = room_over(database, some_runs(), Rules(topic_batch=0, take_topics=True))
    assert {topic: held.people for topic, held in again.state.topics.holders.by_topic.items()} == {
        topics[0]: ("ann",),
        topics[1]: ("ben",),
    }
    assert again.next(Assessor("cat")) is None
    database.close()
