"""Every piece of work is done once, its results come in order, and who waits does a share."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from leadline.io.parallel import SharedWork, in_order


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_every_result_comes_once_and_in_order(n_threads: int) -> None:
    done: list[int] = []

    def work(number: int) -> int:
        done.append(number)
        return number * number

    with ThreadPoolExecutor(n_threads) as pool:
        works = (SharedWork(pool, lambda number=number: work(number)) for number in range(50))
        assert list(in_order(works)) == [number * number for number in range(50)]
    assert sorted(done) == list(range(50))


def test_who_waits_makes_the_one_after_next() -> None:
    begun, go_on = threading.Event(), threading.Event()
    here = threading.get_ident()

    def slow() -> int:
        begun.set()
        assert go_on.wait(10)
        return threading.get_ident()

    def release() -> int:
        # Nobody else can let the slow one go on: it is done here, while that one runs.
        go_on.set()
        return threading.get_ident()

    with ThreadPoolExecutor(1) as pool:
        first = SharedWork(pool, slow)
        assert begun.wait(10)
        slow_by, release_by = in_order(iter([first, SharedWork(pool, release)]))
    assert slow_by != here
    assert release_by == here


def test_an_error_comes_where_its_result_would() -> None:
    def fail() -> int:
        raise OSError("gone")

    with ThreadPoolExecutor(1) as pool:
        results = in_order(iter([SharedWork(pool, lambda: 1), SharedWork(pool, fail)]))
        assert next(results) == 1
        with pytest.raises(OSError, match="gone"):
            next(results)


def test_work_that_nobody_began_is_done_by_who_asks() -> None:
    blocked = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(blocked.wait, 10)
        assert SharedWork(pool, threading.get_ident).result() == threading.get_ident()
        blocked.set()
