"""Memory that one piece of a file gave back is kept for the next."""

import sys

KEPT = 32 << 20
"""Bytes: what is freed goes back to the system only beyond that."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of mallopt's parameters, as malloc.h of the GNU C library has them."""


def keep_freed_memory() -> None:
    """Ask the C library to keep what is freed, where it is the GNU one.

    Else arrays of some megabytes go back to the system with every piece, and each of their pages is
    made and cleared anew for the next: a fifth of the processor time of reading a large run.
    """
    if sys.platform != "linux":
        return
    import ctypes

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, KEPT)
        mallopt(_TRIM_THRESHOLD, KEPT)
