"""What MTEB writes of a retrieval task: the rankings of a model; its scores are no rankings."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from leadline.files.problems import InputError
from leadline.files.source import Source, check_text
from leadline.formats.format import formats
from leadline.formats.frames import from_nested
from leadline.formats.json_table import RanxJson, loaded

META = "mteb_model_meta"


@formats.register
@dataclass(frozen=True)
class MtebPredictions(RanxJson):
    """A run as MTEB saves predictions: by subset and split of the task, of which there is one.

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
