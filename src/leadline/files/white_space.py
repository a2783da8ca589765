"""Lines with their white space made regular: one blank between fields, none around them.

White space is every byte from 1 to 32 but for the line feed. Comments are lines whose first field
begins with #.
"""

import re

import numpy as np

from leadline.files.source import Source
from leadline.tables.arrays import Int64s

_HEAD = 1 << 13
_WHOLE = 1 << 22
_SIGN = re.compile(rb"[\x00-\x09\x0b-\x1f]|  |\n[# \n]| \n")
_ENDS = re.compile(rb"\n+")
_COMMENT = re.compile(rb"(?m)^#.*$")


def regular(text: bytes) -> bytes:
    """The same lines with one blank between fields and none around them; comments emptied.

    Line numbers stay as they were. There must be no NUL byte.

    >>> regular(b"401  Q0\\tFT911-3 \\r\\n# note\\n  402 Q0 x\\n")
    b'401 Q0 FT911-3\\n\\n402 Q0 x\\n'
    """
    chunk = np.frombuffer(text, np.uint8)
    word, end = chunk > 32, chunk == 10
    # Of every stretch of blanks the last one stays, if a word follows; all line ends stay.
    keep = word | end
    keep[:-1] |= word[1:]
    if int(np.count_nonzero(chunk < 32)) != int(np.count_nonzero(end)):
        chunk = np.where(word | end, chunk, np.uint8(32))
    # What is not kept becomes a byte that nothing else has, and is taken out: faster than a mask.
    made = (chunk * keep).tobytes().translate(None, b"\0")
    kept = np.frombuffer(made, np.uint8)
    if made[:1] == b" " or ((kept[1:] == 32) & (kept[:-1] == 10)).any():
        made = (b"\n" + made).replace(b"\n ", b"\n")[1:]
    return _COMMENT.sub(b"", made) if b"#" in made else made


def line_numbers(text: bytes) -> Int64s:
    """The numbers, from 0, of the lines of a regular text that hold something."""
    chunk = np.frombuffer(text if text.endswith(b"\n") else text + b"\n", np.uint8)
    end = np.flatnonzero(chunk == 10)
    return np.flatnonzero(np.diff(end, prepend=-1) > 1)


def is_plain(source: Source) -> bool:
    """Whether the first lines have one blank between fields and nothing else about them."""
    return _SIGN.search(b"\n" + source.head[:_HEAD]) is None


def plain_text(text: bytes, plain: bool) -> bytes:
    """Lines with one blank between fields, none of them empty, the last one with an end.

    They are made so unless they are already, as `plain` says. There must be no NUL byte.
    """
    # Behind the last line white space may stand without a line feed, however plain the first are.
    ragged = text[-1:] <= b" " and text[-1:] != b"\n"
    if not plain or ragged:
        text = regular(text).lstrip(b"\n")
        text = _ENDS.sub(b"\n", text) if b"\n\n" in text else text
    return text if text.endswith(b"\n") or not text else text + b"\n"


def whole_text(source: Source) -> bytes:
    """All lines of a source as `plain_text`, piece by piece, so that blank ones take no room."""
    plain = is_plain(source)
    if plain and source.is_raw:
        return plain_text(b"".join(source.text_chunks(_WHOLE)), True)
    return b"".join(plain_text(text, plain) for text in source.texts())
