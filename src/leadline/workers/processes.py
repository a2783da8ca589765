"""Workers that are processes of this machine."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

from leadline.workers.workforce import (
    Alone,
    Failure,
    Piece,
    Result,
    Shared,
    Workforce,
    attempt,
)

MOST_PROCESSES = 4 * (os.cpu_count() or 1)
"""More would only share the cores and fill the memory."""

MOST_LOSSES = 3
"""So often workers may end without a word before one of them has finished a piece."""


class Processes(Workforce):
    """Processes started when there is work, and ended with it or with this one."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers

    def outcomes(
        self,
        work: Callable[[Shared, Piece], Result],
        shared: Shared,
        pieces: Sequence[Piece],
    ) -> Generator[tuple[int, Result | Failure]]:
        if len(pieces) < 2:
            yield from Alone().outcomes(work, shared, pieces)
            return
        left = dict(enumerate(pieces))
        blob = pickle.dumps((work, shared), protocol=pickle.HIGHEST_PROTOCOL)
        losses = 0
        while left:
            before = len(left)
            try:
                for number, result in self._round(blob, dict(left)):
                    del left[number]
                    yield number, result
            except BrokenProcessPool:
                # Killed from outside, most likely because memory ran out.
                losses = losses + 1 if len(left) == before else 1
                if losses == MOST_LOSSES:
                    raise ValueError(
                        "worker processes end before they are done: is there too little memory for "
                        f"{self.n_workers} of them? Take fewer `workers`"
                    ) from None

    def _round(self, blob: bytes, pieces: dict[int, Piece]) -> Iterator[tuple[int, Any]]:
        # Workers that are one a core should not start threads of linear algebra on top.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # A forked process would inherit the locks of polars' threads, perhaps held for ever.
        context = multiprocessing.get_context("spawn")
        watched, alive = context.Pipe(duplex=False)
        n = min(self.n_workers, len(pieces), MOST_PROCESSES)
        with alive, ProcessPoolExecutor(n, context, _begin, (watched, blob)) as pool:
            with _deaf_to_interrupts():
                futures = {
                    pool.submit(_in_worker, piece): number for number, piece in pieces.items()
                }
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BaseException:
                # Before the pool waits for workers that would go on for minutes.
                alive.close()
                pool.shutdown(wait=False, cancel_futures=True)
                raise


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started here ignore Ctrl-C, which reaches all of a terminal: we end them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_TASK: list[tuple[Callable[[Any, Any], Any], Any]] = []
"""In a worker: what it does, and what all pieces share."""


def _begin(parent: Connection, blob: bytes) -> None:
    """End this worker at once when the other end is closed, as when the parent is killed."""

    def watch() -> None:
        parent.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    _TASK.append(pickle.loads(blob))


def _in_worker(piece: Any) -> Any:
    work, shared = _TASK[-1]
    return attempt(work, shared, piece)
