"""Numbers from their digits, all lines at once, each the double that is nearest to it.

Eight bytes are one word, in which eight digits become a number in three multiplications. Digits
below 2^53 and a power of ten up to 10^22 are both exact as doubles, and so their quotient or
product is rounded only once, as it must be. Of longer digits the quotient is worked out to twice as
many bits; where even these do not tell how to round, and for all that is left, Python's own
conversion is asked.
"""

import numpy as np

from leadline.data.arrays import Bools, Floats, Int64s
from leadline.data.names import Bytes, Keys, words_of

_U = np.uint64
_ZERO = _U(ord("0"))
_ZEROS = _U(0x3030303030303030)
_ONES = _U(0x0101010101010101)
_HIGH = _U(0x8080808080808080)
_POINTS = _U(0x2E2E2E2E2E2E2E2E)
_JOINED = (
    (_U(2561), _U(8), _U(0x00FF00FF00FF00FF)),
    (_U(6553601), _U(16), _U(0x0000FFFF0000FFFF)),
    (_U(42949672960001), _U(32), None),
)
"""Factor, shift and mask that make pairs of digits, fours of pairs, and eights of fours."""
_KNOWN = np.isin(np.arange(256), np.frombuffer(b"0123456789.eE+-infityINFITY", np.uint8))
"""Letters of numbers and of infinity, so that neither nan nor 1_0 is one."""

_POWERS: Floats = np.array([float(10**n) for n in range(23)])
_WORDS = 3
_EXACT = _U(1 << 53)
_HALF = 2.0**27 + 1
"""Times this, and back, leaves the upper half of a double's digits."""
_STRETCH = 1 << 14
_MOST_ZEROS = 32
"""At the end of a number: more are left to Python's own conversion."""


def decimals(text: Bytes, start: Int64s, stop: Int64s) -> Floats | None:
    """The numbers at these places, perhaps infinite; None if one is not a number at all.

    `text` has padding at both ends.
    """
    value, good = _decimals(text, start, stop)
    odd = np.flatnonzero(~good)
    if len(odd):
        exponent = (text[stop[odd] - 4] | 32) == ord("e")
        some, others = odd[exponent], odd[~exponent]
        value[some], good[some] = _with_exponents(text, start[some], stop[some])
        value[others], good[others] = _without_last_zeros(text, start[others], stop[others])
        odd = odd[~good[odd]]
    if len(odd):
        converted = _by_python(text, start[odd], stop[odd])
        if converted is None:
            return None
        value[odd] = converted
    return value


def _decimals(
    text: Bytes,
    start: Int64s,
    stop: Int64s,
    power: Int64s | None = None,
    with_point: bool = False,
) -> tuple[Floats, Bools]:
    """Digits with perhaps a sign and a point, times ten to a power; and where that is right."""
    minus, length = text[start] == ord("-"), stop - start
    signed = bool(minus.any())
    if signed:
        length -= minus
    whole, after, good = _digits(text, stop, length)
    value, sure = _scaled(whole, after if power is None else after - power)
    if signed:
        np.negative(value, out=value, where=minus)
    sure &= good
    if with_point:
        sure &= (after > 0) | (text[stop - 1] == ord("."))
    return value, sure


def _with_exponents(text: Bytes, start: Int64s, stop: Int64s) -> tuple[Floats, Bools]:
    """The same for numbers that end in an exponent of two digits, as `1.5e-03`."""
    end = stop - 4
    sign = text[end + 1]
    good = (text[end] | 32) == ord("e")
    good &= (end > start) & ((sign == ord("-")) | (sign == ord("+")))
    tens, ones = (text[end + at] - ord("0") for at in (2, 3))
    good &= (tens < 10) & (ones < 10)
    power = np.where(good, tens.astype(np.int64) * 10 + ones, 0)
    value, right = _decimals(
        text, start, np.where(good, end, stop), np.where(sign == ord("-"), -power, power)
    )
    return value, good & right


def _without_last_zeros(text: Bytes, start: Int64s, stop: Int64s) -> tuple[Floats, Bools]:
    """The same for numbers with a point that end in zeros, as `1.5000000000000000000000000000`."""
    end, words = stop.copy(), words_of(text)
    for _ in range(_MOST_ZEROS // 8):
        end -= np.where((words[end - 8] == _ZEROS) & (end - 8 > start), 8, 0)
    for _ in range(7):
        end -= (text[end - 1] == _ZERO) & (end - 1 > start)
    return _decimals(text, start, end, with_point=True)


def _digits(text: Bytes, stop: Int64s, length: Int64s) -> tuple[Keys, Int64s, Bools]:
    """All digits as one number, how many stand behind the point, and where that is right."""
    view = words_of(text)
    n_words = min(_WORDS, max(1, -(-int(length.max(initial=0)) // 8)))
    # From the end: the last eight bytes, those before them, and so on.
    words = [_filled(view[stop - 8 * n], length - 8 * (n - 1)) for n in range(1, n_words + 1)]
    good: Bools = length <= 8 * n_words
    for n, word in enumerate(words):
        carried = words[n + 1] >> _U(56) if n + 1 < n_words else _ZERO
        closed, behind, n_here = _closed(word, carried)
        if n == 0:
            whole, fine = _eight_digits(closed)
            after, n_points = behind, n_here
        else:
            # Words before the one with the point have each given their last digit to the next.
            closed = np.where(n_points > 0, (word << _U(8)) | carried, closed)
            number, fine = _eight_digits(closed)
            fine &= number < _U(1000 if n == _WORDS - 1 else 10**8)
            whole += number * _U(10 ** (8 * n))
            after = np.where(n_here > 0, behind + 8 * n, after)
            n_points = n_points + n_here
        good &= fine
    good &= (n_points < 2) & (length > n_points)
    return whole, after, good


def _scaled(whole: Keys, places: Int64s) -> tuple[Floats, Bools]:
    """Whole numbers divided by ten so many times, and where the result is right."""
    value: Floats = whole.astype(np.float64)
    sure: Bools = whole < _EXACT
    least, most = int(places.min(initial=0)), int(places.max(initial=0))
    if least < 0:
        value *= _POWERS[np.clip(-places, 0, 22)]
    value /= _POWERS[np.clip(places, 0, 22) if least < 0 or most > 22 else places]
    if not sure.all():
        long = np.flatnonzero(~sure & (places >= 0) & (places <= 22))
        value[long], sure[long] = _quotient(whole[long], _POWERS[places[long]])
    if least < -22 or most > 22:
        sure &= np.abs(places) <= 22
    return value, sure


def _quotient(whole: Keys, power: Floats) -> tuple[Floats, Bools]:
    """More than 53 bits divided by an exact double, and where it is certain how to round.

    The first quotient's remainder is exact (Dekker 1971) and gives a correction. Their sum is right
    unless it lies so near the middle of two doubles that the correction's own error could matter.
    """
    upper = (whole & ~_U(0x7FF)).astype(np.float64)
    lower = (whole & _U(0x7FF)).astype(np.float64)
    first = upper / power
    product, error = _product(first, power)
    more = ((upper - product) - error + lower) / power
    value = first + more
    left = np.abs(more - (value - first))
    half = np.spacing(value) / 2
    # Just below a power of two doubles lie twice as close.
    sure: Bools = (np.abs(left - half) > half * 1e-9) & (np.abs(left - half / 2) > half * 1e-9)
    return value, sure


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A product and its rounding error, both exact."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, error


def _halves(a: Floats) -> tuple[Floats, Floats]:
    large = a * _HALF
    high = large - (large - a)
    return high, a - high


def wholes(text: Bytes, start: Int64s, stop: Int64s) -> Int64s | None:
    """Whole numbers of at most eight digits, zeros before them aside, with perhaps a sign.

    None if one is anything else.
    """
    minus = text[start] == ord("-")
    start = start + (minus | (text[start] == ord("+")))
    if int((stop - start).max(initial=0)) > 8:
        for at in np.flatnonzero(stop - start > 8).tolist():
            start[at] = _first_of_eight(text, int(start[at]), int(stop[at]))
    length = stop - start
    number, good = _eight_digits(_filled(words_of(text)[stop - 8], length))
    if not bool((good & (length > 0) & (length <= 8)).all()):
        return None
    value = number.astype(np.int64)
    return np.where(minus, -value, value)


def _first_of_eight(text: Bytes, start: int, stop: int) -> int:
    """Where the last eight digits begin, if only zeros come before them."""
    return start if text[start : stop - 8].tobytes().strip(b"0") else stop - 8


def _filled(word: Keys, length: Int64s) -> Keys:
    """The last `length` bytes of each word, with zeros, as digits, before them; in place."""
    missing = np.clip(length, 0, 8)
    missing *= -8
    missing += 64
    bits = missing.view(np.uint64)
    word ^= _ZEROS
    word >>= bits
    word <<= bits
    word ^= _ZEROS
    return word


def _closed(word: Keys, carried: Keys | np.uint64) -> tuple[Keys, Int64s, Int64s]:
    """Words with their point taken out and `carried` moved in, digits after it, number of points.

    Too many points are counted where a slash follows one: no number has either.
    """
    apart = word ^ _POINTS
    mark = apart - _ONES
    np.invert(apart, out=apart)
    mark &= apart
    mark &= _HIGH
    count = np.bitwise_count(mark).astype(np.int64)
    if not count.any():
        return word, np.zeros_like(count), count
    # The lowest mark and what lies below it: the bytes before the point.
    before = mark & np.negative(mark)
    before >>= _U(7)
    before -= _U(1)
    after = 7 - (np.bitwise_count(before) >> 3).astype(np.int64)
    closed = before << _U(8)
    closed |= _U(0xFF)
    np.invert(closed, out=closed)
    closed &= word
    before &= word
    before <<= _U(8)
    closed |= before
    closed |= carried
    if count.all():
        return closed, after, count
    return np.where(count > 0, closed, word), np.where(count > 0, after, 0), count


def _eight_digits(word: Keys) -> tuple[Keys, Bools]:
    """The number that eight digits make, the first in the lowest byte, and whether they are."""
    digit = word ^ _ZEROS
    # What is more than 9 has the highest bit of its byte now, or had it before.
    above = digit + _U(0x7676767676767676)
    above |= digit
    above &= _HIGH
    good: Bools = above == 0
    for factor, width, kept in _JOINED:
        digit *= factor
        digit >>= width
        if kept is not None:
            digit &= kept
    return digit, good


def _by_python(text: Bytes, start: Int64s, stop: Int64s) -> Floats | None:
    """One by one, some at a time; Python would also take underscores and words for numbers."""
    found = [np.zeros(0)]
    for first in range(0, len(start), _STRETCH):
        part = slice(first, first + _STRETCH)
        value = _converted(text, start[part], stop[part])
        if value is None:
            return None
        found.append(value)
    return np.concatenate(found)


def _converted(text: Bytes, start: Int64s, stop: Int64s) -> Floats | None:
    places = zip(start.tolist(), stop.tolist(), strict=True)
    words = [text[first:last].tobytes() for first, last in places]
    if not _KNOWN[np.frombuffer(b"".join(words), np.uint8)].all():
        return None
    try:
        return np.array([float(word) for word in words])
    except ValueError:
        return None
