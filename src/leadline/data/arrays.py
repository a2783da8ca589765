"""Arrays as the tables hold them: typed, contiguous, frozen; the order of topics."""

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Array = TypeVar("Array", bound=np.ndarray[Any, Any])


def check_sample(judged: Bools, inclusion: Floats | None, stratum: Int16s | None) -> None:
    """Raise a ValueError for judged documents without a probability or a stratum."""
    if inclusion is not None:
        known = inclusion[judged]
        if not ((known > 0) & (known <= 1)).all():
            raise ValueError("the inclusion probability of a judged document must be in (0, 1]")
    if stratum is not None and (stratum[judged] < 0).any():
        raise ValueError("a judged document has no stratum")


def frozen(array: npt.ArrayLike, dtype: npt.DTypeLike, shape: tuple[int, ...], name: str) -> Any:
    """A read-only array of that type; a ValueError if it has another shape than it should."""
    made = np.ascontiguousarray(array, dtype=dtype)
    if made.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {made.shape}")
    if made.flags.writeable:
        # A view, so that freezing a table never freezes the caller's own array.
        made = made.view()
        made.flags.writeable = False
    return made


def freeze(table: Any, dtype: npt.DTypeLike, shape: tuple[int, ...], *names: str) -> None:
    """Make these fields of a frozen dataclass such arrays; one that is None stays so."""
    for name in names:
        if getattr(table, name) is not None:
            object.__setattr__(table, name, frozen(getattr(table, name), dtype, shape, name))


def read_only(array: Array) -> Array:
    """The array itself, never to be written to again."""
    array.setflags(write=False)
    return array


def check_slices(start: Int64s, stop: Int64s, n_entries: int) -> None:
    """Lists must lie inside the entries and must not overlap."""
    if start.size == 0:
        return
    if (start > stop).any() or start.min() < 0 or stop.max() > n_entries:
        raise ValueError("a list's start and stop must lie inside the entries, start first")
    filled = stop > start
    first, last = start[filled], stop[filled]
    order = np.argsort(first, kind="stable")
    if (first[order][1:] < last[order][:-1]).any():
        raise ValueError("two lists share entries")


def topic_order(topics: Iterable[str]) -> list[str]:
    """Topic names in the order people count them: 9 before 10, numbers before words.

    >>> topic_order(["10", "9", "b", "a2"])
    ['9', '10', 'a2', 'b']
    """
    return sorted(
        topics,
        key=lambda name: (
            (0, int(name), name) if name.isascii() and name.isdigit() else (1, 0, name)
        ),
    )
