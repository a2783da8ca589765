"""Distinct pairs numbered as they are met: found by key, told apart by topic and name."""

from typing import Any, TypeVar

import numpy as np

from leadline.formats.rows import doc_keys
from leadline.tables.arrays import Bools, Int32s, Int64s
from leadline.tables.names import PADDING, Keys, Names, words_of

_SEGMENT = 1 << 16
"""Rows looked up together: what is made of them stays in the cache."""

_FREE = -1
_ODD = np.uint64(0x9E3779B97F4A7C15)
_UPPER = np.uint64(32)
_MARGIN = len(PADDING) // 8
Array = TypeVar("Array", bound=np.ndarray[Any, Any])


class PairTable:
    """A hash table of (topic, doc), with a copy of every name that it holds.

    What a key finds is compared with the topic and the name before it counts as that pair, so keys
    that collide cost time and nothing else. Slots of one topic lie near each other, because lists
    come topic by topic. Pairs enter the slots only when some may come a second time.
    """

    def __init__(self, expected: int = 0) -> None:
        """`expected` pairs have room before anything is copied to make more."""
        self.n = 0
        # Of each pair topic and length in one number, the last and the first bytes of its name, and
        # where that begins: side by side, so that to compare them misses the cache once.
        self.record: Keys = np.empty((expected, 4), np.uint64)
        # Names begin where a word does, so that they are copied word by word.
        self.words: Keys = np.empty(expected + 2 * _MARGIN, np.uint64)
        self.words[:_MARGIN] = np.frombuffer(PADDING, np.uint64)
        self.end = _MARGIN
        self.n_topics = 1
        self.topic_key: Keys = np.zeros(0, np.uint64)
        self.met: Bools = np.zeros(0, np.bool_)
        self.slot: Int32s = np.zeros(0, np.int32)
        self.n_shares = 1
        self.n_in_slots = 0

    def __len__(self) -> int:
        return self.n

    @property
    def topic(self) -> Int32s:
        """The topic of every pair, in the order of their numbers; no copy."""
        topic: Int32s = self.record[: self.n].view("<i4")[:, 1]
        return topic

    @property
    def doc_name(self) -> Names:
        """The doc of every pair, in the order of their numbers; no copy."""
        record = self.record[: self.n]
        length: Any = record.view("<i4")[:, 0]
        names = Names(self.words.view(np.uint8), record.view(np.int64)[:, 3], length)
        # It would be read from the text again otherwise.
        names.__dict__["last"] = record[:, 1]
        return names

    def number(
        self, topic: Int32s, topic_key: Keys, n_rows: Int64s, doc: Names, pair_key: Keys
    ) -> Int32s:
        """The number of each row's pair, a new one where it has not come before.

        So many rows each have this topic and its key. No pair may come twice among the rows.
        """
        self.n_topics = n = max(self.n_topics, int(topic.max(initial=0)) + 1)
        self.met, self.topic_key = _grown(self.met, n), _grown(self.topic_key, n)
        met = self.met[topic].any()
        self.met[topic], self.topic_key[topic] = True, topic_key
        of_topic = np.repeat(topic.astype(np.uint64) << _UPPER, n_rows)
        numbers = [np.zeros(0, np.int32)]
        for first in range(0, len(doc), _SEGMENT):
            rows = slice(first, first + _SEGMENT)
            some = doc.gather(rows)
            shape = np.bitwise_or(of_topic[rows], some.length.view(np.uint64))
            if met:
                numbers.append(self._find(shape, some, pair_key[rows]))
            else:
                numbers.append(np.arange(self.n, self.n + len(some), dtype=np.int32))
                self._append(shape, some)
        return np.concatenate(numbers)

    def _find(self, shape: Keys, doc: Names, key: Keys) -> Int32s:
        self._make_slots(self.n + len(key))
        number = np.empty(len(key), np.int32)
        row: Int64s | slice = slice(None)
        slot, n_tried = self._slots(shape, key), 0
        while len(slot):
            held = self.slot[slot]
            free = np.flatnonzero(held == _FREE)
            if len(free):
                # Of several that want one slot the last gets it; the others see what is there now.
                self.slot[slot[free]] = free
                won = free[self.slot[slot[free]] == free]
                self.slot[slot[won]] = np.arange(self.n, self.n + len(won), dtype=np.int32)
                new = won if isinstance(row, slice) else row[won]
                self._append(shape[new], doc.gather(new))
                self.n_in_slots = self.n
                held[free] = self.slot[slot[free]]
            same = self._same(held, shape, doc, row)
            # Those that are not the same are written again later.
            number[row] = held
            other = np.flatnonzero(~same)
            row = other if isinstance(row, slice) else row[other]
            n_tried += 1
            slot = self._other_slots(slot[other], key[row], n_tried)
        return number

    def _same(self, held: Int32s, shape: Keys, doc: Names, row: Int64s | slice) -> Bools:
        """Whether each row's pair is the one that its slot holds."""
        found = self.record.take(held, axis=0, mode="clip")
        same: Bools = found[:, 0] == shape[row]
        same &= found[:, 1] == doc.last[row]
        same &= found[:, 2] == doc.first[row]
        if doc.length.max() > 16:
            # Of these more than the first and the last bytes must be compared.
            long = np.flatnonzero(same & (doc.length[row] > 16))
            some = doc.gather(long if isinstance(row, slice) else row[long])
            same[long] = some.equals(self.doc_name.gather(held[long]))
        return same

    def _slots(self, shape: Keys, key: Keys) -> Int64s:
        """Where each pair is looked for first: in its topic's share of the slots."""
        share = np.uint64(len(self.slot) // self.n_shares)
        slots = ((key >> _UPPER) * share) >> _UPPER
        # There may be more topics now than when the slots were made.
        slots += (shape >> _UPPER) % np.uint64(self.n_shares) * share
        return slots.view(np.int64)

    def _other_slots(self, slot: Int64s, key: Keys, n_tried: int) -> Int64s:
        """Where each pair is looked for next: beside that, then anywhere, lest shares overflow."""
        if n_tried == 1:
            return slot ^ 1
        mixed = (key ^ np.uint64(n_tried)) * _ODD
        return (((mixed >> _UPPER) * np.uint64(len(self.slot))) >> _UPPER).view(np.int64)

    def _append(self, shape: Keys, doc: Names) -> None:
        new = slice(self.n, self.n + len(doc))
        self.n += len(doc)
        self.record = _grown(self.record, self.n)
        n_words = (doc.length + 7) >> 3
        start = self.end + np.cumsum(n_words) - n_words
        self.end += int(n_words.sum())
        self.words = _grown(self.words, self.end + _MARGIN)
        word, most, least = words_of(doc.text), int(n_words.max()), int(n_words.min())
        for at in range(most):
            longer = slice(None) if at < least else np.flatnonzero(n_words > at)
            self.words[start[longer] + at] = word[doc.start[longer] + 8 * at]
        for field, column in enumerate((shape, doc.last, doc.first, 8 * start)):
            self.record[new, field] = column

    def _make_slots(self, n_pairs: int) -> None:
        """Bring all pairs into slots, a third of which stay free when there are so many of them."""
        if 3 * n_pairs > 2 * len(self.slot):
            self.n_shares = self.n_topics
            self.slot = np.full(2 * max(n_pairs, self.n_shares), _FREE, np.int32)
            self.n_in_slots = 0
        for first in range(self.n_in_slots, self.n, _SEGMENT):
            rows = slice(first, min(self.n, first + _SEGMENT))
            at = np.arange(rows.start, rows.stop, dtype=np.int32)
            key = doc_keys(self.doc_name.gather(at)) ^ self.topic_key[self.topic[rows]]
            slot, n_tried = self._slots(self.record[rows, 0], key), 0
            while len(at):
                free = np.flatnonzero(self.slot[slot] == _FREE)
                self.slot[slot[free]] = at[free]
                left = np.flatnonzero(self.slot[slot] != at)
                at, key = at[left], key[left]
                n_tried += 1
                slot = self._other_slots(slot[left], key, n_tried)
        self.n_in_slots = self.n


def _grown(array: Array, size: int) -> Array:
    """The same array with room for so many, and for as many again if it had to grow."""
    if size <= len(array):
        return array
    more: Any = np.zeros((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    more[: len(array)] = array
    grown: Array = more
    return grown
