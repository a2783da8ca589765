"""Runs in batches, the next batch being read while the last one is worked on."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from leadline.formats.inputs import NamedRun, rows_together
from leadline.formats.rows import Rows

SMALL = 16 << 20
"""Bytes of runs that may be in memory together."""


Batch = tuple[list[NamedRun], Rows | None, Callable[[], bool]]


class ReadAhead:
    """Batches of runs, their rows, and whether these may be used; it is being found out meanwhile.

    Runs that need a closer look come without rows. Small files are read together. A large file is
    read ahead only if it is the first, so that no two of them are in memory.
    """

    def __init__(self, named: list[NamedRun]) -> None:
        self.batches = list(_batches(named))
        self.threads = ThreadPoolExecutor(2)
        self.next = self.threads.submit(rows_together, self.batches[0])

    def __iter__(self) -> Iterator[Batch]:
        try:
            for number, batch in enumerate(self.batches):
                found = self.next.result()
                later = self.batches[number + 1 : number + 2]
                both_small = bool(later) and _small(batch) and _small(later[0])
                if both_small:
                    self.next = self.threads.submit(rows_together, later[0])
                if found is None:
                    yield batch, None, lambda: False
                else:
                    yield batch, found[0], self.threads.submit(found[1]).result
                del found
                if later and not both_small:
                    self.next = self.threads.submit(rows_together, later[0])
        finally:
            self.threads.shutdown(wait=False, cancel_futures=True)


def _small(batch: list[NamedRun]) -> bool:
    return sum(run.size for run in batch) <= SMALL


def _batches(named: list[NamedRun]) -> Iterator[list[NamedRun]]:
    """Runs in their order, as many at a time as are small together."""
    batch: list[NamedRun] = []
    size = 0
    for run in named:
        if batch and size + run.size > SMALL:
            yield batch
            batch, size = [], 0
        batch.append(run)
        size += run.size
    if batch:
        yield batch
