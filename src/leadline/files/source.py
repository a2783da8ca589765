"""Files of lines: their bytes, plain or unpacked, and the same lines with their blanks made one."""

import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadline.files.problems import InputError

BOM = b"\xef\xbb\xbf"
"""A byte order mark, which may stand at the beginning of a file and means nothing."""

_PIECE = 1 << 17
_SUFFIXES = (".gz", ".zst", ".run", ".txt")
_MEASURE = re.compile(r"AP|RR|P@[0-9]+|(nDCG|ERR|Recall|RR|AP)@[0-9]+|(RBP|nDCG)\(.*\)(@[0-9]+)?")
_VISIBLE = re.compile(rb"[^\s\xef\xbb\xbf]")
_HEAD = 1 << 13
_SIGNS = (b"  ", b"\t", b"\r", b"\n#", b"\n ", b" \n", b"\n\n", BOM)
_ENDS = re.compile(rb"\n+")
_COMMENT = re.compile(rb"(?m)^#.*$")


@dataclass(frozen=True)
class Source:
    """A file's content, decompressed, and the name by which messages call it.

    A plain file stays on disk (`path`); what was compressed or came by a pipe is `held`.
    """

    name: str
    path: Path | None = None
    held: bytes = b""

    @property
    def data(self) -> bytes:
        """All of it."""
        return self.held if self.path is None else self.path.read_bytes()

    def chunks(self, size: int = 1 << 20) -> Iterator[bytes]:
        """All of it, piece by piece, so that a large file is never in memory as a whole."""
        if self.path is None:
            yield from (self.held[at : at + size] for at in range(0, len(self.held), size))
            return
        with self.path.open("rb") as file:
            while piece := file.read(size):
                yield piece

    @property
    def size(self) -> int:
        """Bytes of all of it."""
        return len(self.held) if self.path is None else self.path.stat().st_size

    def part(self, start: int, stop: int) -> bytes:
        """The bytes from one place to another."""
        if self.path is None:
            return self.held[start:stop]
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(stop - start)

    @property
    def run_name(self) -> str:
        """The name of the run that this file holds: the file's name without its endings."""
        name = Path(self.name).name
        while (stem := name.removesuffix(Path(name).suffix)) and Path(name).suffix in _SUFFIXES:
            name = stem
        return name


def read_source(path: str | os.PathLike[str]) -> Source:
    """The content of a file, of a compressed file (told by its first bytes), or of `-`."""
    name = os.fspath(path)
    if name == "-":
        return Source("<stdin>", held=_decompress("<stdin>", sys.stdin.buffer.read()))
    try:
        with Path(name).open("rb") as file:
            head = file.read(4)
            if Path(name).is_file() and not _packed(head):
                return Source(name, Path(name))
            return Source(name, held=_decompress(name, head + file.read()))
    except FileNotFoundError:
        hint = ". For several measures repeat -m: -m P@10 -m AP" if _MEASURE.fullmatch(name) else ""
        raise InputError.of(name, "missing", f"no such file{hint}") from None
    except IsADirectoryError:
        raise InputError.of(name, "folder", "is a folder, expected a file") from None
    except OSError as error:
        raise InputError.of(name, "unreadable", f"cannot be read: {error.strerror}") from None


def _packed(head: bytes) -> bool:
    return head[:2] == b"\x1f\x8b" or head == b"\x28\xb5\x2f\xfd"


def _decompress(name: str, data: bytes) -> bytes:
    try:
        if data[:2] == b"\x1f\x8b":
            return gzip.decompress(data)
        if _packed(data[:4]):
            return _zstd(data)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        message = f"is damaged: {error}. Copy or download it again"
        raise InputError.of(name, "compression", message) from None
    return data


def _zstd(data: bytes) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    try:
        content: bytes = zstd.decompress(data)
    except zstd.ZstdError as error:
        raise ValueError(str(error)) from None
    return content


def check_text(source: Source) -> None:
    """An InputError for what is no text: nothing in it, or a NUL byte."""
    data = source.data
    if _VISIBLE.search(data) is None:
        raise InputError.of(source.name, "empty", "is empty")
    at = data.find(b"\0")
    if at >= 0:
        line = data.count(b"\n", 0, at) + 1
        message = "holds a NUL byte: this is no text file"
        raise InputError.of(source.name, "binary", message, line)


def regular(data: bytes) -> bytes:
    """The same lines with one space between fields and none around them; comments emptied.

    Line numbers stay as they were.

    >>> regular(b"\\xef\\xbb\\xbf401  Q0\\tFT911-3 \\r\\n# note\\n  402 Q0 x\\n")
    b'401 Q0 FT911-3\\n\\n402 Q0 x\\n'
    """
    return b"".join(regular_pieces(Source("", held=data)))


def regular_pieces(source: Source) -> Iterator[bytes]:
    """The content made regular, in pieces of whole lines."""
    return map(_regular, _whole_lines(source))


def _whole_lines(source: Source) -> Iterator[bytes]:
    """Pieces that end where a line does; lines may end as on an old Mac, throughout."""
    rest = b""
    for number, chunk in enumerate(source.chunks(_PIECE)):
        if number == 0:
            chunk = chunk.removeprefix(BOM)
            old_mac = b"\n" not in chunk and b"\r" in chunk
        chunk = chunk.replace(b"\r", b"\n") if old_mac else chunk
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end] if rest else chunk[:end]
            rest = chunk[end:]
        else:
            rest += chunk
    if rest:
        yield rest


def _regular(piece: bytes) -> bytes:
    """Of every stretch of blanks the last one stays, if a word follows; all line ends stay."""
    chunk = np.frombuffer(piece, np.uint8)
    word, end = chunk > 32, chunk == 10
    keep = word | end
    keep[:-1] |= word[1:]
    if int(np.count_nonzero(chunk < 32)) != int(np.count_nonzero(end)):
        chunk = np.where(word | end, chunk, np.uint8(32))
    # What is not kept becomes a byte that nothing else has, and is taken out: faster than a mask.
    made = (chunk * keep).tobytes().translate(None, b"\0")
    kept = np.frombuffer(made, np.uint8)
    if made[:1] == b" " or ((kept[1:] == 32) & (kept[:-1] == 10)).any():
        made = (b"\n" + made).replace(b"\n ", b"\n")[1:]
    return _COMMENT.sub(b"", made) if b"#" in made else made


def is_plain(source: Source) -> bool:
    """Whether the first lines have one blank between fields and nothing else about them."""
    head = b"\n" + source.part(0, _HEAD)
    return not any(sign in head for sign in _SIGNS)


def plain_text(text: bytes, plain: bool) -> bytes:
    """Lines with one blank between fields, none of them empty, the last one with an end.

    They are made so unless they are already, as `plain` says. Nothing comes of what holds a NUL
    byte, which would be taken for a blank.
    """
    if not plain:
        if b"\0" in text:
            return b""
        text = regular(text).lstrip(b"\n")
        text = _ENDS.sub(b"\n", text) if b"\n\n" in text else text
    return text if text.endswith(b"\n") or not text else text + b"\n"
