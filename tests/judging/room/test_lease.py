"""Places at a pair: k of them, lent for a while, kept once judged."""

from leadline.judging.room.lease import Holder, Leases


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
