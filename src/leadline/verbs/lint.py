"""lint: what is wrong in run, qrels and ndeval files, with line numbers."""

import os
from collections.abc import Iterable

import polars as pl

from leadline.formats.lint import lint_file

COLUMNS = ["file", "line", "level", "code", "message"]


def lint(files: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> pl.DataFrame:
    """Columns file, line, level (error, warning, notice), code, message; no rows if all is well."""
    paths = [files] if isinstance(files, str | os.PathLike) else list(files)
    found = [problem for path in paths for problem in lint_file(path)]
    rows = [(p.file, p.line, p.level, p.code, p.message) for p in found]
    schema = {name: pl.Int64 if name == "line" else pl.String for name in COLUMNS}
    return pl.DataFrame(rows, schema=schema, orient="row")
