"""A database that does not answer in time is cut off, and the waiting thread told so."""

import socket
import threading
import time
from types import SimpleNamespace

from sqlalchemy import create_engine

from leadline.app.database import Deadlines


def pair() -> tuple[SimpleNamespace, socket.socket]:
    """What stands for a connection, and the server's end of it."""
    mine, theirs = socket.socketpair()
    raw = SimpleNamespace(pgconn=SimpleNamespace(socket=mine.fileno()), mine=mine)
    return raw, theirs


def test_who_waits_too_long_is_woken_by_an_end_of_the_connection() -> None:
    deadlines = Deadlines(create_engine("sqlite://"), 0.1)
    (raw, theirs), (other, their_other) = pair(), pair()
    deadlines.set(other)
    deadlines.met(other)
    deadlines.set(raw)
    begin = time.monotonic()
    assert raw.mine.recv(1) == b"", "waited for an answer, and got the end"
    assert time.monotonic() - begin < 5
    their_other.send(b"x")
    assert other.mine.recv(1) == b"x", "nobody waited for this one"
    deadlines.close()
    for each in (raw.mine, theirs, other.mine, their_other):
        each.close()


def test_what_takes_long_by_its_nature_has_longer() -> None:
    deadlines = Deadlines(create_engine("sqlite://"), 0.05)
    raw, theirs = pair()
    with deadlines.patience(30):
        deadlines.set(raw)
    threading.Timer(0.6, lambda: theirs.send(b"x")).start()
    assert raw.mine.recv(1) == b"x"
    assert deadlines.seconds == 0.05
    deadlines.close()
    raw.mine.close()
    theirs.close()
