"""Rooms: never more than k at a pair, a restart changes nothing, undo undoes."""

import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import DBAPIError

from leadline.app.database import Database
from leadline.app.room import ActionRefused, Assessor, Room, Unavailable
from leadline.judging.ledger import in_force
from leadline.judging.project import Rules
from leadline.judging.session import Session
from tests.app.rooms import Clock, in_file, room_over, some_runs
from tests.collections import Small, small_collections

ORDERS = ["CertainWinner(p=0.8)", "MoffatC(p=0.8)", "MoveToFront", "MaxMean", "Random(seed=1)"]
PEOPLE = [Assessor("ann"), Assessor("bob"), Assessor("cid")]
MACHINE = Assessor("llm", "machine")
ACTS = st.one_of(
    st.integers(0, 2), st.sampled_from(["cannot tell", "skip", "undo", "wait", "restart", "decide"])
)


def judged_by(room: Room) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for entry in in_force(room.ledger.entries):
        if entry.act in ("judge", "cannot tell") and entry.kind == "person":
            found.setdefault((entry.topic, entry.doc), []).append(entry.who)
    return found


def check(room: Room, k: int) -> None:
    for names in judged_by(room).values():
        assert len(names) <= k
        assert len(set(names)) == len(names)
    slots = Counter(
        (place.topic, place.doc) for place in room.ledger.places() if place.slot is not None
    )
    assert max(slots.values(), default=0) <= k
    stored = {(p.topic, p.doc, p.who, p.slot, p.until) for p in room.ledger.places()}
    live = {
        (*room.state.name(pair), who, holder.slot, holder.until)
        for pair, holders in room.state.leases.at.items()
        for who, holder in holders.items()
    }
    assert stored >= live


@pytest.mark.parametrize("order", ORDERS)
@settings(deadline=None, max_examples=20)
@given(
    small=small_collections(n_docs=5, n_topics=2),
    k=st.integers(1, 3),
    merge=st.sampled_from(["majority", "latest", "adjudicated"]),
    batch=st.integers(1, 3),
    acts=st.lists(st.tuples(st.sampled_from([*PEOPLE, MACHINE]), ACTS), max_size=30),
)
def test_whatever_people_do_no_pair_has_more_than_k_and_a_restart_changes_nothing(
    order: str, small: Small, k: int, merge: str, batch: int, acts: list[tuple[Assessor, int | str]]
) -> None:
    runs, _ = small.tables()
    database, clock = Database("sqlite://"), Clock()
    rules = Rules(merge, k, (0, 1, 2), 60.0, batch, batch > 1)  # type: ignore[arg-type]
    room = room_over(database, runs, rules, order, clock=clock)
    for who, act in acts:
        clock.now += 1
        pair = room.next(who)
        if act == "undo":
            room.undo(who)
        elif act == "wait":
            clock.now += 61
        elif act == "restart":
            room = room_over(database, runs, rules, order, clock=clock)
        elif pair is None:
            continue
        elif act == "skip":
            room.skip(who, pair)
        elif act == "decide":
            room.adjudicate(who, pair, 2)
        else:
            room.judge(who, pair, None if act == "cannot tell" else int(act))
        check(room, k)
    # Asked before the restart: from then on the places are the other room's to give.
    waiting = room.state.leases.waiting
    has = {who: room.next(who) for who in PEOPLE if waiting.get(who.name) and not rules.shuffle}
    again = room_over(database, runs, rules, order, clock=clock)
    assert again.state.session.grades == room.state.session.grades
    assert again.state.session.judged.spent == room.state.session.judged.spent
    assert set(again.state.session.out) >= {
        pair
        for pair in room.state.votes.by_pair
        if room.state.votes.counted(pair) and not room.state.settled(pair)
    }
    assert again.state.votes.by_pair == room.state.votes.by_pair
    mine, theirs = room.state.session.standing, again.state.session.standing
    assert np.allclose(mine.base, theirs.base)
    assert np.allclose(mine.upper, theirs.upper)
    assert np.allclose(mine.contest.upper, theirs.contest.upper)
    assert mine.leader == theirs.leader or np.isclose(*mine.base[[mine.leader, theirs.leader]])
    assert (room.state.course.judged == again.state.course.judged).all()
    for who, pair in has.items():
        assert again.next(who) == pair
    database.close()


def test_what_was_undone_comes_first_after_a_restart_too() -> None:
    database, clock = Database("sqlite://"), Clock()
    runs, ann = some_runs(30), PEOPLE[0]
    room = room_over(database, runs, Rules(), "MoffatA(p=0.8)", clock=clock)
    first = room.next(ann)
    assert first is not None
    room.skip(ann, first)
    second = room.next(ann)
    assert room.undo(ann) == first == room.next(ann)
    again = room_over(database, runs, Rules(), "MoffatA(p=0.8)", clock=clock)
    assert again.next(ann) == first
    again.judge(ann, first, 1)
    assert again.next(ann) == second
    database.close()


@pytest.mark.parametrize("k", [1, 3])
def test_many_at_once_never_get_a_pair_beyond_k(tmp_path: Path, k: int) -> None:
    database = in_file(tmp_path / "x.sqlite")
    room = room_over(database, some_runs(30), Rules(per_pair=k), "MoffatA(p=0.8)")
    out: Counter[int] = Counter()
    lock = threading.Lock()

    def work(who: Assessor) -> None:
        for _ in range(12):
            pair = room.next(who)
            if pair is None:
                return
            with lock:
                out[pair] += 1
                assert out[pair] <= k
            room.judge(who, pair, 1)

    people = [threading.Thread(target=work, args=(Assessor(f"p{n}"),)) for n in range(8)]
    for each in people:
        each.start()
    for each in people:
        each.join()
    check(room, k)
    # Of 60 pairs in all, nobody has more than one place at each.
    assert sum(out.values()) == min(8 * 12, k * 60)
    database.close()


def test_a_lease_lapses_and_the_document_goes_to_somebody_else() -> None:
    clock = Clock()
    room = room_over(Database("sqlite://"), some_runs(), Rules(lease=60), clock=clock)
    ann, bob, cid = PEOPLE
    pair = room.next(ann)
    assert room.next(bob) != pair
    clock.now += 61
    assert room.next(cid) == pair
    assert pair is not None
    with pytest.raises(ActionRefused, match="not yours"):
        room.judge(ann, pair, 1)
    assert room.next(ann) != pair
    room.judge(cid, pair, 1)


def test_a_late_judgment_counts_if_nobody_has_taken_the_document() -> None:
    clock = Clock()
    room = room_over(Database("sqlite://"), some_runs(), Rules(lease=60), clock=clock)
    pair = room.next(PEOPLE[0])
    assert pair is not None
    clock.now += 1000
    room.judge(PEOPLE[0], pair, 1)
    assert room.state.session.grades == {pair: 1}


def test_a_judgment_sent_twice_counts_once_and_another_grade_is_refused() -> None:
    room = room_over(Database("sqlite://"), some_runs())
    pair = room.next(PEOPLE[0])
    assert pair is not None
    room.judge(PEOPLE[0], pair, 1)
    room.judge(PEOPLE[0], pair, 1)
    assert len(room.ledger.entries) == 1
    with pytest.raises(ActionRefused, match="already"):
        room.judge(PEOPLE[0], pair, 0)
    with pytest.raises(ActionRefused, match="no grade 7"):
        room.judge(PEOPLE[0], pair, 7)


def test_what_is_skipped_comes_back_when_nothing_else_is_left() -> None:
    room = room_over(Database("sqlite://"), some_runs(3), order="MoffatA(p=0.8)")
    ann = PEOPLE[0]
    first = room.next(ann)
    assert first is not None
    room.skip(ann, first)
    seen = []
    while (pair := room.next(ann)) not in (None, first):
        assert pair is not None
        room.judge(ann, pair, 0)
        seen.append(pair)
    assert pair == first
    assert len(seen) == 5


def test_undo_brings_the_document_back_even_when_it_was_enough() -> None:
    room = room_over(Database("sqlite://"), some_runs(), stop="Budget(n=1)")
    ann = PEOPLE[0]
    pair = room.next(ann)
    assert pair is not None
    room.judge(ann, pair, 1)
    assert room.next(ann) is None
    assert room.undo(ann) == pair
    assert room.next(ann) == pair
    assert room.state.session.grades == {}


def test_pairs_that_people_differ_on_wait_for_the_organiser() -> None:
    rules = Rules("adjudicated", 2, grades=(0, 1, 2))
    room = room_over(Database("sqlite://"), some_runs(), rules)
    ann, bob, cid = PEOPLE
    pair = room.next(ann)
    assert room.next(bob) == pair
    assert pair is not None
    room.judge(ann, pair, 2)
    assert room.state.votes.disputed() == []
    room.judge(bob, pair, 0)
    assert room.state.votes.disputed() == [pair]
    assert not room.state.settled(pair)
    assert room.next(cid) != pair
    room.adjudicate(cid, pair, 1)
    assert room.state.session.grades == {pair: 1}
    assert room.state.votes.disputed() == []


def test_a_machine_is_kept_apart_unless_it_is_to_count() -> None:
    room = room_over(Database("sqlite://"), some_runs())
    ann = PEOPLE[0]
    pair = room.next(ann)
    assert pair is not None
    room.judge(ann, pair, 0)
    assert room.next(MACHINE) == pair, "what people have judged comes first"
    room.judge(MACHINE, pair, 1)
    assert room.state.session.grades == {pair: 0}
    rest = room.lease(MACHINE, 99)
    assert len(rest) == len(room.state.session.runs.pairs) - 1
    room.judge(MACHINE, rest[-1], 1, source=("m", "v1", 0.5))
    assert room.ledger.entries[-1].confidence == 0.5
    assert room.state.session.out == {}, "nothing of it is handed out to people"
    again = room_over(room.ledger.database, some_runs())
    assert again.state.session.out == {}
    assert again.next(ann) == room.next(ann)


def test_the_end_ends_it_for_all_until_it_is_reopened() -> None:
    room = room_over(Database("sqlite://"), some_runs())
    ann = PEOPLE[0]
    pair = room.next(ann)
    assert pair is not None
    room.end(PEOPLE[1])
    assert room.next(ann) is None
    with pytest.raises(ActionRefused, match="ended by bob"):
        room.judge(ann, pair, 1)
    room.end(PEOPLE[1], ended=False)
    assert room.next(ann) == pair


def test_after_an_error_of_the_database_the_room_catches_up_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = room_over(Database("sqlite://"), some_runs())
    ann = PEOPLE[0]
    pair = room.next(ann)
    assert pair is not None
    write = room.ledger.write

    def written_but_not_said(*arguments: object) -> None:
        write(*arguments)  # type: ignore[arg-type]
        raise DBAPIError("COMMIT", None, OSError("connection lost"))

    monkeypatch.setattr(room.ledger, "write", written_but_not_said)
    with pytest.raises(Unavailable):
        room.judge(ann, pair, 1)
    monkeypatch.setattr(room.ledger, "write", write)
    room.judge(ann, pair, 1)
    assert [entry.act for entry in room.ledger.entries] == ["judge"]
    assert room.state.session.grades == {pair: 1}


@pytest.mark.parametrize("order", ["MoveToFront", "MaxMean", "Thompson", "MoffatA(p=0.8)"])
def test_nothing_is_made_anew_when_somebody_thinks_again(tmp_path: Path, order: str) -> None:
    room = room_over(in_file(tmp_path / "x"), some_runs(), order=order)
    ann = Assessor("ann")
    done = []
    for _ in range(4):
        done.append(room.next(ann) or 0)
        room.judge(ann, done[-1], 1)
    begin = room.start

    def once_more() -> Session:
        raise AssertionError("everything is made anew")

    room.start = once_more
    room.revise(ann, done[0], 0)
    assert room.undo(ann) == done[0]
    room.judge(ann, done[0], 0)
    room.adjudicate(Assessor("boss"), done[1], 0)
    room.undo_adjudication(Assessor("boss"), done[1])
    room.start = begin
    assert room.state.session.grades[done[0]] == 0
    room.ledger.database.close()
