"""One topic at a time: a batch of documents of the heaviest topic, then the next."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from leadline.app.places import TopicChoice, TopicHolders
from leadline.app.room import Assessor
from leadline.data.runs import Runs
from leadline.judging.ledger import Entry
from leadline.judging.order import orders
from leadline.judging.project import Rules
from leadline.judging.session import Session
from tests.app.rooms import in_file, room_over, some_runs
from tests.collections import Small

ANN, BEN = Assessor("ann"), Assessor("ben")


def many_topics(n: int = 4) -> Runs:
    docs = [f"d{number}" for number in range(12)]
    topics = [str(number) for number in range(n)]
    lists = {
        "a": {topic: docs[at:] + docs[:at] for at, topic in enumerate(topics)},
        "b": {topic: docs[::-1][at:] for at, topic in enumerate(topics)},
    }
    return Small(lists, {topic: {} for topic in topics}, 1).tables()[0]


def judged_topics(tmp_path: Path, rules: Rules, n: int = 20, order: str = "MoffatA(p=0.8)") -> str:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, many_topics(), rules, order)
    found = ""
    while len(found) < n and (pair := room.next(ANN)) is not None:
        found += room.state.name(pair)[0]
        room.judge(ANN, pair, 0)
    database.close()
    return found


def changes(topics: str) -> int:
    return sum(one != other for one, other in pairwise(topics))


@pytest.mark.parametrize("order", ["MoffatA(p=0.8)", "MoffatC(p=0.8)", "Random(seed=1)"])
def test_a_batch_of_a_topic_comes_before_another(tmp_path: Path, order: str) -> None:
    topics = judged_topics(tmp_path, Rules(topic_batch=5), order=order)
    assert [len(set(topics[at : at + 5])) for at in range(0, 20, 5)] == [1] * 4
    assert len(set(topics)) > 1


def test_without_batches_the_order_decides(tmp_path: Path) -> None:
    assert changes(judged_topics(tmp_path, Rules(topic_batch=1))) > 5


def test_whole_topics_are_judged_to_their_end(tmp_path: Path) -> None:
    topics = judged_topics(tmp_path, Rules(topic_batch=0), 48)
    assert len(topics) == 48
    assert changes(topics) == 3


def test_everything_is_asked_for_once(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    runs = many_topics()
    room = room_over(database, runs, Rules(topic_batch=3), "MoffatA(p=0.8)")
    asked = []
    for number in range(len(runs.pairs) + 5):
        who = (ANN, BEN)[number % 2]
        pair = room.next(who)
        if pair is not None:
            asked.append(pair)
            room.judge(who, pair, 1)
    assert sorted(asked) == sorted(set(runs.pair.tolist()))
    database.close()


def test_two_at_once_are_at_different_topics_unless_two_judge_each(tmp_path: Path) -> None:
    for per_pair, apart in ((1, True), (2, False)):
        database = in_file(tmp_path / f"{per_pair}.sqlite")
        rules = Rules(per_pair=per_pair, topic_batch=5)
        room = room_over(database, many_topics(), rules, "MoffatA(p=0.8)")
        one, two = (room.next(who) for who in (ANN, BEN))
        assert one is not None
        assert two is not None
        assert (room.state.name(one)[0] != room.state.name(two)[0]) == apart
        assert (one == two) != apart
        database.close()


def test_a_batch_goes_on_after_a_restart_and_after_undo(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    rules = Rules(topic_batch=4)
    room = room_over(database, many_topics(), rules, "MoffatA(p=0.8)")
    topics = ""
    for number in range(8):
        if number == 2:
            room = room_over(database, many_topics(), rules, "MoffatA(p=0.8)")
        if number == 3:
            room.undo(ANN)
            topics = topics[:-1]
        pair = room.next(ANN)
        assert pair is not None
        topics += room.state.name(pair)[0]
        room.judge(ANN, pair, 0)
    assert len(set(topics[:4])) == 1
    assert topics[4] != topics[3]
    database.close()


def test_the_topic_is_chosen_by_the_weight_of_its_best_documents(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    runs = many_topics()
    session = Session(runs, orders.parse("MoffatA(p=0.8)"))
    choice = TopicChoice(session, 3, TopicHolders(database, 1))
    weights = session.stepper.weights(0, len(runs.pairs))
    assert weights is not None
    start = runs.pairs.topic_start
    plain = [
        sum(sorted(weights[start[at] : start[at + 1]])[-3:]) for at in range(len(runs.pairs.topics))
    ]
    assert choice.worth() == pytest.approx(plain)
    best = int(np.argmax(plain))
    chosen = choice.ask("ann", 1, None, set())
    assert runs.pairs.topic[chosen[0]] == best
    assert runs.pairs.topic[choice.ask("ann", 1, None, {best})[0]] != best
    database.close()


def test_which_topic_somebody_is_at(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x.sqlite")
    session = Session(some_runs(), orders.parse("MoffatA(p=0.8)"))
    choice = TopicChoice(session, 2, TopicHolders(database, 1))

    def acts(topics: str) -> list[Entry]:
        return [Entry("judge", topic, f"d{at}", 0) for at, topic in enumerate(topics)]

    assert [choice.now(acts(topics)) for topics in ("", "1", "11", "112", "1122")] == [
        None,
        "1",
        None,
        "2",
        None,
    ]
    learning = Session(some_runs(), orders.parse("MoveToFront"))
    assert not TopicChoice(learning, 2, TopicHolders(database, 1)).by_topic
    database.close()


def test_who_is_done_with_a_topic_gets_what_others_began_elsewhere(tmp_path: Path) -> None:
    database = in_file(tmp_path / "x")
    rules = Rules("adjudicated", 2, topic_batch=10)
    room = room_over(database, some_runs(3), rules, "MoffatA(p=0.8)")
    # Ann judges one document of a topic, then Ben begins everything.
    first = room.next(ANN)
    assert first is not None
    room.judge(ANN, first, 1)
    while (pair := room.next(BEN)) is not None:
        room.judge(BEN, pair, 1)
    n = 1
    while (pair := room.next(ANN)) is not None:
        room.judge(ANN, pair, 1)
        n += 1
    assert n == 6
    database.close()
