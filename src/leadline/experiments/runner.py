"""The cells of an experiment: each computed once, by any number of processes, and kept.

A cell is a piece of work with a name. Its random numbers come from that name, and what it gives
goes through JSON, so results are the same for one worker or forty, fresh or from the cache.
"""

import hashlib
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from leadline.files.problems import Progress

Keep = Callable[[str, Any], None]

MOST_PROCESSES = 4 * (os.cpu_count() or 1)
"""More would only share the cores and fill the memory."""


@dataclass(frozen=True)
class Cell:
    """`work(*arguments, random)` gives something that JSON can hold.

    `work` must be a function at the top of a module, because other processes import it.
    """

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def run(self, seed: int) -> Any:
        """What the cell gives, as JSON gives it back."""
        random = np.random.default_rng(seed_of(self.name, seed))
        value = self.work(*self.arguments, random)
        try:
            return json.loads(json.dumps(value, allow_nan=False))
        except ValueError:
            message = "a number is undefined: the collection is too small for this paper"
            raise ValueError(f"{self.name}: {message}") from None


def seed_of(name: str, seed: int = 0) -> int:
    """A cell's own seed.

    >>> seed_of("a") == seed_of("a"), seed_of("a") == seed_of("b"), seed_of("a") == seed_of("a", 1)
    (True, False, False)
    """
    digest = hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def run_cells(
    cells: Sequence[Cell],
    *,
    workers: int = 1,
    seed: int = 0,
    known: dict[str, Any] | None = None,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What each cell gives, by name; those that are known already are not computed again.

    `keep` is called as soon as a cell is done, so that work survives an interruption.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    if len({cell.name for cell in cells}) < len(cells):
        raise ValueError("two cells have the same name")
    results = {cell.name: known[cell.name] for cell in cells if known and cell.name in known}
    left = [cell for cell in cells if cell.name not in results]

    def done(name: str, value: Any) -> None:
        results[name] = value
        if keep is not None:
            keep(name, value)
        if progress is not None:
            progress(len(results), len(cells))

    if progress is not None:
        progress(len(results), len(cells))
    if workers == 1 or len(left) < 2:
        for cell in left:
            done(cell.name, cell.run(seed))
        return results
    # Workers that are one a core should not start threads of linear algebra on top.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A forked process would inherit the locks of polars' threads, perhaps held for ever.
    context = multiprocessing.get_context("spawn")
    watched, alive = context.Pipe(duplex=False)
    n = min(workers, len(left), MOST_PROCESSES)
    with alive, ProcessPoolExecutor(n, context, _end_with, (watched,)) as pool:
        with _deaf_to_interrupts():
            futures = {pool.submit(_in_worker, cell, seed): cell.name for cell in left}
        try:
            for future in as_completed(futures):
                done(futures[future], future.result())
        except BaseException:
            # Before the pool waits for workers that would go on for minutes.
            alive.close()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return results


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


def _end_with(parent: Connection) -> None:
    """End this worker at once when the other end is closed, as when the parent is killed."""

    def watch() -> None:
        parent.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _in_worker(cell: Cell, seed: int) -> Any:
    try:
        return cell.run(seed)
    except (ValueError, OSError) as error:
        # Errors with fields of their own do not survive the way back; their text does.
        raise ValueError(str(error)) from None
