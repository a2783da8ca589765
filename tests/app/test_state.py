"""What a ledger comes to in a room: places put right, votes told once, choices for each."""

from leadline.app.database import Database
from leadline.app.room import Assessor, Room
from leadline.app.sql_ledger import Place
from leadline.judging.ledger import Entry
from leadline.judging.project import Rules
from tests.app.rooms import Clock, room_over, some_runs

ANN, BOB, CID = Assessor("ann"), Assessor("bob"), Assessor("cid")
ORDER = "MoffatA(p=0.8)"


def room(rules: Rules | None = None, database: Database | None = None) -> Room:
    return room_over(database or Database("sqlite://"), some_runs(), rules, ORDER, clock=Clock())


def first(of: Room, who: Assessor = ANN) -> int:
    pair = of.next(who)
    assert pair is not None
    return pair


def test_entries_about_documents_of_no_run_are_counted_apart() -> None:
    made = room()
    made.add_entries(
        [Entry("judge", "1", "elsewhere", 1, "ann"), Entry("judge", "1", "d0", 1, "ann")]
    )
    assert made.state.elsewhere == 1
    assert made.state.session.grades == {made.state.pair("1", "d0"): 1}
    assert made.state.tallies["ann"].judged == 1
    assert made.state.pair("1", "elsewhere") == -1


def test_places_that_the_ledger_knows_nothing_of_are_put_right() -> None:
    database = Database("sqlite://")
    made = room(database=database)
    made.ledger.write(
        [Entry("judge", "1", "d0", 1, "ann")],
        # Lost in a power cut: ann's place for good. Left over: bob's, at the same slot.
        kept=[Place("1", "d0", "bob", 0, 9e9), Place("1", "gone", "cid", 0, 9e9)],
        batch=1,
    )
    again = room(database=database)
    assert again.ledger.places() == [Place("1", "d0", "ann", 0, None)]
    assert again.state.leases.waiting.get("bob", []) == []


def test_a_place_that_is_lent_moves_to_a_free_slot_beside_a_judgment() -> None:
    database = Database("sqlite://")
    made = room(Rules(per_pair=2), database)
    bob = Place("1", "d0", "bob", 0, 9e9)
    made.ledger.write([Entry("judge", "1", "d0", 1, "ann")], kept=[bob], batch=1)
    again = room(Rules(per_pair=2), database)
    slots = {place.who: (place.slot, place.until) for place in again.ledger.places()}
    # No longer than the usual time from now.
    assert slots == {"ann": (0, None), "bob": (1, Clock().now + Rules().lease)}


def test_what_is_put_off_comes_last() -> None:
    made = room()
    pair = first(made)
    made.skip(ANN, pair)
    assert list(made.state.put_off["ann"]) == [pair]
    assert first(made) != pair
    assert first(made, BOB) == pair
    made.judge(BOB, pair, 1)
    assert made.state.settled(pair)
    assert pair not in made.state.choose(ANN, 99, 0.0)


def test_pairs_that_people_differ_on_are_nobodys_to_judge() -> None:
    made = room(Rules(merge="adjudicated", per_pair=2))
    pair = first(made)
    made.judge(ANN, pair, 1)
    assert first(made, BOB) == pair
    made.judge(BOB, pair, 0)
    assert not made.state.settled(pair)
    assert pair not in made.state.choose(CID, 99, 0.0)


def test_a_machine_that_is_kept_apart_reads_what_people_have_judged_and_then_the_rest() -> None:
    made = room()
    machine = Assessor("llm", "machine")
    everything = made.state.choose(machine, 99, 0.0)
    assert sorted(everything) == list(range(len(made.state.session.runs.pairs)))
    pair = made.next(ANN)
    assert pair is not None
    made.judge(ANN, pair, 1)
    assert made.state.choose(machine, 99, 0.0)[0] == pair
    skipped = made.next(machine)
    assert skipped is not None
    made.skip(machine, skipped)
    assert made.state.choose(machine, 99, 0.0)[-1] == skipped


def test_the_last_act_is_ones_own_and_no_adjudication() -> None:
    made = room()
    pair = first(made)
    made.judge(ANN, pair, 1)
    made.adjudicate(ANN, pair, 0)
    last = made.state.last_act("ann")
    assert last is not None
    assert (last.act, last.grade) == ("judge", 1)
    assert made.state.last_act("bob") is None
    assert made.state.session.grades == {pair: 0}


def test_a_judgment_is_in_the_course_once_whatever_it_becomes() -> None:
    made = room()
    pair = first(made)
    made.judge(ANN, pair, 1)
    judged = made.state.course.judged.copy()
    assert judged.any()
    made.adjudicate(BOB, pair, 0)
    assert (made.state.course.judged == judged).all()
