"""Work in pieces: who does it, and threads that read ahead."""

import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from leadline.io.problems import InputError

Shared = TypeVar("Shared")
Piece = TypeVar("Piece")
Result = TypeVar("Result")
Work = Callable[[Shared, Piece], Result]


@dataclass(frozen=True)
class Failure:
    """A piece of work whose input is wrong."""

    error: Exception


class Workforce(ABC):
    """Does pieces of work, and hands back what comes of each as it is done.

    How work is cut must not depend on who does it: then results are the same for any number of
    workers, also if some are lost on the way.
    """

    n_workers: int = 1

    @abstractmethod
    def outcomes(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
    ) -> Generator[tuple[int, "Result | Failure"]]:
        """The number of each piece and what came of it, in the order in which they are done."""

    def results(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Result]]:
        """The number of each piece and `work(shared, piece)`, in the order in which they are done.

        `work` is a function at the top of a module, which workers import. `shared` travels once to
        each worker. Close it, as `closing` does, if not all of it is taken.
        """
        with closing(self.outcomes(work, shared, pieces)) as coming:
            for number, outcome in coming:
                if isinstance(outcome, Failure):
                    raise outcome.error
                yield number, outcome

    def in_order(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
    ) -> Generator[Result]:
        """What comes of the pieces, in their order, each as soon as all before it are there.

        Of several that fail the first one is told, whoever was the first to fail.
        """
        waiting: dict[int, Result | Failure] = {}
        following = 0
        with closing(self.outcomes(work, shared, pieces)) as coming:
            for number, outcome in coming:
                waiting[number] = outcome
                while following in waiting:
                    ready = waiting.pop(following)
                    if isinstance(ready, Failure):
                        raise ready.error
                    yield ready
                    following += 1

    def describe(self) -> list[str]:
        """What to say before work begins."""
        return []

    def close(self) -> None:  # noqa: B027 - only some have something to close
        """Let go of what was opened."""


class Alone(Workforce):
    """This process, one piece after the other."""

    def outcomes(
        self, work: Work[Shared, Piece, Result], shared: Shared, pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Result | Failure]]:
        for number, piece in enumerate(pieces):
            yield number, work(shared, piece)


_CURRENT: ContextVar[Workforce | None] = ContextVar("workforce", default=None)


def current_workforce() -> Workforce:
    """Whom the verb that is running was given; this process where nobody was hired."""
    return _CURRENT.get() or Alone()


@contextmanager
def hired(workers: int = 1, dask: Any = None) -> Iterator[Workforce]:
    """Processes of this machine, or the cluster of a scheduler, for all work done inside.

    `dask` is an address, a client of dask.distributed, or a Workforce, which is left open.
    """
    if workers < 1:
        raise ValueError(f"`workers` must be at least 1, not {workers}")
    force: Workforce
    if dask is None and workers == 1:
        force = Alone()
    elif dask is None:
        # Only here, because it takes as long to load as all that is done with one small file.
        from leadline.io.workers import Processes

        force = Processes(workers)
    elif workers != 1:
        raise ValueError("give `workers` or `dask`, not both: a cluster has its own workers")
    elif isinstance(dask, Workforce):
        force = dask
    else:
        from leadline.io.workers import Cluster

        force = Cluster.at(dask)
    before = _CURRENT.set(force)
    try:
        yield force
    finally:
        _CURRENT.reset(before)
        if force is not dask:
            force.close()


def attempt(work: Callable[[Any, Any], Any], shared: Any, piece: Any) -> Any:
    """What a worker hands back; wrong input as a Failure."""
    try:
        return work(shared, piece)
    except InputError as error:
        return Failure(error)
    except (ValueError, OSError) as error:
        # Errors with fields of their own do not survive the way back; their text does.
        return Failure(ValueError(str(error)))


Item = TypeVar("Item")


class Prefetch(Generic[Item]):
    """The items of an iterator, `steps` of them made before they are asked for.

    >>> list(Prefetch(iter("abc"), 2))
    ['a', 'b', 'c']
    """

    def __init__(self, items: Iterator[Item], steps: int) -> None:
        self.items = items
        self.thread = ThreadPoolExecutor(1)
        self.coming: deque[Future[tuple[Item] | None]] = deque()
        self.coming.extend(self.thread.submit(self._make) for _ in range(steps))

    def _make(self) -> tuple[Item] | None:
        for item in self.items:
            return (item,)
        return None

    def __iter__(self) -> Iterator[Item]:
        try:
            while (made := self.coming.popleft().result()) is not None:
                self.coming.append(self.thread.submit(self._make))
                yield made[0]
        finally:
            self.thread.shutdown(wait=False, cancel_futures=True)


class SharedWork(Generic[Item]):
    """One piece of work, done once: by a thread of the pool, or by who asks before one has begun.

    >>> with ThreadPoolExecutor(1) as pool:
    ...     list(in_order(SharedWork(pool, letter.upper) for letter in "abc"))
    ['A', 'B', 'C']
    """

    def __init__(self, pool: ThreadPoolExecutor, work: Callable[[], Item]) -> None:
        self.work = work
        self.future = pool.submit(work)

    def begin(self) -> None:
        """Do it in this thread unless another has begun; an error is kept for `result`."""
        if not self.future.cancel():
            return
        self.future = Future()
        try:
            self.future.set_result(self.work())
        except Exception as error:
            self.future.set_exception(error)

    def result(self) -> Item:
        """What comes of it."""
        self.begin()
        return self.future.result()


def in_order(works: Iterator[SharedWork[Item]]) -> Iterator[Item]:
    """The results in their order; who waits for one makes the next."""
    waiting = deque[SharedWork[Item]]()
    for work in works:
        waiting.append(work)
        if len(waiting) == 1 and work.future.running():
            continue
        work.begin()
        while waiting and not (len(waiting) == 1 and waiting[0].future.running()):
            yield waiting.popleft().result()
    for work in waiting:
        yield work.result()


KEPT = 32 << 20
"""Bytes: what is freed goes back to the system only beyond that."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of mallopt's parameters, as malloc.h of the GNU C library has them."""


def keep_freed_memory() -> None:
    """Ask the C library to keep what is freed, where it is the GNU one.

    Else arrays of some megabytes go back to the system with every piece, and each of their pages is
    made and cleared anew for the next: a fifth of the processor time of reading a large run.
    """
    if sys.platform != "linux":
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, KEPT)
        mallopt(_TRIM_THRESHOLD, KEPT)
