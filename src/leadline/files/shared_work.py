"""Work for other threads, of which whoever waits for it does a share."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")


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
