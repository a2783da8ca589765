"""Places at a pair: k of them, lent for a while, kept once judged."""

from pathlib import Path

from leadline.app.places import Holder, Leases, SteadyClock
from leadline.app.room import Assessor
from leadline.app.site import Site
from leadline.judging.project import Rules
from tests.app.rooms import Clock, in_file, room_over, some_runs


def lend(leases: Leases, pair: int, who: str, until: float, now: float = 0.0) -> int:
    free = leases.free_slot(pair, now)
    assert free is not None
    slot, former = free
    if former is not None:
        leases.free(pair, former)
    leases.lend(pair, who, Holder(slot, until))
    return slot


def test_at_most_k_have_a_pair() -> None:
    leases = Leases(2)
    assert [lend(leases, 7, who, 100.0) for who in ("ann", "bob")] == [0, 1]
    assert leases.free_slot(7, 50.0) is None
    assert leases.free_slot(8, 50.0) == (0, None)
    assert leases.lent(7, 50.0) == 2


def test_a_lapsed_place_goes_to_somebody_else_and_no_other() -> None:
    leases = Leases(2)
    lend(leases, 7, "ann", 100.0)
    lend(leases, 7, "bob", 200.0)
    assert leases.free_slot(7, 100.0) == (0, "ann")
    assert leases.lent(7, 100.0) == 1
    lend(leases, 7, "cid", 300.0, now=100.0)
    assert leases.holder(7, "ann") is None
    assert leases.waiting == {"ann": [], "bob": [7], "cid": [7]}


def test_who_has_judged_keeps_the_place_for_good() -> None:
    leases = Leases(1)
    lend(leases, 7, "ann", 100.0)
    leases.keep(7, "ann")
    assert leases.holder(7, "ann") == Holder(0, None)
    assert leases.waiting["ann"] == []
    assert leases.free_slot(7, 1e9) is None
    assert leases.lent(7, 0.0) == 0


def test_who_is_kept_apart_takes_no_slot() -> None:
    leases = Leases(1)
    leases.lend(7, "llm", Holder(None, 100.0))
    assert leases.free_slot(7, 0.0) == (0, None)


def test_what_is_given_up_is_free_and_forgotten() -> None:
    leases = Leases(1)
    lend(leases, 7, "ann", 100.0)
    leases.free(7, "ann")
    assert (leases.at, leases.waiting) == ({}, {"ann": []})
    leases.free(8, "nobody")


def test_pairs_wait_in_their_order_and_what_is_to_be_first_is() -> None:
    leases = Leases(1)
    for pair in (1, 2, 3):
        leases.lend(pair, "ann", Holder(0, 100.0))
    leases.lend(3, "ann", Holder(0, 200.0), first=True)
    assert leases.waiting["ann"] == [3, 1, 2]
    leases.lend(3, "ann", Holder(0, 300.0))
    assert leases.waiting["ann"] == [1, 2, 3]


def test_a_steady_clock_goes_on_when_the_other_is_set_back() -> None:
    source = Clock()
    clock = SteadyClock(source)
    begun = clock()
    source.now += 10
    assert clock() == begun + 10
    source.now -= 86_400
    assert clock() == begun + 10
    source.now += 5
    assert clock() == begun + 15


def test_a_project_that_is_opened_has_a_steady_clock(site: Site) -> None:
    assert isinstance(site.judging.room.clock, SteadyClock)


def test_what_was_lent_lapses_although_the_clock_was_set_back(tmp_path: Path) -> None:
    clock, rules = Clock(), Rules(lease=60.0)
    ann, ben = Assessor("ann"), Assessor("ben")
    room = room_over(in_file(tmp_path / "x"), some_runs(1), rules, "MoffatA(p=0.8)", clock=clock)
    lent = {room.next(ann) for _ in range(2)}
    room.ledger.database.close()
    clock.now -= 86_400
    again = room_over(in_file(tmp_path / "x"), some_runs(1), rules, "MoffatA(p=0.8)", clock=clock)
    while (pair := again.next(ben)) is not None and pair not in lent:
        again.judge(ben, pair, 0)
    clock.now += 61
    assert again.next(ben) in lent
    again.ledger.database.close()
