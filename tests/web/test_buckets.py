"""How many may come through, and whose wrong passwords count against whom."""

from leadline.web.buckets import Attempts, Buckets
from tests.judging.room.rooms import Clock


def test_a_bucket_fills_as_time_goes_by() -> None:
    clock = Clock()
    buckets = Buckets(rate=2.0, burst=3.0, clock=clock)
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("b")
    clock.now += 0.5
    assert [buckets.take("a") for _ in range(2)] == [True, False]
    clock.now += 1000
    assert [buckets.take("a") for _ in range(4)] == [True, True, True, False]


def test_only_so_many_who_ask_are_remembered() -> None:
    buckets = Buckets(1.0, 1.0, Clock(), most=2)
    for key in "abc":
        buckets.take(key)
    assert list(buckets._left) == ["b", "c"]
    # The one forgotten begins anew.
    assert buckets.take("a")


def test_how_long_to_wait_is_told() -> None:
    clock = Clock()
    buckets = Buckets(0.1, 1.0, clock)
    assert buckets.wait("a") == 0
    buckets.take("a")
    assert buckets.wait("a") == 10
    clock.now += 4
    assert buckets.wait("a") == 6
    buckets.give("a")
    assert buckets.wait("a") == 0


def attempts() -> Attempts:
    clock = Clock()
    return Attempts(Buckets(0.1, 3, clock), Buckets(0.1, 6, clock))


def test_wrong_passwords_keep_out_who_sends_them_and_nobody_else() -> None:
    made = attempts()
    assert [made.begin("mallory", "ann", None) for _ in range(4)] == [0, 0, 0, 10]
    assert made.begin("mallory", "bob", None) == 0
    assert made.begin("elsewhere", "ann", None) == 0


def test_one_address_cannot_try_all_names_but_a_known_browser_there_gets_in() -> None:
    made = attempts()
    waits = [made.begin("office", f"name {at}", None) for at in range(8)]
    assert waits[:6] == [0] * 6
    assert min(waits[6:]) > 0
    assert made.begin("office", "ann", "the browser of ann") == 0


def test_a_right_password_does_not_count() -> None:
    made = attempts()
    for _ in range(20):
        assert made.begin("office", "ann", None) == 0
        made.right("office", "ann", None)
