"""The papers that can be reproduced: a module each, found by its name."""

import pkgutil
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import polars as pl

import leadline.experiments as home
from leadline.experiments.runner import Cell

Frames = dict[str, pl.DataFrame]
"""A paper's tables and figures by name, each to be a csv file."""


@dataclass(frozen=True)
class Setting:
    """What an experiment is run on, and how; None where the paper's own way is wanted.

    `quick` cuts repeats, never runs, topics or tables. `reference_depth` is the depth of the pool
    that counts as the truth, `groups` a table of the runs' groups to use instead of groups.tsv,
    `newcomers` the type of the runs that count as new, or their names with commas between them.
    """

    folder: str
    quick: bool = False
    seed: int = 0
    reference_depth: int | None = None
    groups: str | None = None
    newcomers: str | None = None

    @property
    def name(self) -> str:
        """That of the collection."""
        return Path(self.folder).name


class Paper(Protocol):
    """A module named after its paper, the first line of its docstring telling what it shows.

    `OPTIONS` names the fields of Setting beyond folder and quick that it heeds.
    """

    __doc__: str
    OPTIONS: tuple[str, ...]

    def cells(self, setting: Setting) -> list[Cell]:
        """The work to do."""

    def frames(self, results: dict[str, Any], setting: Setting) -> Frames:
        """Its tables and figures by name."""

    def report(self, results: dict[str, Any], frames: Frames, setting: Setting) -> str:
        """The page that shows them."""

    def lines(self, results: dict[str, Any], frames: Frames) -> list[str]:
        """What is worth saying."""

    def forget(self) -> None:
        """Let go of what was read."""


def typed_frame(
    rows: Sequence[Sequence[Any]],
    columns: Sequence[str],
    names: Sequence[str],
    counts: Sequence[str],
) -> pl.DataFrame:
    """Rows under these columns, some of them names, some counts, all others numbers."""
    types = dict.fromkeys(names, pl.String) | dict.fromkeys(counts, pl.Int64)
    schema = {column: types.get(column, pl.Float64) for column in columns}
    return pl.DataFrame(rows, schema=schema, orient="row")


def files_of(
    paper: Paper, results: dict[str, Any], frames: Frames, setting: Setting
) -> dict[str, str]:
    """Every file's text by its name: a csv for each table and figure, and report.html."""
    exact = pl.col(pl.Float64).round(6)
    texts = {f"{key}.csv": frame.with_columns(exact).write_csv() for key, frame in frames.items()}
    return {**texts, "report.html": paper.report(results, frames, setting)}


def papers() -> list[str]:
    """Names of the papers: an author and a year.

    >>> "moffat07" in papers()
    True
    """
    found = (module.name for module in pkgutil.iter_modules(home.__path__))
    return [name for name in found if re.fullmatch(r"[a-z]+\d\d", name)]


def load(name: str) -> Paper:
    """The module of a paper."""
    if name not in papers():
        raise ValueError(f"there is no paper named {name}: choose one of {', '.join(papers())}")
    return cast(Paper, import_module(f"{home.__name__}.{name}"))
