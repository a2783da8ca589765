"""Plain qrels and a plain run, with which other ways to give the same are compared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import leadline
from tests.cli.program import Result, call

QRELS = [
    "1 0 d1 2",
    "1 0 d2 0",
    "1 0 d3 1",
    "1 0 d4 0",
    "2 0 d1 0",
    "2 0 d5 1",
    "10 0 d6 3",
]


RUN = [
    "1 Q0 d3 1 9.5 tag",
    "1 Q0 d7 2 9.25 tag",
    "1 Q0 d1 3 4 tag",
    "1 Q0 d2 4 -1.5e-1 tag",
    "2 Q0 d1 1 7.5 tag",
    "2 Q0 d5 2 7.25 tag",
    "10 Q0 d8 1 0.5 tag",
    "10 Q0 d6 2 0.25 tag",
]


MEASURES = ["P@2", "AP", "nDCG@3", "RBP(p=0.8)", "ERR@3", "RR", "Recall@3", "NumRet", "NumRel"]


Rows = list[tuple[Any, ...]]


def text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def rows(frame: pl.DataFrame) -> Rows:
    """All there is but the run's name, sorted."""
    return sorted(frame.drop("run").rows(), key=repr)


def scores(qrels: object, run: object, **options: Any) -> Rows:
    return rows(leadline.evaluate(qrels, run, MEASURES, per_topic=True, **options))


def one(qrels: list[str], run: list[str], measure: str, folder: Path, **options: Any) -> Any:
    """The row `all` of one measure."""
    (folder / "q").write_bytes(text(qrels))
    (folder / "r").write_bytes(text(run))
    frame = leadline.evaluate(folder / "q", folder / "r", measure, **options)
    return frame.row(0, named=True)


def cli(*arguments: object, stdin: bytes = b"", program: Callable[..., Result] = call) -> Result:
    result = program("evaluate", *arguments, stdin=stdin)
    assert result.code == 0, result.err
    return result


def nested(lines: list[str], column: int, number: type) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for line in lines:
        fields = line.split()
        made.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return made


QRELS_DICT = nested(QRELS, 3, int)


RUN_DICT = nested(RUN, 4, float)
