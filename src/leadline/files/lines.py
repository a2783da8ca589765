"""Where the fields of lines stand that have as many fields each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from leadline.tables.arrays import Int64s
from leadline.tables.names import LONGEST_NAME, PADDING, Bytes, Names

_BLANK, _END = ord(" "), ord("\n")
Text = bytes | Sequence[bytes | memoryview]
"""Lines as one text, or as pieces of it: to join them would be another copy."""


@dataclass(frozen=True, eq=False)
class RegularLines:
    """Field i of line j is text[start(i)[j] : stop(i)[j]]; `text` has padding at both ends.

    `first` is the first line of each of the texts that it was made from. Where `begins` is None,
    one blank stands between fields, and nothing else about them.
    """

    text: Bytes
    ends: Int64s
    first: Int64s
    begins: Int64s | None = None

    @classmethod
    def of(cls, texts: Iterable[Text], n_fields: int) -> "RegularLines | None":
        r"""The lines of all texts; None if one has another number of fields, or none.

        Each text ends with a line end. Comments are not looked for.

        >>> lines = RegularLines.of([b"1 a\n", b"20 b\n"], 2)
        >>> lines.names(0).to_list(), lines.names(1).to_list()
        (['1', '20'], ['a', 'b'])
        >>> RegularLines.of([b"1  a \r\n\t2 b\n"], 2).names(1).to_list()
        ['a', 'b']
        >>> RegularLines.of([b"1 a b\n"], 2) is RegularLines.of([b"1 a\n\n"], 2) is None
        True
        """
        whole, at = bytearray(PADDING), []
        for each in texts:
            at.append(len(whole))
            for piece in (each,) if isinstance(each, bytes) else each:
                whole += piece
            if len(whole) == at[-1]:
                return None
            # Not two of them at a time.
            del each
        whole += PADDING
        text = np.frombuffer(whole, np.uint8)
        inside = text[len(PADDING) : -len(PADDING)]
        if not len(inside) or (inside.max() > 127 and not _is_unicode(inside)):
            return None
        begins, ends = None, _blanks(text, n_fields)
        if ends is None:
            begins, ends = _words(text, n_fields)
        return None if ends is None else cls(text, ends, np.searchsorted(ends[:, -1], at), begins)

    def __len__(self) -> int:
        return len(self.ends)

    def start(self, field: int) -> Int64s:
        """Where a field begins on each line."""
        if self.begins is not None:
            return np.ascontiguousarray(self.begins[:, field])
        if field:
            return self.ends[:, field - 1] + 1
        before = np.empty(len(self.ends), np.int64)
        before[0] = len(PADDING)
        np.add(self.ends[:-1, -1], 1, out=before[1:])
        return before

    def stop(self, field: int) -> Int64s:
        """Where a field ends on each line."""
        return self.ends[:, field]

    def names(self, field: int) -> Names:
        """A field as names."""
        start = self.start(field)
        return Names(self.text, start, self.stop(field) - start)


def _blanks(text: Bytes, n_fields: int) -> Int64s | None:
    """Where a field is over, and so a line; None if lines are not regular."""
    blank = text <= _BLANK
    inside = blank[len(PADDING) : -len(PADDING)]
    if text[-len(PADDING) - 1] != _END or inside[0] or (inside[1:] & inside[:-1]).any():
        return None
    blank[: len(PADDING)] = blank[-len(PADDING) :] = False
    ends = np.flatnonzero(blank)
    if len(ends) % n_fields:
        return None
    table = ends.reshape(-1, n_fields)
    # As bytes, which are compared at once: against a row of few fields numpy goes row by row.
    if text[ends].tobytes() != (b" " * (n_fields - 1) + b"\n") * len(table):
        return None
    before = len(PADDING) - 1
    longest = np.diff(table[:, -1], prepend=before).max()
    if longest > LONGEST_NAME and np.diff(ends, prepend=before).max() > LONGEST_NAME + 1:
        return None
    return table


def _words(text: Bytes, n_fields: int) -> tuple[Int64s, Int64s] | tuple[None, None]:
    """Where fields begin and end, whatever white space is about them; None if lines differ."""
    word = text > _BLANK
    word[: len(PADDING)] = word[-len(PADDING) :] = False
    edges = np.flatnonzero(word[1:] != word[:-1])
    edges += 1
    inside = text[len(PADDING) : -len(PADDING)]
    if not len(edges) or len(edges) % (2 * n_fields) or inside.min() == 0:
        return None, None
    table = edges.reshape(-1, 2 * n_fields)
    begins, ends = table[:, ::2], table[:, 1::2]
    line_ends = np.flatnonzero(inside == _END)
    line_ends += len(PADDING)
    # One line end behind the last field of every line, and none elsewhere.
    if len(line_ends) != len(table) or (line_ends < ends[:, -1]).any():
        return None, None
    if (line_ends[:-1] >= begins[1:, 0]).any() or (ends - begins).max() > LONGEST_NAME:
        return None, None
    return begins, ends


def _is_unicode(text: Bytes) -> bool:
    try:
        text.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
