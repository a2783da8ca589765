"""Lines of white-space separated fields, from bytes to columns, without a loop over lines.

A regular file (one separator everywhere) goes straight to polars' CSV reader. Anything else is
first made regular, byte by byte in numpy. Only a file that is wrong even then is taken apart line
by line, vectorised still, so that its faults can be named.
"""

import gzip
import os
import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from leadline.formats.problems import InputError

Schema = dict[str, type[pl.DataType]]

BOM = b"\xef\xbb\xbf"
"""A byte order mark, which may stand at the beginning of a file and means nothing."""

_PIECE = 1 << 17
_CACHED = 1 << 18
_HEAD = 1 << 16
_SUFFIXES = (".gz", ".zst", ".run", ".txt")
_MEASURE = re.compile(r"AP|RR|P@[0-9]+|(nDCG|ERR|Recall|RR|AP)@[0-9]+|(RBP|nDCG)\(.*\)(@[0-9]+)?")
_VISIBLE = re.compile(rb"[^\s\xef\xbb\xbf]")
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


def scan(source: Source, schema: Schema, wanted: list[pl.Expr]) -> pl.DataFrame | None:
    """The wanted columns, or None if some line is faulty even with its white space made regular.

    Blank lines and comments are left out.
    """
    frame = _scan(source, schema, wanted)
    if frame is not None or any(b"\0" in chunk for chunk in source.chunks()):
        return frame
    pieces = list(regular_pieces(source))
    if any(piece.startswith(BOM) for piece in pieces):
        # polars would drop it from every piece that begins with one.
        pieces = [b"".join(pieces)]
    frame = read_regular(pieces, b" ", schema, wanted)
    count = sum(_separators(Source("", held=piece), b" ") for piece in pieces)
    return frame if frame is not None and count == len(frame) * (len(schema) - 1) else None


def _scan(source: Source, schema: Schema, wanted: list[pl.Expr]) -> pl.DataFrame | None:
    head = next(source.chunks(_HEAD), b"")
    if _irregular(head):
        return None
    separator = b"\t" if b"\t" in head and b" " not in head else b" "
    comment = pl.col(next(iter(schema))).str.starts_with("#").alias("_comment")
    frame = read_regular(source.path or source.held, separator, schema, [*wanted, comment])
    if frame is not None and frame.drop_in_place("_comment").any():
        return None
    # Every line has its last field, so with this many separators in all, and never two in a row,
    # no line can have a field too many or an empty one: cheaper than looking at every column.
    if frame is None or _separators(source, separator) != len(frame) * (len(schema) - 1):
        return None
    return frame


def _irregular(head: bytes) -> bool:
    """Whether the first lines show that a first try would be in vain."""
    return b"  " in head or head[:3] == BOM


def read_regular(
    where: Path | bytes | list[bytes],
    separator: bytes,
    schema: Schema,
    wanted: list[pl.Expr],
) -> pl.DataFrame | None:
    """The lines that hold something; None if one lacks its last field, or there is none."""
    first, last = pl.col(next(iter(schema))), pl.col(list(schema)[-1])
    try:
        frame = (
            pl.scan_csv(
                where,
                has_header=False,
                separator=separator.decode(),
                quote_char=None,
                schema=schema,
            )
            .select(*wanted, _blank=first.is_null(), _short=last.is_null())
            .collect(engine="streaming")
        )
    except pl.exceptions.PolarsError:
        return None
    if (frame["_blank"] != frame["_short"]).any():
        return None
    if frame["_blank"].any():
        frame = frame.filter(~pl.col("_blank"))
    return None if frame.is_empty() else frame.drop("_blank", "_short")


def is_regular(text: bytes, n_blanks: int) -> bool:
    r"""Whether there are so many blanks and line ends, never two in a row, and a last line end.

    >>> is_regular(b"1 a\n2 b\n", 4), is_regular(b"1 a\n2  b\n", 5), is_regular(b"1 a\n2 b", 3)
    (True, False, False)
    """
    if not text.endswith(b"\n") or text[0] <= 32:
        return False
    whole = np.frombuffer(text, np.uint8)
    blank, twice = np.empty(_CACHED + 1, np.bool_), np.empty(_CACHED, np.bool_)
    count = 0
    # By stretches that stay in the cache, each with the first byte of the next.
    for first in range(0, len(whole), _CACHED):
        part = whole[first : first + _CACHED + 1]
        n = min(len(part), _CACHED)
        np.less_equal(part, 32, out=blank[: len(part)])
        np.logical_and(blank[1 : len(part)], blank[: len(part) - 1], out=twice[: len(part) - 1])
        if twice[: len(part) - 1].any():
            return False
        count += int(np.count_nonzero(blank[:n]))
    return count == n_blanks


def _separators(source: Source, separator: bytes) -> int:
    """How often the byte occurs; -1 if it occurs twice in a row, or if there is other white space.

    A carriage return may stand at the end of every line, or nowhere.
    """
    total, before, blanks, ends = 0, False, 0, 0
    for chunk in source.chunks(_CACHED):
        buffer = np.frombuffer(chunk, np.uint8)
        hit = buffer == separator[0]
        if (hit[1:] & hit[:-1]).any() or (before and hit[0]):
            return -1
        total += int(np.count_nonzero(hit))
        before = bool(hit[-1])
        blanks += int(np.count_nonzero(buffer <= 32))
        ends += int(np.count_nonzero(buffer == 10))
    if blanks == total + ends:
        return total
    returns = sum(chunk.count(b"\r") for chunk in source.chunks())
    return total if blanks == total + ends + returns and returns == ends else -1


def lines(data: bytes) -> pl.DataFrame:
    """Columns line, text, field (a list), n_fields of every line that holds something.

    `data` must be regular. Bytes that are not UTF-8 come as U+FFFD.
    """
    text = pl.Series("text", data.decode("utf-8", "replace").split("\n"), dtype=pl.String)
    return (
        pl.DataFrame({"line": np.arange(1, len(text) + 1), "text": text})
        .filter(pl.col("text") != "")
        .with_columns(field=pl.col("text").str.split(" "))
        .with_columns(n_fields=pl.col("field").list.len())
    )
