"""Numbers from their digits, all lines at once, each the double that is nearest to it.

Eight bytes are one word, in which eight digits become a number in three multiplications. Fewer than
54 bits of digits and a power of ten are both exact as doubles, and so their quotient is rounded
only once, as it must be. Longer numbers and those with an exponent go to Python's own conversion.
"""

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.name_column import Bytes, Keys, words_of

_U = np.uint64
_ZERO = _U(ord("0"))
_ZEROS = _U(0x3030303030303030)
_ONES = _U(0x0101010101010101)
_HIGH = _U(0x8080808080808080)
_UPPER = _U(0xF0F0F0F0F0F0F0F0)
_POINTS = _U(0x2E2E2E2E2E2E2E2E)
_KNOWN = np.isin(np.arange(256), np.frombuffer(b"0123456789.eE+-", np.uint8))
_POWERS = 10.0 ** np.arange(16)
_MISSING = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_LONGEST = 64


def decimals(text: Bytes, start: Int64s, stop: Int64s) -> Floats | None:
    """The numbers at these places; None if one is not finite, or not a number at all.

    `text` has padding at both ends.
    """
    minus = text[start] == ord("-")
    length = stop - start - minus
    view = words_of(text)
    long = int(length.max(initial=0)) > 8
    high = _filled(view[stop - 16], length - 8) if long else np.asarray(_ZEROS)
    low, after, n_points = _closed(_filled(view[stop - 8], length), high >> _U(56))
    whole, good = _eight_digits(low)
    if long:
        # Where the point was in the lower word, the upper one has given its last digit to it.
        given = (high << _U(8)) | _ZERO
        closed, further, n_high = _closed(high, _ZERO)
        upper, fine = _eight_digits(np.where(n_points > 0, given, closed))
        whole += upper * _U(10**8)
        after = np.where(n_high > 0, further + np.int64(8), after)
        n_points = n_points + n_high
        good &= fine & (length <= 16) & (whole < _U(1 << 53))
    good &= (n_points < 2) & (length > n_points)
    value: Floats = whole.astype(np.float64)
    value /= _POWERS[after]
    np.negative(value, out=value, where=minus)
    odd = np.flatnonzero(~good)
    if len(odd):
        others = _by_python(text, start[odd], stop[odd])
        if others is None:
            return None
        value[odd] = others
    return value


def wholes(text: Bytes, start: Int64s, stop: Int64s) -> Int64s | None:
    """The same for digits and nothing else, at most eight of them."""
    length = stop - start
    number, good = _eight_digits(_filled(words_of(text)[stop - 8], length))
    return number.astype(np.int64) if bool((good & (length <= 8)).all()) else None


def _filled(word: Keys, length: Int64s) -> Keys:
    """The last `length` bytes of each word, with zeros, as digits, before them."""
    missing: Keys = _MISSING[8 - np.clip(length, 0, 8)]
    filled: Keys = (word & ~missing) | (missing & _ZEROS)
    return filled


def _closed(word: Keys, carried: Keys | np.uint64) -> tuple[Keys, Int64s, Int64s]:
    """Words with their point taken out and `carried` moved in, digits after it, number of points.

    Too many points are counted where a slash follows one: no number has either.
    """
    apart = word ^ _POINTS
    mark = (apart - _ONES) & ~apart & _HIGH
    before = ((mark & (~mark + _U(1))) >> _U(7)) - _U(1)
    closed = (word & ~((before << _U(8)) | _U(0xFF))) | ((word & before) << _U(8)) | carried
    count = np.bitwise_count(mark).astype(np.int64)
    after = np.where(count > 0, 7 - (np.bitwise_count(before) >> 3), 0).astype(np.int64)
    return np.where(count > 0, closed, word), after, count


def _eight_digits(word: Keys) -> tuple[Keys, Bools]:
    """The number that eight digits make, the first in the lowest byte, and whether they are."""
    sum_ = ((word + _U(0x0606060606060606)) & _UPPER) >> _U(4)
    good: Bools = ((word & _UPPER) | sum_) == _U(0x3333333333333333)
    pairs = ((word & _U(0x0F0F0F0F0F0F0F0F)) * _U(2561)) >> _U(8)
    fours = ((pairs & _U(0x00FF00FF00FF00FF)) * _U(6553601)) >> _U(16)
    return ((fours & _U(0x0000FFFF0000FFFF)) * _U(42949672960001)) >> _U(32), good


def _by_python(text: Bytes, start: Int64s, stop: Int64s) -> Floats | None:
    """Python would also take underscores, other alphabets' digits and words for numbers."""
    width = int((stop - start).max())
    if width > _LONGEST:
        return None
    column = np.arange(width)
    inside = column < (stop - start)[:, None]
    letters = np.where(inside, text[np.where(inside, start[:, None] + column, 0)], np.uint8(0))
    if not _KNOWN[letters[inside]].all():
        return None
    try:
        value: Floats = letters.view(f"S{width}").ravel().astype(np.float64)
    except ValueError:
        return None
    return value if bool(np.isfinite(value).all()) else None
