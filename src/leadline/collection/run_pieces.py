"""Runs cut into pieces that workers read by themselves; how does not depend on who they are."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from leadline.collection.inputs import NamedRun, plain_sources
from leadline.collection.run_stream import batches
from leadline.files.problems import InputError
from leadline.files.source import read_source
from leadline.files.white_space import is_plain
from leadline.formats.ir_datasets_id import is_id

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
