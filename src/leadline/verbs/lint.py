"""lint: what is wrong in run, qrels and ndeval files, with line numbers."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from leadline.collection.inputs import collection_inputs, expand
from leadline.files.problems import Notices
from leadline.formats.lint import lint_file
from leadline.verbs.result import PlainResult

if TYPE_CHECKING:
    import altair as alt
    from rich.console import RenderableType

COLUMNS = ["file", "line", "level", "code", "message"]


@dataclass(frozen=True, eq=False, repr=False)
class Findings(PlainResult):
    """What was found, a row each; none if all is well."""

    n_files: int = 0

    @property
    def n_errors(self) -> int:
        """How many of the findings are errors."""
        return int((self.frame["level"] == "error").sum())

    def table(self) -> "RenderableType":
        """The findings; nothing if there are none."""
        return super().table() if len(self.frame) else ""

    def chart(self) -> "alt.TopLevelMixin":
        """How many findings there are of each code, by level."""
        from leadline.presentation.charts.count_bars import count_bars

        heading = f"{len(self.frame):,} findings in {self.n_files:,} files"
        return count_bars(self.frame, "code", "level", heading)


def lint(files: Iterable[str | os.PathLike[str]] | str | os.PathLike[str]) -> Findings:
    """Columns file, line, level (error, warning, notice), code, message; no rows if all is well.

    files: runs, qrels, ndeval qrels; patterns, folders and collection folders stand for the files
        that they hold.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    left_out = Notices()
    paths = [path for each in given for path in _files_of(os.fspath(each), left_out)]
    problems = left_out.problems + [problem for path in paths for problem in lint_file(path)]
    rows = [(p.file, p.line, p.level, p.code, p.message) for p in problems]
    schema = {name: pl.Int64 if name == "line" else pl.String for name in COLUMNS}
    return Findings(pl.DataFrame(rows, schema=schema, orient="row"), n_files=len(paths))


def _files_of(path: str, notices: Notices) -> list[str]:
    if (Path(path) / "runs").is_dir():
        qrels, runs = collection_inputs(path, need_qrels=False)
        return ([] if qrels is None else [str(qrels)]) + expand(str(runs), notices)
    return expand(path, notices)
