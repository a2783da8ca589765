"""What an HTML page shows: cells of its tables, its other text, and the data embedded in it."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
_UNSEEN = re.compile(r"<(script|style|svg|head)\b.*?</\1>", re.DOTALL)
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_CELL = re.compile(r"<t[hd]\b([^>]*)>(.*?)(?=<t[hdr]\b|</?tbody|</?thead|</table|\Z)", re.DOTALL)
_BLOCK = re.compile(r"</?(p|h\d|div|section|li|dt|dd|pre|figcaption|summary|option|a|nav)\b[^>]*>")


def page_rows(text: str) -> Iterator[tuple[str, str, str]]:
    """(table, row and column, cell), (text, the text, nothing), (data, place, value)."""
    seen = _UNSEEN.sub("", text)
    for number, table in enumerate(_TABLE.findall(seen)):
        yield from _cells(table, f"table {number}")
    for line in _BLOCK.sub("\n", _TABLE.sub("\n", seen)).splitlines():
        if words := _words(line):
            yield "text", words, ""
    for script in _SCRIPT.findall(text):
        for place, value in leaves(_embedded(script)):
            yield "data", place, value


def leaves(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every number and text in a JSON value, with the way to it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{place}.{name}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{place}[{at}]")
    elif value is not None:
        yield place, str(value)


def _cells(table: str, name: str) -> Iterator[tuple[str, str, str]]:
    caption = re.search(r"<caption[^>]*>(.*?)</caption>", table, re.DOTALL)
    part = f"table: {_words(caption[1])}" if caption else name
    rows = [
        [_cell(*found.groups()) for found in _CELL.finditer(f"<tr{row}")]
        for row in re.split(r"<tr\b", table)[1:]
    ]
    head = rows[0] if rows else []
    for row in rows[1:]:
        for column, cell in zip(head[1:], row[1:], strict=False):
            yield part, f"{row[0]} | {column}", cell


def _cell(attributes: str, inner: str) -> str:
    """What the page hands out as csv, where it says so; else what one sees."""
    exact = re.search(r'data-csv="([^"]*)"', attributes)
    return unescape(exact[1]) if exact else _words(inner)


def _words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def _embedded(script: str) -> Any:
    """The JSON value of a script that is compressed data, not a programme."""
    if not re.fullmatch(r"\s*[A-Za-z0-9+/=]+\s*", script):
        return None
    return json.loads(gzip.decompress(base64.b64decode(script)))
