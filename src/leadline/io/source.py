"""Where bytes come from: files, compressed or not, URLs, standard input; read as a stream."""

import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, cast

from leadline.io.problems import InputError

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
            "to read a URL, install fsspec and its package for that storage, for example s3fs "
            "or gcsfs",
        ) from None
    try:
        storage, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise InputError.of(url, "url", f"cannot be read: {error}") from None
    return storage, path


BOM = b"\xef\xbb\xbf"
"""A byte order mark, which means nothing at the beginning of a file."""

CHUNK = 1 << 20
LONGEST_LINE = 1 << 28
"""Bytes of a line, unpacked: a run as one line of JSON has them, and no memory ends with them."""

_HEAD = 1 << 16
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BINARY_FORMATS = (_GZIP, _ZSTD, b"PAR1")
_PACKED = (".gz", ".zst")
_SUFFIXES = (".txt", ".run", ".trec", ".tsv", ".json", ".jsonl", ".csv", ".parquet")
_SYSTEM_NAMES = ("thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r")
_BACKUP_SUFFIXES = (
    *("~", ".bak", ".backup", ".orig", ".rej", ".swp", ".swo", ".tmp"),
    *(".part", ".partial", ".crdownload"),
)
_MEASURE = re.compile(r"AP|RR|P@[0-9]+|(nDCG|ERR|Recall|RR|AP)@[0-9]+|(RBP|nDCG)\(.*\)(@[0-9]+)?")


@dataclass(frozen=True)
class Source:
    """Content, decompressed as it is read, and the name by which messages call it.

    A file stays on disk (`path`) or elsewhere (`url`) and is read as often as asked; what came by a
    pipe is `held`. With
    a `span` only these bytes of a file that is not compressed count, as if it held no others.
    """

    name: str
    path: Path | None = None
    held: bytes = b""
    span: tuple[int, int] | None = None
    url: str | None = None

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """All of it from the beginning, piece by piece; faults of the file are named."""
        with _named_faults(self.name), self._raw() as raw, _unpacked(raw) as stream:
            before = None if self.path is None else os.fstat(raw.fileno())
            left = None
            if self.span is not None:
                stream.seek(self.span[0])
                left = self.span[1] - self.span[0]
            while chunk := stream.read(size if left is None else min(size, left)):
                left = None if left is None else left - len(chunk)
                yield chunk
            if before is not None:
                after = os.fstat(raw.fileno())
                if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                    message = "changed while it was read. Wait until it is complete"
                    raise InputError.of(self.name, "changed", message)

    def text_chunks(self, size: int = CHUNK, longest: int | None = None) -> Iterator[bytes]:
        """Return the same chunks, or an InputError at the first NUL byte: no line holds one.

        What follows that byte is not read: a file may end in gigabytes of them. Nor is the rest of
        a line without end.
        """
        for chunk in self._bounded(self.chunks(size), self._line_end, longest):
            if b"\0" in chunk:
                raise _binary(replace(self, span=None))
            yield chunk

    def _bounded(
        self, chunks: Iterable[bytes], end: bytes, longest: int | None = None
    ) -> Iterator[bytes]:
        """Return the same chunks, or an InputError once nothing has ended for too long."""
        longest = longest or LONGEST_LINE
        whole = open_ = 0
        for chunk in chunks:
            at = chunk.rfind(end)
            whole += len(chunk)
            open_ = open_ + len(chunk) if at < 0 else len(chunk) - at - len(end)
            if open_ > longest:
                first = whole - open_ + (0 if self.span is None else self.span[0])
                message = f"is longer than {longest >> 20:,} MB, and no line of data is"
                raise InputError.of(self.name, "long-line", message, self._line_of(first))
            yield chunk

    def _line_of(self, first: int) -> int:
        """Return the line of a byte of the whole file."""
        line = 1
        for chunk in replace(self, span=None).chunks():
            line += chunk.count(self._line_end, 0, max(0, first))
            first -= len(chunk)
            if first <= 0:
                break
        return line

    def _line_of_nul(self) -> int:
        """Return the line of the first NUL byte of the whole file, whatever the span."""
        line, whole = 1, replace(self, span=None)
        for chunk in whole.chunks():
            at = chunk.find(b"\0")
            line += chunk.count(whole._line_end, 0, at if at >= 0 else None)
            if at >= 0:
                break
        return line

    def _raw(self) -> IO[bytes]:
        if self.url is not None:
            return open_url(self.url)
        return io.BytesIO(self.held) if self.path is None else self.path.open("rb")

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(self.chunks())

    @cached_property
    def _beginning(self) -> bytes:
        return next(self.chunks(_HEAD), b"")

    @cached_property
    def _line_end(self) -> bytes:
        """A line feed, or a carriage return where there is no line feed at all.

        What follows a NUL byte does not count, nor what follows the longest line.
        """
        if b"\n" in self._beginning:
            return b"\n"
        seen = 0
        for chunk in self.chunks():
            if b"\n" in chunk or b"\0" in chunk:
                return b"\n" if b"\n" in chunk.partition(b"\0")[0] else b"\r"
            seen += len(chunk)
            if seen > LONGEST_LINE:
                break
        return b"\r"

    @property
    def head(self) -> bytes:
        """The first lines, the last of them perhaps not whole."""
        return _without_marks(self._beginning).replace(self._line_end, b"\n")

    @property
    def is_raw(self) -> bool:
        """Whether lines stand in the file as in its `texts`: no mark, and line feeds as ends."""
        return self._line_end == b"\n" and not self._beginning.startswith(BOM)

    def texts(
        self, size: int = CHUNK, end: bytes = b"\n", longest: int | None = None
    ) -> Iterator[bytes]:
        """Pieces of whole lines; only the last of them may lack its end.

        Byte order marks at the beginning are left out. In a file without any line feed a carriage
        return ends a line, as on old Macs, and is turned into one. A NUL byte is refused, but for
        pieces with another `end` than that of a line, which may hold whatever a web page held.
        """
        lines = end == b"\n"
        chunks = self.text_chunks(size, longest) if lines else self._bounded(self.chunks(size), end)
        chunks = _without_first_marks(chunks)
        if self._line_end != b"\n":
            chunks = (chunk.replace(b"\r", b"\n") for chunk in chunks)
        return split_after(chunks, end)


def split_after(chunks: Iterable[bytes], end: bytes) -> Iterator[bytes]:
    """Pieces about as long as the chunks that stop where an `end` does; the last may lack it."""
    rest = bytearray()
    for chunk in chunks:
        seen = len(rest)
        rest += chunk
        # Not what was searched before, but for an end that lies across.
        at = rest.rfind(end, max(0, seen - len(end) + 1))
        if at >= 0:
            stop = at + len(end)
            yield bytes(memoryview(rest)[:stop])
            rest = rest[stop:]
    if rest:
        yield bytes(rest)


def _without_first_marks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield _without_marks(chunk)
        break
    yield from chunks


def _without_marks(text: bytes) -> bytes:
    while text.startswith(BOM):
        text = text.removeprefix(BOM)
    return text


def check_name(path: str | os.PathLike[str]) -> None:
    """Raise an InputError for an empty name, which Python takes for the current folder."""
    if not os.fspath(path):
        message = "a file name is empty. If it comes from a shell variable, set that variable"
        raise InputError.of("", "empty-name", message)


def read_source(path: str | os.PathLike[str]) -> Source:
    """A file, perhaps compressed (told by its first bytes), or what comes by `-` or a pipe."""
    check_name(path)
    name = os.fspath(path)
    if name == "-":
        if sys.stdin is None:
            raise InputError.of("<stdin>", "unreadable", "standard input is closed")
        return _held("<stdin>", sys.stdin.buffer)
    if "\0" in name:
        raise InputError.of(repr(name), "missing", "no file has a NUL byte in its name")
    told = shown_path(name)
    if is_url(name):
        return Source(told, url=name)
    with _named_faults(told), Path(name).open("rb") as file:
        return Source(told, Path(name)) if Path(name).is_file() else _held(told, file)


def _held(name: str, stream: IO[bytes]) -> Source:
    """What can be read only once."""
    held = bytearray(stream.read(_HEAD))
    binary, seen = held.startswith(_BINARY_FORMATS), 0
    while True:
        # Before the rest is waited for, which of a device may never end.
        if not binary and held.find(b"\0", seen) >= 0:
            raise _binary(Source(name, held=bytes(held)))
        seen = len(held)
        held += stream.read(CHUNK)
        if len(held) == seen:
            return Source(name, held=bytes(held))


def _meant(name: str) -> str:
    """The file that may have been meant: packed or not, or with a name much like it."""
    path = Path(name)
    plain = path.with_suffix("") if path.suffix in _PACKED else path
    for other in (plain, *(plain.with_name(plain.name + ending) for ending in _PACKED)):
        if other != path and other.is_file():
            return f", but there is {other}"
    try:
        beside = [each.name for each in path.parent.iterdir() if each.is_file()][:10_000]
    except OSError:
        there = path.parent.is_dir()
        return "" if there else f", nor a folder {path.parent}"
    import difflib

    near = difflib.get_close_matches(path.name, beside, n=1, cutoff=0.75)
    return f", did you mean {path.with_name(near[0])}?" if near else ""


@contextmanager
def _named_faults(name: str) -> Iterator[None]:
    """Whatever goes wrong with a file as an InputError with its name."""
    try:
        yield
    except FileNotFoundError:
        hint = ". For several measures repeat -m: -m P@10 -m AP" if _MEASURE.fullmatch(name) else ""
        raise InputError.of(name, "missing", f"no such file{hint or _meant(name)}") from None
    except IsADirectoryError:
        raise InputError.of(name, "folder", "is a folder, expected a file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        message = f"is damaged: {error}. Copy or download it again"
        raise InputError.of(name, "compression", message) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError.of(name, "unreadable", f"cannot be read: {reason}") from None


@contextmanager
def _unpacked(raw: IO[bytes]) -> Iterator[IO[bytes]]:
    """The content of a file that may be compressed, as its first bytes tell."""
    head = raw.read(4)
    raw.seek(0)
    if head.startswith(_GZIP):
        # Three times as fast as Python's own.
        from isal import igzip, isal_zlib

        try:
            with igzip.open(raw) as stream:
                yield cast(IO[bytes], stream)
        except isal_zlib.error as error:
            raise EOFError(str(error)) from None
    elif head == _ZSTD:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        try:
            with zstd.open(raw, "rb") as stream:
                yield cast(IO[bytes], stream)
        except zstd.ZstdError as error:
            raise EOFError(str(error)) from None
    else:
        yield raw


_ARCHIVES = {
    b"PK\x03\x04": "a zip archive: unpack it with unzip",
    b"BZh": "compressed by bzip2: unpack it with bunzip2",
    b"\xfd7zXZ\0": "compressed by xz: unpack it with unxz",
    b"7z\xbc\xaf": "a 7z archive: unpack it with 7z x",
    b"%PDF-": "a PDF document: give the text file that it was made from",
}
_TAR_MARK = slice(257, 262)
_HTML = re.compile(rb"\s*<(!doctype\s+html|html|head)\b", re.IGNORECASE)
_SEMICOLONS = re.compile(rb"[^\s;]+(;[^\s;]*){2,}\s*(\n|$)")


def foreign_content(head: bytes) -> str | None:
    """Return what a file is that is no run or qrels in any known format, and the remedy.

    >>> foreign_content(b"PK\\x03\\x04")
    'is a zip archive: unpack it with unzip'
    """
    for mark, what in _ARCHIVES.items():
        if head.startswith(mark):
            return f"is {what}"
    if head[_TAR_MARK] == b"ustar":
        return "is a tar archive: unpack it with tar -xf"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf16(head):
        return "is UTF-16 text: convert it with iconv -f UTF-16 -t UTF-8"
    if _HTML.match(head):
        return "is a web page, perhaps the error page of a download: download the file again"
    if _SEMICOLONS.match(_without_marks(head).lstrip()):
        return (
            "has fields separated by semicolons: replace them by tabs, and decimal commas by points"
        )
    return None


def _is_utf16(head: bytes) -> bool:
    """Return whether every other one of the first bytes is NUL, as in Latin letters of UTF-16."""
    first = head[:200]
    return len(first) >= 8 and any(
        not any(first[at::2]) and all(first[1 - at :: 2]) for at in (0, 1)
    )


def check_text(source: Source) -> None:
    """An InputError for what is no text: nothing in it, a NUL byte, or another known content."""
    foreign = foreign_content(source.head)
    if foreign is not None:
        raise InputError.of(source.name, "foreign", foreign)
    # Not `any`, which would end at the first visible line and so miss a NUL byte behind it.
    if not sum(not text.isspace() for text in source.texts()):
        raise InputError.of(source.name, "empty", "is empty")


def _binary(source: Source) -> InputError:
    """Return the error of a file with a NUL byte: what it is, if it is known by its beginning."""
    foreign = foreign_content(source._beginning)
    if foreign is not None:
        return InputError.of(source.name, "foreign", foreign)
    message = "holds a NUL byte: this is no text file"
    return InputError.of(source.name, "binary", message, source._line_of_nul())


def shown_path(path: str | os.PathLike[str]) -> str:
    r"""A file's name as text, bytes of it that are no UTF-8 as \\xNN.

    >>> shown_path("caf\udce9.run")
    'caf\\xe9.run'
    """
    return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def run_name(path: str | os.PathLike[str]) -> str:
    """The name of the run that a file holds: the file's, without packing and one known suffix.

    >>> run_name("runs/bm25.v2.run.gz"), run_name("input.bm25"), run_name("bm25.txt.run")
    ('bm25.v2', 'input.bm25', 'bm25.txt')
    """
    name = shown_path(Path(path).name)
    for suffixes in (_PACKED, _SUFFIXES):
        suffix = Path(name).suffix
        name = name.removesuffix(suffix) if suffix in suffixes else name
    return name


def is_side_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is, by its name, hidden, a backup, unfinished or of the system.

    Such files stand beside runs without being runs: those of editors, downloads and archives.

    >>> [is_side_file(name) for name in ("bm25.bak", "Thumbs.db", ".DS_Store", "bm25.run")]
    [True, True, True, False]
    """
    name = Path(path).name.lower()
    for suffix in _PACKED:
        name = name.removesuffix(suffix)
    return (
        name.startswith((".", "~$", "#"))
        or name in _SYSTEM_NAMES
        or name.endswith(_BACKUP_SUFFIXES)
        or "__MACOSX" in Path(path).parts
    )


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
