"""Runs and qrels as JSON: nested objects, an object a line, MTEB's rankings."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from leadline.io.formats import TableFormat, formats, is_trec
from leadline.io.problems import InputError
from leadline.io.source import Source, check_text
from leadline.io.tabular import from_nested, from_records


def json_objects(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object on every line that is not blank, and the line's number."""
    check_text(source)
    first = 1
    for text in source.texts():
        for number, line in enumerate(text.split(b"\n"), first):
            if line.strip():
                value = loaded(source.name, line, number)
                if not isinstance(value, dict):
                    shown = line[:60].decode("utf-8", "replace")
                    message = f"expected an object {{...}} on every line, found {shown}"
                    raise InputError.of(source.name, "format", message, number)
                yield number, value
        first += text.count(b"\n")


def loaded(name: str, data: bytes, line: int = 1, keys: Collection[str] | None = None) -> Any:
    """What a JSON text says; an InputError with its line if it is none or has a key twice.

    Where `keys` are named only these count: nobody looks at others.
    """

    def once(items: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(items)
        if len(made) < len(items):
            names = [key for key, _ in items if keys is None or key in keys]
            for twice in (key for key in names if names.count(key) > 1):
                raise InputError.of(name, "duplicate", f"has {twice!r} twice in one object", line)
        return made

    try:
        # Decoded here, because json lets halves of letters pass.
        value = json.loads(data.decode(), object_pairs_hook=once)
        if b"\\ud" in data.lower():
            # Half of a letter in two parts is no text, and no table would take it.
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        at = line + error.lineno - 1
        raise InputError.of(name, "format", f"is no JSON: {error.msg}", at) from None
    except UnicodeEncodeError:
        message = "holds \\uD800 to \\uDFFF without the other half of the letter. Write it whole"
        raise InputError.of(name, "encoding", message, line) from None
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        raise InputError.of(name, "encoding", "is not UTF-8 text. Convert it", at) from None
    except RecursionError:
        raise InputError.of(name, "format", "is nested too deep to be read", line) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError.of(name, "format", f"cannot be read: {error}", line) from None


def has_lines(source: Source) -> bool:
    """Whether it begins with a line that is an object of plain values, or with two objects."""
    lines = [line for line in source.head.split(b"\n") if line.strip()][:2]
    if not lines or not lines[0].lstrip().startswith(b"{"):
        return False
    try:
        first = json.loads(lines[0])
    except (ValueError, RecursionError):
        return False
    nested = all(isinstance(value, dict | list) for value in first.values())
    return not nested or (len(lines) > 1 and lines[1].lstrip().startswith(b"{"))


@formats.register
@dataclass(frozen=True)
class JsonLines(TableFormat):
    """Runs or qrels with an object on each line, or in one list.

    Formula: {"query_id": "401", "doc_id": "FT911-3", "score": 12.1}
    """

    def looks_like(self, source: Source) -> bool:
        listed = source.head.lstrip()[:1] == b"[" and source.head.lstrip()[1:].lstrip()[:1] in b"{]"
        return (listed or has_lines(source)) and not is_trec(source)

    def table(self, source: Source) -> pl.DataFrame:
        if source.head.lstrip()[:1] == b"[":
            check_text(source)
            return from_records(loaded(source.name, b"".join(source.texts())), source.name)
        numbered = list(json_objects(source))
        if numbered and not any(row for _, row in numbered):
            raise InputError.of(source.name, "format", "has objects without any field", 1)
        table = from_records([row for _, row in numbered], source.name)
        return table.with_columns(line=pl.Series([line for line, _ in numbered], dtype=pl.Int64))


@formats.register
@dataclass(frozen=True)
class RanxJson(TableFormat):
    """Runs or qrels as nested JSON objects, as ranx writes them; a list of docs is a ranking.

    Formula: {"401": {"FT911-3": 12.1}}
    """

    def looks_like(self, source: Source) -> bool:
        begins = source.head.lstrip()
        inside = begins[1:].lstrip()[:1]
        is_object = begins[:1] == b"{" and inside in (b'"', b"}", b"")
        return is_object and not has_lines(source) and not is_trec(source)

    def table(self, source: Source) -> pl.DataFrame:
        check_text(source)
        return from_nested(loaded(source.name, b"".join(source.texts())), source.name)


META = "mteb_model_meta"


@formats.register
@dataclass(frozen=True)
class MtebPredictions(RanxJson):
    """Predictions saved by MTEB, with one subset and split.

    Formula: {"mteb_model_meta": {...}, "default": {"test": {"401": {"FT911-3": 12.1}}}}
    """

    def looks_like(self, source: Source) -> bool:
        begins = source.head.lstrip()
        named = b'"%b"' % META.encode() in begins[:2000]
        return begins[:1] == b"{" and (named or _is_score_file(begins))

    def table(self, source: Source) -> pl.DataFrame:
        check_text(source)
        if _is_score_file(source.head.lstrip()):
            message = "holds MTEB's scores of a task, and no ranking: give the predictions that "
            raise InputError.of(source.name, "format", message + "MTEB saves if asked to")
        found = loaded(source.name, b"".join(source.texts()))
        found.pop(META, None)
        for level in ("subset", "split"):
            found = _only(found, level, source.name)
        return from_nested(found, source.name)


def _is_score_file(begins: bytes) -> bool:
    return begins[:1] == b"{" and b'"task_name"' in begins and b'"scores"' in begins


def _only(found: Any, level: str, name: str) -> Any:
    """The one part that there is; an InputError if there are several, or none."""
    if not isinstance(found, dict) or len(found) != 1:
        have = ", ".join(found) if isinstance(found, dict) else repr(found)[:60]
        message = f"expected one {level} of the task, found {have}. Keep one of them"
        raise InputError.of(name, "format", message)
    return next(iter(found.values()))
