"""Files of object storage and the web, by URL, where fsspec is installed."""

import re
from typing import IO, TYPE_CHECKING, Any, cast

from leadline.files.problems import InputError

if TYPE_CHECKING:
    import os

_URL = re.compile(r"[a-z][a-z0-9+.-]+://\S")


def is_url(what: "str | os.PathLike[str]") -> bool:
    """Whether a path is a URL.

    >>> is_url("s3://bucket/runs/bm25.gz"), is_url("runs/bm25.gz"), is_url("c:/runs")
    (True, False, False)
    """
    return isinstance(what, str) and _URL.match(what) is not None


def open_url(url: str) -> IO[bytes]:
    """Its content, read as it is asked for."""
    storage, path = _storage(url)
    return cast(IO[bytes], storage.open(path, "rb"))


def url_size(url: str) -> int:
    """Bytes; 0 where nobody tells."""
    storage, path = _storage(url)
    try:
        return int(storage.size(path) or 0)
    except OSError:
        return 0


def files_below(url: str) -> list[str]:
    """The files of a folder and of its folders, by name; none of anything else."""
    storage, path = _storage(url)
    if not storage.isdir(path):
        return []
    found = (each.removeprefix(path).strip("/") for each in storage.find(path))
    return sorted(f"{url.rstrip('/')}/{each}" for each in found)


def matching_urls(pattern: str) -> list[str]:
    """The files that fit a pattern, by name."""
    storage, path = _storage(pattern)
    return sorted(storage.unstrip_protocol(each) for each in storage.glob(path))


def _storage(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ModuleNotFoundError:
        raise InputError.of(
            url,
            "url",
            "to read a URL install fsspec and what it needs for that storage: s3fs, gcsfs",
        ) from None
    try:
        storage, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise InputError.of(url, "url", f"cannot be read: {error}") from None
    return storage, path
