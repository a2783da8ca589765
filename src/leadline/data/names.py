"""Many names as places in one text: read, hashed, compared and sorted eight bytes at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from leadline.data.arrays import Bools, Int32s, Int64s

if TYPE_CHECKING:
    import polars as pl


Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint64]

PADDING = b"\n" * 16
"""Stands before and after every text, so that a word may be read across its ends."""

LONGEST_NAME = 10_000
"""Bytes that a topic or a document may have in its name: names are compared eight at a time."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
FIRST: Keys = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
"""A mask of the first n bytes of a word; bytes come in the order of little-endian numbers."""


def _mix(key: Keys, word: Keys) -> None:
    """Mix words into keys, in place: every array that is rebuilt takes time."""
    key ^= word
    key *= _ODD
    key ^= key >> np.uint64(32)


def words_of(text: Bytes) -> Keys:
    """The eight bytes from every place on as a number; no copy."""
    first = text[:8].view("<u8")
    return np.lib.stride_tricks.as_strided(first, (len(text) - 7,), (1,), writeable=False)


@dataclass(frozen=True, eq=False)
class Names:
    """Name i is the `length[i]` bytes of `text` from `start[i]` on; `text` has padding around it.

    `length` may have fewer bits where names are only ever gathered.

    >>> names = Names.of(["b", "a", "b"])
    >>> names.equals(names.gather(np.array([2, 1, 0]))).tolist(), names.changed().tolist()
    ([True, True, True], [True, True, True])
    """

    text: Bytes
    start: Int64s
    length: Int64s

    @classmethod
    def of(cls, names: "list[str] | pl.Series") -> "Names":
        """From a list, or from a column of a table."""
        if isinstance(names, list):
            parts = [name.encode() for name in names]
            data, length = b"".join(parts), np.array([len(part) for part in parts], np.int64)
        else:
            import polars as pl

            data = (names.str.join("").item() or "").encode()
            length = names.str.len_bytes().cast(pl.Int64).to_numpy()
        longest = int(length.max(initial=0))
        if longest > LONGEST_NAME:
            raise ValueError(f"a name has {longest:,} bytes, more than {LONGEST_NAME:,}")
        stop = np.cumsum(length)
        text = np.frombuffer(b"".join([PADDING, data, PADDING]), np.uint8)
        made = cls(text, stop - length + len(PADDING), length)
        if not isinstance(names, list):
            # It would be made again from the bytes otherwise.
            made.__dict__["series"] = names
        return made

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, at: int) -> str:
        return self.bytes_of(at).decode()

    def bytes_of(self, at: int) -> bytes:
        """One name as it stands in the text."""
        start = int(self.start[at])
        return self.text[start : start + int(self.length[at])].tobytes()

    def gather(self, at: Int64s | Int32s | slice) -> "Names":
        """These names, in this order; of a slice there is no copy."""
        length = self.length[at].astype(np.int64, copy=False)
        taken = Names(self.text, self.start[at], length)
        if "last" in self.__dict__:
            taken.__dict__["last"] = self.last[at]
        return taken

    def to_list(self) -> list[str]:
        """As Python's text."""
        whole = self._joined()
        # One by one only if a name holds a line end itself, as no name in a file can.
        return [self[at] for at in range(len(self))] if whole is None else whole.split("\n")

    def _joined(self) -> str | None:
        """All names with a line end between them; None if some name holds one, or there is none."""
        if not len(self):
            return None
        width = self.length + 1
        stop = np.cumsum(width)
        place = np.arange(int(stop[-1])) + np.repeat(self.start - (stop - width), width)
        piece = self.text[place]
        piece[stop - 1] = ord("\n")
        once = int(np.count_nonzero(piece == ord("\n"))) == len(self)
        return piece[:-1].tobytes().decode() if once else None

    @cached_property
    def series(self) -> "pl.Series":
        """As a column of a table."""
        import polars as pl

        whole = self._joined()
        if whole is None:
            return pl.Series(self.to_list(), dtype=pl.String)
        return pl.Series([whole]).str.split("\n").explode()

    def keys(self, seed: int) -> Keys:
        """A hash of every name; names that differ may share one, though it is unlikely."""
        key: Keys = (self.length + seed).view(np.uint64)
        key *= _ODD
        _mix(key, self.last)
        for at, row, longer in self._longer():
            some = key[row] if longer is None else key.copy()
            _mix(some, words_of(self.text)[self.start[row] + at])
            if longer is None:
                key[row] = some
            else:
                np.copyto(key, some, where=longer)
        key *= _ODD
        key ^= key >> np.uint64(29)
        return key

    def equals(self, other: "Names") -> Bools:
        """Whether each name is the other's name at the same place."""
        same: Bools = self.length == other.length
        all_as_long = bool(same.all())
        same &= self.last == other.last
        ours, theirs = words_of(self.text), words_of(other.text)
        for at, row, longer in self._longer():
            # Of a name that has ended its last bytes are compared again.
            there = at if all_as_long else np.minimum(at, other.length[row] - 8)
            alike = ours[self.start[row] + at] == theirs[other.start[row] + there]
            same[row] &= alike if longer is None else alike | ~longer
        return same

    def changed(self) -> Bools:
        """Whether each name differs from the one before; the first does."""
        new = np.ones(len(self), np.bool_)
        longest = int(self.length.max(initial=0))
        if longest > 16:
            new[1:] = ~self.gather(slice(1, None)).equals(self.gather(slice(-1)))
            return new
        if longest <= 8:
            first = words_of(self.text)[self.start]
            alike = int(self.length.min(initial=longest)) == longest
            first &= FIRST[longest] if alike else FIRST[self.length]
            words = [first]
        else:
            words = [self.first, self.last]
        new[1:] = self.length[1:] != self.length[:-1]
        for word in words:
            new[1:] |= word[1:] != word[:-1]
        return new

    @cached_property
    def first(self) -> Keys:
        """The first eight bytes of each name as a number; 0 where the last eight tell all of it."""
        longer = self.length > 8
        if not longer.any():
            return np.zeros(len(self), np.uint64)
        first: Keys = words_of(self.text)[self.start]
        first *= longer
        return first

    @cached_property
    def last(self) -> Keys:
        """The last eight bytes of each name as a number, or as many as it has."""
        last: Keys = words_of(self.text)[self.start + self.length - 8]
        if self.length.min(initial=8) < 8:
            bits = np.minimum(self.length, 8)
            bits *= -8
            bits += 64
            last >>= bits.view(np.uint64)
        return last

    def _longer(self) -> Iterator[tuple[int, slice | Int64s, Bools | None]]:
        """Places 0, 8, 16 ... and the names that go on for more than eight bytes from there.

        Where most do, all are given, with a mask of those: to pick them would take longer.
        """
        longest = int(self.length.max(initial=0))
        shortest = int(self.length.min(initial=longest))
        for at in range(0, longest - 8, 8):
            if shortest > at + 8:
                yield at, slice(None), None
                continue
            longer = self.length > at + 8
            row = np.flatnonzero(longer)
            # Further on a word could lie beyond the padding behind the last name.
            if at <= len(PADDING) - 8 and 2 * len(row) > len(self):
                yield at, slice(None), longer
            else:
                yield at, row, None

    def rising(self, within: Int64s) -> Int64s:
        """Positions by rising `within`, then by rising name, byte by byte."""
        return self._order(within, np.uint64(0))

    def falling(self, within: Int64s) -> Int64s:
        """Positions by rising `within`, then by falling name, byte by byte."""
        return self._order(within, ~np.uint64(0))

    def _order(self, within: Int64s, flip: np.uint64) -> Int64s:
        """Eight bytes at a time, of names that are equal so far; `flip` turns the order round."""
        order = place = np.arange(len(self))
        group = within
        longest = int(self.length.max(initial=0))
        for at in (*range(0, longest, 8), None):
            row = order[place]
            # At last by length: a NUL byte at the end looks like the end.
            word = self._word(row, at) if at is not None else self.length[row].astype(np.uint64)
            word = word ^ flip
            sorted_ = _by_group(group, word)
            order = order.copy() if at == 0 else order
            order[place] = row[sorted_]
            group, word = group[sorted_], word[sorted_]
            same = np.zeros(len(row) + 1, np.bool_)
            same[1:-1] = (group[1:] == group[:-1]) & (word[1:] == word[:-1])
            tied = same[1:] | same[:-1]
            if not tied.any():
                break
            place, group = place[tied], np.cumsum(~same[:-1], dtype=np.int64)[tied]
        return order

    def _word(self, row: Int64s, at: int) -> Keys:
        """Eight bytes of each name as a number that compares as they do."""
        if at == 0 and "last" in self.__dict__ and self.length.max(initial=0) <= 8:
            return self.last[row].byteswap()
        left = np.clip(self.length[row] - at, 0, 8)
        # Nothing is read behind the end of a name that is over: it has zeros there.
        word = words_of(self.text)[np.where(left > 0, self.start[row] + at, 0)] & FIRST[left]
        big: Keys = word.byteswap()
        return big


def _by_group(group: Int64s, word: Keys) -> Int64s:
    """Positions by group, then by word; few groups are sorted in a pass or two by numpy."""
    order: Int64s = np.argsort(word)
    narrow = group.astype(np.uint16) if group.max(initial=0) < 1 << 16 else group
    return order[np.argsort(narrow[order], kind="stable")]
