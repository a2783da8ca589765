"""Run files in pieces of bounded size: small files together, a large one cut between topics."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from leadline.formats.ahead import Ahead
from leadline.formats.rows import WANTED, Rows
from leadline.formats.text import BOM, Source, is_regular, read_regular, regular
from leadline.formats.trec_run import SCHEMA

PIECE = 12 << 20
"""Bytes: memory that is used again and again costs less than fresh memory, and stays cached."""

_HEAD = 1 << 16
_SIGNS = (b"  ", b"\t", b"\r", b"\n#", b"\n ", b" \n", b"\n\n", BOM)
_ENDS = re.compile(rb"\n+")
_TOPIC = re.compile(rb"[^\s]+[ \t]")


@dataclass(frozen=True, eq=False)
class RunPiece:
    """The rows of some runs, or the rows that one run has for some topics.

    They may be wrong until `are_sound` has said that they are not.
    """

    rows: Rows
    texts: list[bytes]

    def are_sound(self) -> bool:
        """Every line is as it must be, and no list holds a document twice.

        Every row has its last field, so where no blanks follow each other and there are as many in
        all as these rows need, no line has a field too many: cheaper than looking at every field.
        """
        rows = self.rows
        if not rows.are_sound() or rows.topic[rows.starts].str.starts_with("#").any():
            return False
        n = np.diff(np.append(rows.run_start, len(rows)))
        return all(map(is_regular, self.texts, (n * len(SCHEMA)).tolist()))


def together(sources: list[Source]) -> RunPiece | None:
    """Small files at once; None if one of them needs a closer look."""
    texts = [_regular(source.data, _is_plain(source)) for source in sources]
    n_lines = [int(np.count_nonzero(np.frombuffer(text, np.uint8) == 10)) for text in texts]
    starts = np.cumsum([0, *n_lines])
    found = None if min(n_lines, default=0) == 0 else _read(texts, starts[:-1].tolist())
    return None if found is None or len(found.rows) != starts[-1] else found


def one_by_one(source: Source) -> Iterator[RunPiece | None]:
    """The pieces of a large file, whole topics in each; None where it needs a closer look."""
    found = None
    for text in Ahead(_texts(source), 1):
        found = _read([text], [0]) if text else None
        if found is None:
            break
        yield found
    if found is None:
        yield None


def _texts(source: Source) -> Iterator[bytes]:
    """Regular lines, whole topics in each text; nothing for a piece that needs a closer look."""
    plain = _is_plain(source)
    start, size = 0, source.size
    while start < size:
        stop = _between_topics(source, start, start + PIECE) if start + PIECE < size else size
        text = source.part(start, stop)
        # Whoever reads a text drops a byte order mark at its beginning, which is not the file's.
        yield b"" if start and text.startswith(BOM) else _regular(text, plain)
        start = stop


def _read(texts: list[bytes], starts: list[int]) -> RunPiece | None:
    frame = read_regular(texts, b" ", SCHEMA, WANTED)
    return None if frame is None else RunPiece(Rows.of(frame, starts), texts)


def _is_plain(source: Source) -> bool:
    """Whether the first lines have one blank between fields and nothing else about them."""
    head = b"\n" + source.part(0, _HEAD)
    return not any(sign in head for sign in _SIGNS)


def _regular(text: bytes, plain: bool) -> bytes:
    """Lines with one blank between fields, none of them empty, the last one with an end.

    Nothing of what holds a NUL byte: that would be taken for a blank.
    """
    if not plain:
        if b"\0" in text:
            return b""
        text = regular(text).lstrip(b"\n")
        text = _ENDS.sub(b"\n", text) if b"\n\n" in text else text
    return text if text.endswith(b"\n") or not text else text + b"\n"


def _between_topics(source: Source, start: int, stop: int) -> int:
    """The last place before `stop` where a topic begins; after it if one topic fills it all."""
    window = _HEAD
    while stop < source.size:
        first = max(start, stop - window)
        text = source.part(first, stop)
        # What is before the first line end belongs to a line that began earlier.
        skipped = 0 if first == start else text.find(b"\n") + 1
        found = last_topic(text[skipped:])
        if found:
            return first + skipped + found
        if first == start:
            stop += stop - start
        window *= 4
    return source.size


def last_topic(text: bytes) -> int:
    r"""Where the lines of the last topic begin that has a whole line here; 0 if there is no other.

    >>> last_topic(b"401 Q0 a\n402 Q0 a\n402 Q0 b\n402 Q")
    9
    """
    inside = text.rfind(b"\n", 0, max(0, text.rfind(b"\n"))) + 1
    name = _TOPIC.match(text, inside)
    if name is None:
        return 0
    topic = name[0]
    # Twice as far back at every step until another topic is met, then halfway between both.
    outside, step = inside, 1 << 12
    while outside and text.startswith(topic, outside):
        inside, outside = outside, text.rfind(b"\n", 0, max(0, outside - step)) + 1
        step *= 2
    if text.startswith(topic, outside):
        return outside
    while True:
        middle = text.rfind(b"\n", 0, (outside + inside) // 2) + 1
        if middle <= outside:
            middle = text.find(b"\n", outside) + 1
        if middle >= inside:
            return inside
        if text.startswith(topic, middle):
            inside = middle
        else:
            outside = middle
