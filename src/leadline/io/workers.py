"""Workers: processes of this machine, or a dask.distributed cluster, and what they run."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import multiprocessing
import os
import pickle
import platform
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leadline
from leadline.io.parallel import Alone, Failure, Piece, Result, Shared, Work, Workforce, attempt
from leadline.io.problems import InputError

if TYPE_CHECKING:
    from distributed import Client, Future


MOST_PROCESSES = 4 * (os.cpu_count() or 1)
"""More would only share the cores and fill the memory."""

MOST_LOSSES = 3
"""So often workers may end without a word before one of them has finished a piece."""


class Processes(Workforce):
    """Processes started when there is work, and ended with it or with this one."""

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers

    def outcomes(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
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
        # A forked process would inherit the locks of polars' threads, perhaps held for ever.
        context = multiprocessing.get_context("spawn")
        watched, alive = context.Pipe(duplex=False)
        n = min(self.n_workers, len(pieces), MOST_PROCESSES)
        pool = ProcessPoolExecutor(n, context, _begin, (watched, blob))
        _ALIVE.add(alive)
        done = False
        try:
            with _stops_deferred():
                futures = {
                    pool.submit(_in_worker, piece): number for number, piece in pieces.items()
                }
            for future in as_completed(futures):
                yield futures[future], future.result()
            done = True
        finally:
            with _stops_deferred():
                if not done:
                    # Before the pool waits for workers that would go on for minutes.
                    alive.close()
                pool.shutdown(wait=True, cancel_futures=True)
                alive.close()
                watched.close()
                _ALIVE.discard(alive)


_ALIVE: set[Connection] = set()
"""Connections that workers watch: they end when theirs is closed."""


def end_workers() -> None:
    """End all workers of this process."""
    for alive in list(_ALIVE):
        alive.close()


@contextmanager
def _stops_deferred() -> Iterator[None]:
    """Defer SIGINT and SIGTERM: between two steps of starting workers one would be lost.

    Processes started here have SIGINT blocked, which a terminal sends to all: we end them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: came.append(number))
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) not in (None, signal.SIG_IGN)
    }
    masks = hasattr(signal, "pthread_sigmask")
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        for signal_number in came:
            signal.raise_signal(signal_number)


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


BESIDE = ("numpy", "scipy", "polars")
"""Packages whose versions may change the last digits."""


@dataclass(frozen=True)
class Program:
    """The version of Leadline with a digest of its source, and those of what it computes with."""

    version: str
    source: str
    beside: tuple[tuple[str, str], ...]

    @property
    def leadline(self) -> str:
        """Which Leadline it is, in words."""
        return f"{self.version} ({self.source})"

    def differences(self, other: Program) -> list[str]:
        """In words what another has that is not as here, but for Leadline itself."""
        theirs = dict(other.beside)
        return [
            f"{name} {theirs.get(name, 'missing')} there, {ours} here"
            for name, ours in self.beside
            if theirs.get(name) != ours
        ]


@lru_cache(maxsize=1)
def this_program() -> Program:
    """What runs in this process."""
    root = Path(leadline.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode())
        # Line ends may differ from system to system.
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    beside = [("Python", ".".join(platform.python_version_tuple()[:2]))]
    beside += [(name, _version(name)) for name in BESIDE]
    return Program(leadline.__version__, digest.hexdigest(), tuple(beside))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


PATIENCE = 30
"""How many seconds a scheduler may take to answer, and the first worker to join it."""

PAUSE = 0.5
"""Seconds until something is sent again that did not reach every worker."""

MOST_LOST = 10
"""So often what all workers share may be lost with them before a piece is done."""


@dataclass(frozen=True, eq=False)
class _Task:
    """What is done with every piece, all pieces share, and by which program."""

    work: Callable[[Any, Any], Any]
    shared: Any
    program: Program


def _client_at(address: str) -> Client:
    """A client of the scheduler at an address; a ValueError if none answers there."""
    from distributed import Client

    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no answer"
    # A client that was half made closes itself when it is collected, and needs a lock for that
    # which the next client holds while it starts: if it were collected then, both would wait for
    # ever. It cannot be collected while the error is known.
    gc.collect()
    raise ValueError(
        f"no scheduler answers at {address}: {reason}. Start one with `dask scheduler`, and give "
        "its address as it prints it, tcp://HOST:8786"
    )


class Cluster(Workforce):
    """The workers that a scheduler has; they may come and go while it works.

    Pieces that a lost worker had not finished are given to others. However it ends, nothing of ours
    is left on the cluster but pieces that are being computed, whose results are thrown away.
    """

    def __init__(self, client: Client, own: bool) -> None:
        self.client, self.own = client, own
        self.remarks: list[str] = []

    @classmethod
    def at(cls, dask: Any) -> Cluster:
        """The cluster of an address, or of a client of dask.distributed."""
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ValueError(
                "a cluster needs dask.distributed: pip install 'leadline[dask]'"
            ) from None
        if isinstance(dask, Client):
            force = cls(dask, own=False)
        elif isinstance(dask, str):
            force = cls(_client_at(dask), own=True)
        else:
            raise ValueError(f"`dask` must be an address or a client, not {dask!r}")
        try:
            force._meet()
        except BaseException:
            force.close()
            raise
        return force

    @property
    def n_workers(self) -> int:  # type: ignore[override] # it changes as they come and go
        """How many there are now."""
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def _meet(self) -> None:
        """Wait for the first worker, and see that all run the same program as this process."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            address = self.client.scheduler.address  # type: ignore[union-attr]
            raise ValueError(
                f"{address}: the scheduler has no workers. Start some: dask worker {address}"
            ) from None
        odd: dict[str, str] = {}
        for worker, program in self.client.run(_program_there, on_error="return").items():
            if isinstance(program, ModuleNotFoundError):
                raise ValueError(
                    f"worker {worker} has no {program.name}: install Leadline "
                    f"{this_program().leadline} there too"
                )
            # Others that fail to answer are being lost, and their pieces with them.
            if not isinstance(program, Program):
                continue
            _refuse_other(program, this_program(), worker)
            odd |= dict.fromkeys(this_program().differences(program), worker)
        self.remarks = [
            f"{worker}: {difference}; the last digits of results may differ"
            for difference, worker in odd.items()
        ]

        log = logging.getLogger("leadline")
        for number, line in enumerate(self.describe()):
            log.log(logging.WARNING if number else logging.INFO, "%s", line)

    def describe(self) -> list[str]:
        """How many workers there are, where to watch them, and where they differ from us."""
        link = self.client.dashboard_link
        n = self.n_workers
        what = f"{n} worker{'' if n == 1 else 's'} of the cluster" + (
            f"; watch them at {link}" if link else ""
        )
        return [what, *self.remarks]

    def outcomes(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Result | Failure]]:
        left = dict(enumerate(pieces))
        task = _Task(work, shared, this_program())
        losses = 0
        while left:
            before = len(left)
            for number, result in self._round(task, dict(left)):
                del left[number]
                yield number, result
            # Pieces are left if every worker that held what they share was lost.
            losses = losses + 1 if len(left) == before else 0
            if losses == MOST_LOST:
                raise ValueError("the cluster loses its workers faster than they finish a piece")

    def _round(self, task: _Task, pieces: dict[int, Any]) -> Iterator[tuple[int, Any]]:
        from distributed import KilledWorker, as_completed

        client = self.client
        try:
            held: list[Future[Any]] = client.scatter([task], broadcast=True, hash=False)
        except (KeyError, OSError, TimeoutError):
            # A worker was lost while it was being sent.
            time.sleep(PAUSE)
            return
        futures = {
            client.submit(_on_worker, held[0], piece, pure=False): number
            for number, piece in pieces.items()
        }
        try:
            for future in as_completed(list(futures), loop=client.loop):
                if future.status == "error":
                    error = future.exception()
                    if isinstance(error, KilledWorker):
                        raise ValueError(
                            "one piece of work has ended several workers: have they too little "
                            "memory? Give each of them more"
                        ) from None
                    raise error
                if future.status == "finished":
                    try:
                        result = future.result()
                    except (asyncio.CancelledError, OSError):
                        continue
                    yield futures[future], result
                    future.release()
        finally:
            client.cancel([*futures, *held], force=True)

    def close(self) -> None:
        """Leave the cluster, unless it was lent."""
        if self.own:
            self.client.close()


def _program_there() -> Program:
    return this_program()


def _on_worker(task: _Task, piece: Any) -> Any:
    from distributed import get_worker

    worker = get_worker().address
    # Also one that joined after the others were asked.
    _refuse_other(this_program(), task.program, worker)
    outcome = attempt(task.work, task.shared, piece)
    error = outcome.error if isinstance(outcome, Failure) else None
    if isinstance(error, InputError) and any(each.code == "missing" for each in error.problems):
        hint = f"Worker {worker} cannot see it: files must lie where all workers can read them"
        return Failure(InputError(error.problems, hint))
    return outcome


def _refuse_other(there: Program, ours: Program, worker: str) -> None:
    """A ValueError if a worker runs another Leadline than the client."""
    if there.leadline != ours.leadline:
        raise ValueError(
            f"worker {worker} runs Leadline {there.leadline}, the client {ours.leadline}: install "
            "the same on all machines, and start the workers again"
        )
