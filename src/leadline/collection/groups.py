"""The table of groups: who made a run, of which type and family it is, whether it was pooled."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from leadline.files.problems import InputError, Notices
from leadline.files.source import read_source, run_name
from leadline.formats.csv_table import read_table

SCHEMA = {
    "run": pl.String,
    "group": pl.String,
    "type": pl.String,
    "pooled": pl.Boolean,
    "family": pl.String,
}
_WORDS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}


@dataclass(frozen=True)
class _RunGroup:
    """What a line says of a run."""

    group: str
    type: str | None
    pooled: bool | None
    family: str | None = None


def read_groups(path: Path | None, runs: Sequence[str], notices: Notices) -> pl.DataFrame:
    """Columns run, group, type, pooled, family from groups.tsv; without it a run is its own group.

    A family are runs built on the same model, told where the table has a column of that name.
    The table calls a run by its name or by its file's. Where it marks runs as pooled, one that it
    does not name was not.
    """
    if path is None or not path.is_file():
        return pl.DataFrame(
            [(run, run, None, None, None) for run in runs], schema=SCHEMA, orient="row"
        )
    known = _groups(path)
    marked = any(group.pooled for group in known.values())
    rows = []
    for run in runs:
        told = known.get(run)
        if told is None:
            also = ", which counts as not pooled" if marked else ""
            message = f"does not name the group of {run}{also}"
            notices.add(str(path), "warning", "no-group", message)
            told = _RunGroup(run, None, False if marked else None)
        rows.append((run, told.group, told.type, told.pooled, told.family))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _groups(path: Path) -> dict[str, _RunGroup]:
    """What is said of each run, by its name."""
    table = read_table(read_source(path), "\t")
    group = next((name for name in ("group", "team") if name in table.columns), None)
    if "run" not in table.columns or group is None:
        columns = ", ".join(name for name in table.columns if name != "line")
        message = f"needs the columns run and group; found {columns}"
        raise InputError.of(str(path), "groups", message, 1)
    by_name: dict[str, _RunGroup] = {}
    by_file: dict[str, _RunGroup] = {}
    for row in table.iter_rows(named=True):
        word = row.get("pooled", "").strip().lower()
        if word not in _WORDS:
            message = f"pooled must be yes or no, found {row['pooled']!r}"
            raise InputError.of(str(path), "pooled", message, row["line"])
        name = row["run"]
        kind, family = row.get("type") or None, row.get("family") or None
        told = _RunGroup(row[group] or name, kind, _WORDS[word], family)
        if by_name.setdefault(name, told) != told:
            message = f"says something else of {name} than a line before"
            raise InputError.of(str(path), "conflict", message, row["line"])
        by_file.setdefault(run_name(name), told)
    return by_file | by_name
