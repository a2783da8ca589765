"""A large run file in pieces of bounded size, cut between topics."""

import re
from collections.abc import Iterator

from leadline.files.source import Source
from leadline.files.white_space import is_plain, plain_text

PIECE = 4 << 20
"""Bytes: small enough that what is made of a piece stays near the processor."""

_TOPIC = re.compile(rb"[^\s]+[ \t]")


def cut_texts(source: Source) -> Iterator[list[bytes | memoryview]]:
    """Lines as they stand in the file, whole topics in each text.

    White space is made regular only in a piece whose last topic does not show otherwise.
    """
    plain = is_plain(source)
    # Chunks as they come from the file if nothing in it needs a change: every copy takes time.
    raw = plain and source.is_raw
    waiting: list[bytes | memoryview] = []
    for text in source.text_chunks(PIECE) if raw else source.texts(PIECE):
        # What stands before the first line end of a chunk belongs to a line that began earlier.
        at = last_topic(text, text.find(b"\n") + 1 if raw and waiting else 0)
        if not at and not raw:
            text = plain_text(text, plain)
            at = last_topic(text)
        if at:
            yield [*waiting, memoryview(text)[:at]]
            waiting = []
        if text[at:]:
            waiting.append(text[at:])
    yield [plain_text(b"".join(waiting), True)]


def last_topic(text: bytes, first: int = 0) -> int:
    r"""Where the lines of the last topic begin that has a whole line here; 0 if there is no other.

    Nothing before `first`, where a line begins, is looked at.

    >>> last_topic(b"401 Q0 a\n402 Q0 a\n402 Q0 b\n402 Q")
    9
    """

    def line(at: int) -> int:
        return max(first, text.rfind(b"\n", first, max(first, at)) + 1)

    inside = line(text.rfind(b"\n"))
    name = _TOPIC.match(text, inside)
    if name is None:
        return 0
    topic = name[0]
    # Twice as far back at every step until another topic is met, then halfway between both.
    outside, step = inside, 1 << 12
    while outside > first and text.startswith(topic, outside):
        inside, outside = outside, line(outside - step)
        step *= 2
    if text.startswith(topic, outside):
        return 0
    while True:
        middle = line((outside + inside) // 2)
        if middle <= outside:
            middle = text.find(b"\n", outside) + 1
        if middle >= inside:
            return inside
        if text.startswith(topic, middle):
            inside = middle
        else:
            outside = middle
