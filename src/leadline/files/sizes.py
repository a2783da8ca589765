"""Sizes of memory as people write them."""

import re

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_UNITS |= {f"{unit}I": 1024**power for power, unit in enumerate("KMGT", 1)}


def parse_size(text: str | int) -> int:
    """Bytes from a number, or from a text such as 500MB, 2GB or 1.5GiB.

    >>> parse_size("1.5 GB"), parse_size("512MiB"), parse_size(1000)
    (1500000000, 536870912, 1000)
    """
    if isinstance(text, int):
        size = text
    else:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", text.upper())
        if found is None or found[2] not in _UNITS:
            raise ValueError(f"a size is a number and a unit, 500MB or 2GB, not {text!r}")
        size = int(float(found[1]) * _UNITS[found[2]])
    if size < 1:
        raise ValueError(f"a size must be above 0, not {text}")
    return size
