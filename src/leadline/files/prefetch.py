"""Work done in another thread, a few steps ahead of who needs it."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

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
