"""A large run file in pieces of bounded size, cut between topics."""

import re
from collections.abc import Iterator

from leadline.files.source import BOM, Source, is_plain, plain_text

PIECE = 4 << 20
"""Bytes: small enough that what is made of a piece stays near the processor."""

_HEAD = 1 << 16
_TOPIC = re.compile(rb"[^\s]+[ \t]")


def cut_texts(source: Source) -> Iterator[bytes]:
    """Regular lines, whole topics in each text; nothing where the file needs a closer look."""
    plain = is_plain(source)
    start, size = 0, source.size
    if not size:
        yield b""
    while start < size:
        stop = _between_topics(source, start, start + PIECE) if start + PIECE < size else size
        text = source.part(start, stop) if stop > start else b""
        if not text:
            # Somebody has cut the file short meanwhile.
            yield b""
            return
        # Whoever reads a text drops a byte order mark at its beginning, which is not the file's.
        yield b"" if start and text.startswith(BOM) else plain_text(text, plain)
        start = stop


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
