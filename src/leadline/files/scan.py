"""Columns of a file's lines by polars, and its lines one by one where some are faulty.

A regular file (one separator everywhere) goes straight to the CSV reader. Anything else is first
made regular. Only a file that is wrong even then is taken apart line by line, vectorised still, so
that its faults can be named.
"""

from pathlib import Path

import numpy as np
import polars as pl

from leadline.files.source import BOM, Source, regular_pieces

Schema = dict[str, type[pl.DataType]]

_CACHED = 1 << 18
_HEAD = 1 << 16


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
