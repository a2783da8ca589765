"""Files as streams of bytes, decompressed on the way, so that a large one is never in memory."""

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from leadline.files.problems import InputError

PIECE = 1 << 20


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """The content of a plain or compressed file, told by its first bytes; faults are named."""
    name = os.fspath(path)
    try:
        with Path(name).open("rb") as file:
            head = file.read(4)
            file.seek(0)
            if head[:2] == b"\x1f\x8b":
                with gzip.open(file) as unpacked:
                    yield cast(IO[bytes], unpacked)
            elif head == b"\x28\xb5\x2f\xfd":
                with _zstd(file) as unpacked:
                    yield unpacked
            else:
                yield file
    except FileNotFoundError:
        raise InputError.of(name, "missing", "no such file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"is damaged: {error}. Copy or download it again"
        raise InputError.of(name, "compression", message) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError.of(name, "unreadable", f"cannot be read: {reason}") from None


@contextmanager
def _zstd(file: IO[bytes]) -> Iterator[IO[bytes]]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        with zstd.open(file, "rb") as unpacked:
            yield cast(IO[bytes], unpacked)
    except zstd.ZstdError as error:
        raise EOFError(str(error)) from None


def pieces(stream: IO[bytes], end: bytes = b"\n", size: int = PIECE) -> Iterator[bytes]:
    """Pieces of about `size` bytes that stop where an `end` does; the last may lack it."""
    rest = bytearray()
    while chunk := stream.read(size):
        seen = len(rest)
        rest += chunk
        # Not what was searched before, but for an end that lies across.
        at = rest.rfind(end, max(0, seen - len(end) + 1))
        if at >= 0:
            stop = at + len(end)
            yield bytes(rest[:stop])
            del rest[:stop]
    if rest:
        yield bytes(rest)
