"""Runs in batches, the next batch being read while the last one is worked on."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from leadline.formats.inputs import NamedRun, rows_together
from leadline.formats.rows import Rows

SMALL = 16 << 20
"""Bytes of runs that may be in memory together."""


class ReadAhead:
    """Batches of runs with their rows; runs that need a closer look come without.

    Small files are read together. A large file is read ahead only if it is the first, so that no
    two of them are in memory.
    """

    def __init__(self, named: list[NamedRun]) -> None:
        self.batches = list(_batches(named))
        self.reader = ThreadPoolExecutor(1)
        self.next = self.reader.submit(rows_together, self.batches[0])

    def __iter__(self) -> Iterator[tuple[list[NamedRun], Rows | None]]:
        try:
            for number, batch in enumerate(self.batches):
                rows = self.next.result()
                later = self.batches[number + 1 : number + 2]
                if later and _small(batch) and _small(later[0]):
                    self.next = self.reader.submit(rows_together, later[0])
                yield batch, rows
                del rows
                if later and not (_small(batch) and _small(later[0])):
                    self.next = self.reader.submit(rows_together, later[0])
        finally:
            self.reader.shutdown(wait=False, cancel_futures=True)


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
