"""Runs in batches and pieces of bounded size, read while earlier ones are worked on."""

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.io.datasets import is_id
from leadline.io.inputs import NamedRun, plain_sources, run_in_parts
from leadline.io.lines import PIECE, Text, cut_texts, is_plain, plain_text, whole_text
from leadline.io.parallel import Prefetch, SharedWork, in_order, keep_freed_memory
from leadline.io.problems import InputError
from leadline.io.rows import ROWS, InParts, Ranking, Rows, Ties, rank
from leadline.io.source import Source, read_source
from leadline.io.trec import plain_rows

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
        self, named: list[NamedRun], ties: Ties, cut: bool = True, rows: int = ROWS
    ) -> None:
        self.rows = rows
        self.batches = list(batches(named))
        self.ties = ties
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
        ranking = None if rows is None else rank(rows, self.ties)
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


RANGE = 64 << 20
"""Bytes of a large file that one worker reads at a time; a piece ends where a topic does."""

_STEP = 1 << 16


@dataclass(frozen=True)
class RunPiece:
    """Some runs, or a span of one, and how large the files are where they were cut."""

    runs: tuple[NamedRun, ...]
    sizes: tuple[int, ...]

    @property
    def in_part(self) -> bool:
        """Whether it is a span of a run."""
        return self.runs[0].span is not None

    def same_run(self, other: "RunPiece") -> bool:
        """Whether both are spans of one run."""
        return self.in_part and other.in_part and self.runs[0].name == other.runs[0].name

    def whole(self) -> "RunPiece":
        """All of the run of which this is a span."""
        return replace(self, runs=(replace(self.runs[0], span=None),))

    def check(self) -> None:
        """An InputError if a file here is not as large as it was where the runs were cut."""
        for run, size in zip(self.runs, self.sizes, strict=True):
            found = _size(run)
            if found != size and found is not None:
                message = f"has {found:,} bytes for this worker, {size:,} where it was named"
                raise InputError.of(os.fspath(run.what), "another-file", message)


def run_pieces(named: list[NamedRun], cut: bool) -> list[RunPiece] | None:
    """All runs in their order; None where one comes by a pipe, which only this process has.

    `cut`: whether a large file may come in spans of whole topics, one piece each.
    """
    if any(_is_pipe(run) for run in named):
        return None
    for run in named:
        # What is missing here is told here, not by whoever looks for it first.
        if isinstance(run.what, str | os.PathLike) and not is_id(run.what):
            read_source(run.what)
    pieces = []
    for batch in batches(named):
        sizes = tuple(_size(run) or 0 for run in batch)
        spans = list(_spans(batch[0])) if cut and len(batch) == 1 and sizes[0] > 2 * RANGE else []
        if len(spans) > 1:
            pieces += [RunPiece((replace(batch[0], span=span),), sizes) for span in spans]
        else:
            pieces.append(RunPiece(tuple(batch), sizes))
    return pieces


def _is_pipe(run: NamedRun) -> bool:
    if not isinstance(run.what, str | os.PathLike):
        return False
    path = Path(run.what)
    return os.fspath(run.what) == "-" or (path.exists() and not path.is_file())


def _size(run: NamedRun) -> int | None:
    if not isinstance(run.what, str | os.PathLike) or not Path(run.what).is_file():
        return None
    return Path(run.what).stat().st_size


def _spans(run: NamedRun) -> Iterator[tuple[int, int]]:
    """Bytes of a plain text, cut between topics; nothing of any other file."""
    sources = plain_sources([run])
    if not sources or sources[0].path is None or not is_plain(sources[0]):
        return
    path = sources[0].path
    with path.open("rb") as file:
        # A packed file, or one with a byte order mark, does not begin as its text does.
        if not sources[0].head.startswith(file.read(64)):
            return
        size, begin = path.stat().st_size, 0
        while begin < size:
            file.seek(begin + RANGE)
            end = _next_topic(iter(lambda: file.read(_STEP), b""), begin + RANGE)
            yield begin, end if end is not None else size
            begin = size if end is None else end


def _next_topic(chunks: Iterator[bytes], at: int) -> int | None:
    """Where the second topic begins in a text that begins at this place, perhaps inside a line.

    None if there is none before the end, or before a NUL byte, which whoever reads it refuses.
    """
    text, topic = b"", None
    # Lines up to here have been looked at.
    place = 0
    for chunk in chunks:
        if b"\0" in chunk:
            return None
        text += chunk
        if topic is None:
            place = text.find(b"\n") + 1
            name, blank, _ = text[place:].partition(b" ")
            if not place or not blank:
                place = 0
                continue
            topic = b"\n" + name + blank
        while (end := text.find(b"\n", place)) >= 0:
            if not text.startswith(topic, place - 1) and text.find(b" ", place, end) > 0:
                return at + place
            place = end + 1
        # The line end before what comes next stays, since topics are looked for behind one.
        at, text, place = at + place - 1, text[place - 1 :], 1
    return None
