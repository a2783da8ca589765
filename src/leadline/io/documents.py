"""Documents as tables, piece by piece: JSON lines, TREC text, a folder of files, any object.

Every piece is a frame with the columns id, title and text, so that a collection of any size is read
with the memory of one piece.
"""

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from leadline.io.datasets import is_id, load_id
from leadline.io.formats import FileFormat, format_of, formats
from leadline.io.json_table import loaded
from leadline.io.problems import InputError
from leadline.io.source import Source, read_source

SCHEMA = {"id": pl.String, "title": pl.String, "text": pl.String}
IDS = ("id", "docno", "doc_id", "docid", "_id", "doc")
TITLES = ("title", "headline")
TEXTS = ("text", "contents", "body", "content", "abstract")
_KEYS = (IDS, TITLES, TEXTS)
_ALL_KEYS = (*IDS, *TITLES, *TEXTS)
_KEY = re.compile(rb'"(?:%b)"\s*:\s*("?)' % "|".join(_ALL_KEYS).encode())
NAMES = ("docs.jsonl", "docs", "docs.trec", "docs.txt", "corpus.jsonl", "documents.jsonl")
"""What a collection folder may call its documents; `docs` may be a folder."""

MANY = 1000
"""Small files read together."""

_DOC = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_DOCNO = re.compile(r"<DOCNO>\s*(.*?)\s*</DOCNO>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<(TITLE|HEADLINE|TI)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_ASIDE = re.compile(r"<(DOCNO|DOCID|DOCHDR|DOCOLDNO)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN = re.compile(r"<DOC>", re.IGNORECASE)
_TAG = re.compile(r"<[/!A-Za-z][^>]*>")


class DocumentSource(ABC):
    """Where documents come from, and the name by which messages call it."""

    name: str

    @abstractmethod
    def tables(self) -> Iterator[pl.DataFrame]:
        """All documents, as frames with the columns id, title and text."""

    def find(self, wanted: Iterable[str]) -> pl.DataFrame:
        """Columns id and text, title included, of the wanted documents that there are."""
        names = pl.Series("id", list(wanted), dtype=pl.String)
        found = [table.filter(pl.col("id").is_in(names.implode())) for table in self.tables()]
        table = pl.concat(found) if found else pl.DataFrame(schema=SCHEMA)
        twice = table.filter(pl.col("id").is_duplicated())
        if len(twice):
            message = f"holds the document {twice['id'][0]} twice"
            raise InputError.of(self.name, "duplicate", message)
        return with_title(table)

    def mark(self) -> str:
        """A text that changes when the documents do; empty if nobody can tell."""
        return ""

    @property
    def whole(self) -> bool:
        """Whether all documents can be gone through, not only looked up."""
        return True


def with_title(table: pl.DataFrame) -> pl.DataFrame:
    """Columns id and text, the title before the text."""
    both = pl.concat_str("title", "text", separator=" ", ignore_nulls=True)
    return table.select("id", text=both)


@dataclass(frozen=True)
class DocumentFiles(DocumentSource):
    """Files of documents: those that begin like JSON lines or TREC text hold many, others one."""

    name: str
    paths: tuple[Path, ...]
    piped: Source | None = None
    """The content of the one file, if it can be read only once."""

    def tables(self) -> Iterator[pl.DataFrame]:
        single: list[tuple[str, str | None, str]] = []
        for path in self.paths:
            source = self.piped or Source(str(path), path)
            known = format_of(source, "documents")
            if known is not None:
                yield from known.read_documents(source)
            elif len(self.paths) == 1 and not source.head.strip():
                raise InputError.of(str(path), "empty", "is empty")
            elif len(self.paths) == 1:
                message = (
                    'holds no documents: expected JSON lines {"id": ..., "text": ...} or <DOC>'
                )
                raise InputError.of(str(path), "document", message)
            else:
                single.append((_stem(path), None, source.data.decode("utf-8", "replace")))
            if len(single) == MANY:
                yield pl.DataFrame(single, schema=SCHEMA, orient="row")
                single = []
        if single:
            yield pl.DataFrame(single, schema=SCHEMA, orient="row")

    def mark(self) -> str:
        if self.piped is not None:
            return ""
        stats = [path.stat() for path in self.paths]
        times = [stat.st_mtime_ns for stat in stats]
        return f"{len(stats)} files, {sum(s.st_size for s in stats)} bytes, {max(times)}"


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".gz", ".zst", ".txt", ".html", ".htm", ".md"):
        name = name.removesuffix(ending) or name
    return name


def _json_lines(source: Source) -> Iterator[pl.DataFrame]:
    line = 1
    for piece in source.texts():
        yield _json_table(source.name, piece, line)
        line += piece.count(b"\n")


@formats.register
@dataclass(frozen=True)
class DocumentsJson(FileFormat):
    """Documents as JSON lines, such as BEIR's corpus.jsonl.

    Formula: {"id": "FT911-3", "title": "...", "text": "..."}
    """

    def looks_like(self, source: Source) -> bool:
        return source.head.lstrip()[:1] == b"{"

    def read_documents(self, source: Source) -> Iterator[pl.DataFrame]:
        return _json_lines(source)


@formats.register
@dataclass(frozen=True)
class DocumentsTrec(FileFormat):
    """Documents in the SGML format of TREC collections.

    Formula: <DOC> <DOCNO> FT911-3 </DOCNO> ... </DOC>
    """

    def looks_like(self, source: Source) -> bool:
        return source.head.lstrip()[:5].upper() == b"<DOC>"

    def read_documents(self, source: Source) -> Iterator[pl.DataFrame]:
        return _trec(source)


def _json_table(name: str, piece: bytes, line: int) -> pl.DataFrame:
    try:
        table = pl.read_ndjson(piece, schema=dict.fromkeys(_ALL_KEYS, pl.String))
    except pl.exceptions.PolarsError:
        return _json_slowly(name, piece, line)
    if not _is_plain(piece, table):
        return _json_slowly(name, piece, line)
    return table.select(
        id=pl.coalesce(IDS), title=pl.coalesce(TITLES), text=pl.coalesce(*TEXTS, pl.lit(""))
    )


def _is_plain(piece: bytes, table: pl.DataFrame) -> bool:
    """Whether polars can be believed: every key once a line, a text behind it, and ids.

    It takes the first of two values for one key, a half letter for NUL and lists for text.
    """
    if b"\\ud" in piece.lower():
        return False
    values = _KEY.findall(piece)
    n_cells = sum(len(table) - n for n in table.null_count().row(0))
    ids = table.select(pl.coalesce(IDS).str.strip_chars()).to_series()
    return all(values) and len(values) == n_cells and bool((ids.fill_null("") != "").all())


def _json_slowly(name: str, piece: bytes, line: int) -> pl.DataFrame:
    """The same line by line, for what polars does not take and to name a faulty line."""
    rows = []
    for number, text in enumerate(piece.split(b"\n"), line):
        if not text.strip():
            continue
        row = loaded(name, text, number, _ALL_KEYS)
        values = [_first(row, names) for names in _KEYS] if isinstance(row, dict) else [None]
        if type(values[0]) not in (str, int) or not str(values[0]).strip():
            told = text[:60].decode("utf-8", "replace")
            message = f'expected an object with "id", "title" and "text": {told}'
            raise InputError.of(name, "document", message, number) from None
        rows.append((str(values[0]), _text(values[1]), _text(values[2]) or ""))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _first(row: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _trec(source: Source) -> Iterator[pl.DataFrame]:
    for piece in source.texts(end=b"</DOC>"):
        rows = []
        text = piece.decode("utf-8", "replace")
        for doc in _DOC.findall(text):
            number = _DOCNO.search(doc)
            if number is None or not number[1]:
                message = f"a <DOC> has no <DOCNO>: {doc.strip()[:60]}"
                raise InputError.of(source.name, "document", message)
            title = _TITLE.search(doc)
            body = _TAG.sub(" ", _ASIDE.sub(" ", doc if title is None else _TITLE.sub("", doc)))
            told = None if title is None else _TAG.sub(" ", title[2]).strip()
            rows.append((number[1], told, body.strip()))
        outside = _DOC.sub("", text).strip()
        if outside and (not rows or _OPEN.search(outside)):
            message = f"holds text outside <DOC>...</DOC>: {outside[:60]}"
            raise InputError.of(source.name, "document", message)
        yield pl.DataFrame(rows, schema=SCHEMA, orient="row")


@dataclass(frozen=True, eq=False)
class DocumentLookup(DocumentSource):
    """Documents from an object: a mapping, an ir_datasets dataset or docstore, or a function."""

    what: Any
    name: str = "docs"

    @property
    def whole(self) -> bool:
        return isinstance(self.what, Mapping) or hasattr(self.what, "docs_iter")

    def tables(self) -> Iterator[pl.DataFrame]:
        if isinstance(self.what, Mapping):
            pairs = ((str(name), _told(value)) for name, value in self.what.items())
        elif hasattr(self.what, "docs_iter"):
            pairs = ((str(doc.doc_id), _told(doc)) for doc in self.what.docs_iter())
        else:
            message = "cannot be gone through, only looked up: name a file of statistics"
            raise InputError.of(self.name, "statistics", message)
        rows: list[tuple[str, str | None, str]] = []
        for name, text in pairs:
            rows.append((name, None, text or ""))
            if len(rows) == MANY:
                yield pl.DataFrame(rows, schema=SCHEMA, orient="row")
                rows = []
        yield pl.DataFrame(rows, schema=SCHEMA, orient="row")

    def find(self, wanted: Iterable[str]) -> pl.DataFrame:
        ask = self._asker()
        found = [(name, ask(name)) for name in dict.fromkeys(wanted)]
        known = [(name, text) for name, text in found if text is not None]
        return pl.DataFrame(known, schema={"id": pl.String, "text": pl.String}, orient="row")

    def _asker(self) -> Any:
        what = self.what
        store = what.docs_store() if hasattr(what, "docs_store") else what
        get = store if callable(store) and not hasattr(store, "get") else store.get

        def ask(name: str) -> str | None:
            try:
                return _told(get(name))
            except (KeyError, LookupError):
                return None

        return ask


def _told(value: Any) -> str | None:
    """The text of whatever an object gives for a document."""
    if value is None or isinstance(value, str):
        return value
    if hasattr(value, "default_text"):
        return str(value.default_text())
    fields = value if isinstance(value, Mapping) else _Fields(value)
    parts = [next((fields[n] for n in names if fields.get(n)), None) for names in (TITLES, TEXTS)]
    return " ".join(str(part) for part in parts if part is not None)


class _Fields(dict[str, Any]):
    """An object's fields as a mapping."""

    def __init__(self, what: Any) -> None:
        super().__init__({name: getattr(what, name, None) for name in (*TITLES, *TEXTS)})


def documents_from(what: Any) -> DocumentSource:
    """Documents from a file, a folder of files, a collection folder, or an object."""
    if isinstance(what, DocumentSource):
        return what
    if not isinstance(what, str | os.PathLike):
        usable = isinstance(what, Mapping) or callable(what)
        if not usable and not any(hasattr(what, name) for name in ("get", "docs_store")):
            message = f"documents must be a path or an object that gives text for an id: {what!r}"
            raise InputError.of("docs", "documents", message[:200])
        return DocumentLookup(what)
    if is_id(what):
        return DocumentLookup(load_id(what, "docs"))
    path = Path(what)
    if not path.exists():
        raise InputError.of(str(path), "missing", "no such file or folder")
    if path.is_dir():
        inside = documents_in(path)
        if inside is not None:
            return inside
        files = sorted(each for each in path.rglob("*") if _is_document_file(each))
        if not files:
            raise InputError.of(str(path), "documents", "is a folder without documents")
        return DocumentFiles(str(path), tuple(files))
    piped = None if path.is_file() else read_source(path)
    return DocumentFiles(str(path), (path,), piped)


def documents_in(folder: Path) -> DocumentSource | None:
    """The documents of a collection folder; None if it has none."""
    for name in NAMES:
        for ending in ("", ".gz", ".zst"):
            path = folder / (name + ending)
            if path.is_file() or (path.is_dir() and name == "docs"):
                return documents_from(path)
    return None


def missing_documents(names: pl.Series, source: DocumentSource) -> pl.Series:
    """Return those of the names that no document has, sorted; reads until all are found.

    >>> missing_documents(pl.Series(["a", "b"]), DocumentLookup({"a": "text"})).to_list()
    ['b']
    """
    left = names.unique()
    if not source.whole:
        return left.filter(~left.is_in(source.find(left)["id"].implode())).sort()
    for piece in source.tables():
        left = left.filter(~left.is_in(piece["id"].implode()))
        if left.is_empty():
            break
    return left.sort()


def _is_document_file(path: Path) -> bool:
    return path.is_file() and not path.name.startswith((".", "README"))
