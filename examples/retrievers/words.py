"""Vectors of texts without a model: counts of hashed long words. They keep the examples offline."""

import math
import re
import zlib
from collections import Counter

SIZE = 512


def vector(text: str) -> list[float]:
    """Return the counts of hashed words of four letters or more, damped and of length 1.

    >>> sum(x * x for x in vector("tides and fog, tides and fog"))
    1.0
    """
    counts = Counter(
        zlib.crc32(word.encode()) % SIZE for word in re.findall(r"\w{4,}", text.lower())
    )
    damped = [math.log1p(counts[at]) for at in range(SIZE)]
    length = math.sqrt(sum(x * x for x in damped)) or 1.0
    return [x / length for x in damped]
