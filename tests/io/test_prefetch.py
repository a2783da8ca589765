"""Items come in their order, a few of them before they are asked for."""

import threading
from collections.abc import Iterator

import pytest

from leadline.io.parallel import Prefetch


@pytest.mark.parametrize("steps", [1, 2, 9])
def test_every_item_comes_once_in_order(steps: int) -> None:
    assert list(Prefetch(iter(range(5)), steps)) == [0, 1, 2, 3, 4]
    assert list(Prefetch(iter(()), steps)) == []


def test_items_are_made_ahead_in_another_thread_and_no_further() -> None:
    made: list[int] = []
    threads = set()
    second = threading.Event()

    def items() -> Iterator[int]:
        for number in range(10):
            made.append(number)
            threads.add(threading.get_ident())
            if number == 1:
                second.set()
            yield number

    coming = Prefetch(items(), 2)
    assert second.wait(10)
    assert made == [0, 1]
    assert threads.isdisjoint({threading.get_ident()})
    assert list(coming) == list(range(10))


def test_an_error_comes_where_its_item_would() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise OSError("gone")

    coming = iter(Prefetch(items(), 2))
    assert next(coming) == 1
    with pytest.raises(OSError, match="gone"):
        next(coming)


def test_who_stops_early_leaves_the_rest_unmade() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for number in range(1000):
            made.append(number)
            yield number

    for number in Prefetch(items(), 2):
        if number == 3:
            break
    assert len(made) < 10
