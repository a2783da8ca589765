"""A large run file in pieces of bounded size, cut between topics."""

import re
from collections.abc import Iterator

from leadline.files.source import Source
from leadline.files.white_space import is_plain, plain_text

PIECE = 4 << 20
"""Bytes: small enough that what is made of a piece stays near the processor."""

_TOPIC = re.compile(rb"[^\s]+[ \t]")


def cut_texts(source: Source) -> Iterator[bytes]:
    """Regular lines, whole topics in each text; nothing where the file needs a closer look."""
    plain = is_plain(source)
    waiting: list[bytes] = []
    for piece in source.texts(PIECE):
        text = plain_text(piece, plain)
        at = last_topic(text)
        if at:
            yield b"".join([*waiting, text[:at]])
            waiting = []
        if text[at:]:
            waiting.append(text[at:])
    yield b"".join(waiting)


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
