"""Runs in batches of bounded size, read while what came before is worked on."""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING

from leadline.collection.inputs import NamedRun, plain_sources, run_in_parts
from leadline.files.freed_memory import keep_freed_memory
from leadline.files.lines import Text
from leadline.files.pieces import PIECE, cut_texts
from leadline.files.prefetch import Prefetch
from leadline.files.shared_work import SharedWork, in_order
from leadline.files.source import Source
from leadline.files.white_space import plain_text, whole_text
from leadline.formats.in_parts import ROWS, InParts
from leadline.formats.ranking import Ranking, Ranks, rank
from leadline.formats.rows import Rows
from leadline.formats.trec_run import plain_rows

if TYPE_CHECKING:
    import polars as pl

_STEPS = 3
_MAKERS = 2
"""Threads that make rows of a text, which takes twice as long as to score them; one less than there
are cores, as whoever scores them makes rows too when none are ready."""

FEWEST, MOST = 1 << 14, 1 << 22
_ROW = 1000
"""Bytes that a row of a table takes in all the forms that it has between file and score."""

_SCORE = 64
"""Bytes of a score with its interval, in the parts and in the whole."""


@dataclass(frozen=True, eq=False)
class Part:
    """Rows of some runs, ranked; None where the runs need a closer look.

    They may still hold a document twice: see `Rows.are_sound`. A run that is `cut` comes in several
    parts, each with all its rows for some topics.
    """

    rows: Rows | None
    ranking: Ranking | None
    cut: bool


@dataclass(frozen=True)
class _Files:
    """Whole runs, one file each: who makes rows of them reads and unpacks them too."""

    batch: int
    sources: Sequence[Source]
    cut = False

    def rows(self) -> Rows | None:
        return _rows([whole_text(source) for source in self.sources])


@dataclass(frozen=True)
class _Text:
    """Lines of some topics of the one run of a batch."""

    batch: int
    text: Sequence[bytes | memoryview]
    cut = True

    def rows(self) -> Rows | None:
        return _rows([self.text])


def _rows(texts: Sequence[Text]) -> Rows | None:
    rows = plain_rows(texts)
    if rows is None:
        # Perhaps only blank lines and comments are in the way.
        joined = [each if isinstance(each, bytes) else b"".join(each) for each in texts]
        rows = plain_rows([plain_text(text, False) for text in joined])
    return rows


@dataclass(frozen=True)
class _Frame:
    """Some topics of the one run of a batch, or all of them, as a table; None if there are none."""

    batch: int
    frame: "pl.DataFrame | None"
    cut: bool

    def rows(self) -> Rows | None:
        if self.frame is None:
            return None
        names = (self.frame["topic"], self.frame["doc"])
        if any(each.null_count() or bool((each == "").any()) for each in names):
            return None
        return None if self.frame["run_score"].null_count() else Rows.of_frame(self.frame)


def rows_within(memory: int, n_scores: int) -> int:
    """Rows of a table to read at a time, so that all stays below so many bytes.

    What was taken so far counts, and the scores that will be: an error if that is too much already.
    """
    taken = _taken() + n_scores * _SCORE
    rows = (memory - taken) // _ROW
    if rows < FEWEST:
        need = (taken + FEWEST * _ROW) // 10**6 + 1
        raise ValueError(
            f"`memory` must be at least {need:,} MB here: program, judgments and scores take "
            f"{taken // 10**6:,} MB before the first run is read"
        )
    return int(min(rows, MOST))


def _taken() -> int:
    """Bytes that this process has taken at its peak; a guess where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 200 * 10**6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


class RunStream:
    """Batches of runs and their parts. Small files are read together, large ones bit by bit.

    `cut`: whether a large file may come in several parts; else it comes as one. Of a run in tables
    about `rows` rows are read at a time.
    """

    def __init__(
        self, named: list[NamedRun], ranks: Ranks, cut: bool = True, rows: int = ROWS
    ) -> None:
        self.rows = rows
        self.batches = list(batches(named))
        self.ranks = ranks
        self.cut = cut
        self.failed: set[int] = set()
        if sum(run.size for run in named) > 2 * PIECE:
            keep_freed_memory()
        # One thread reads large files, and hands their text to others that make rows of it.
        self.coming = Prefetch(self._coming(), _STEPS)

    def __iter__(self) -> Iterator[tuple[list[NamedRun], Iterator[Part]]]:
        for number, together in groupby(in_order(iter(self.coming)), key=lambda pair: pair[0]):
            yield self.batches[number], (part for _, part in together)

    def _coming(self) -> Iterator[SharedWork[tuple[int, Part]]]:
        makers = ThreadPoolExecutor(max(1, min(_MAKERS, (os.cpu_count() or 1) - 1)))
        for portion in self._portions():
            yield SharedWork(makers, partial(self._part, portion))

    def _portions(self) -> Iterator[_Files | _Text | _Frame]:
        for number, batch in enumerate(self.batches):
            in_parts = run_in_parts(batch[0])
            if in_parts is not None:
                yield from self._frames(number, in_parts)
                continue
            sources = plain_sources(batch) or []
            if sources and self.cut and sum(run.size for run in batch) > 2 * PIECE:
                for text in cut_texts(sources[0]):
                    yield _Text(number, text)
                    # What comes after a part that needs a closer look is of no use.
                    if number in self.failed:
                        break
            else:
                yield _Files(number, sources)

    def _frames(self, number: int, run: InParts) -> Iterator[_Frame]:
        frames = run.frames(self.rows)
        first = next(frames, None)
        if first is None or not self.cut:
            import polars as pl

            yield _Frame(number, None if first is None else pl.concat([first, *frames]), False)
            return
        for frame in chain([first], frames):
            yield _Frame(number, frame, True)
            if number in self.failed:
                break

    def _part(self, found: _Files | _Text | _Frame) -> tuple[int, Part]:
        rows = found.rows()
        if rows is None:
            self.failed.add(found.batch)
        ranking = None if rows is None else rank(rows, self.ranks)
        return found.batch, Part(rows, ranking, found.cut)


def batches(named: list[NamedRun]) -> Iterator[list[NamedRun]]:
    """Runs in their order, as many at a time as are small together."""
    batch: list[NamedRun] = []
    size = 0
    for run in named:
        alone = run_in_parts(run) is not None
        if batch and (size + run.size > PIECE or alone):
            yield batch
            batch, size = [], 0
        if alone:
            yield [run]
            continue
        batch.append(run)
        size += run.size
    if batch:
        yield batch
