"""Nobody waits long at the door of a room whose database hangs."""

import threading
import time

import pytest

from leadline.app.room import RoomLock, Unavailable


def test_a_thread_may_take_it_again() -> None:
    lock = RoomLock(0.05)
    with lock, lock:
        pass
    with lock:
        pass


def test_who_would_wait_too_long_is_told_so() -> None:
    lock, inside, over = RoomLock(0.2), threading.Event(), threading.Event()

    def hang() -> None:
        with lock:
            inside.set()
            over.wait(10)

    thread = threading.Thread(target=hang)
    thread.start()
    inside.wait(10)
    for longest in (2.0, 1.0):
        begin = time.monotonic()
        with pytest.raises(Unavailable, match="busy"), lock:
            raise AssertionError
        # The second one knows that somebody has been inside for long.
        assert time.monotonic() - begin < longest
    over.set()
    thread.join()
    with lock:
        pass
