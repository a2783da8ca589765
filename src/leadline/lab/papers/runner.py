"""Papers: their settings, cells and pages, and tables that compare ours with what they printed."""

import json
import pkgutil
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import polars as pl

import leadline.lab.papers as home
from leadline.data.arrays import Floats
from leadline.data.lists import Lists
from leadline.io.collection import Collection
from leadline.measures.ap import AP
from leadline.simulate import Cell, digest, input_parts, program_parts
from leadline.views.page import Marked, Part, Table


def key_of(collection: Path, options: Mapping[str, Any]) -> str:
    """The same for the same content of the collection, options and program, wherever it lies."""
    parts = [json.dumps(options, sort_keys=True).encode()]
    return digest([*parts, *input_parts(collection), *program_parts()])


WRITTEN = "written files"
"""The cell that keeps a digest of each file that was written."""


def all_there(folder: Path, digests: Mapping[str, str]) -> bool:
    """Return whether files of a folder were written and nobody changed them."""
    try:
        return bool(digests) and all(
            digest([(folder / name).read_bytes()]) == known for name, known in digests.items()
        )
    except (OSError, ValueError):
        # A file that is gone, or a name that no file can have.
        return False


Frames = dict[str, pl.DataFrame]
"""A paper's tables and figures by name, each to be a csv file."""


@dataclass(frozen=True)
class Setting:
    """What an experiment is run on, and how; None where the paper's own way is wanted.

    `quick` cuts repeats, never runs, topics or tables. `reference_depth` is the depth of the pool
    that counts as the truth, `groups` a table of the runs' groups to use instead of groups.tsv,
    `newcomers` the type of the runs that count as new, or their names with commas between them.
    `k`, `theta` and `mu` are parameters of hui17's measures, `p` the percentages judged.
    """

    folder: str
    quick: bool = False
    seed: int = 0
    reference_depth: int | None = None
    groups: str | None = None
    newcomers: str | None = None
    k: int | None = None
    theta: float | None = None
    mu: float | None = None
    p: str | None = None

    @property
    def name(self) -> str:
        """That of the collection."""
        return Path(self.folder).name


class Paper(Protocol):
    """A module named after its paper, the first line of its docstring telling what it shows.

    `OPTIONS` names the fields of Setting beyond folder and quick that it uses.
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


OFFICIAL_MAP = "official_map.tsv"


def official_map(collection: Collection) -> tuple[Floats, bool]:
    """MAP of every run, and whether it is the official one.

    Where the folder has no official_map.tsv that names every run, it is that of all judgments.
    """
    path = None if collection.folder is None else collection.folder / OFFICIAL_MAP
    if path is not None and path.is_file():
        table = pl.read_csv(path, separator="\t", has_header=False, new_columns=["run", "map"])
        known = dict(table.iter_rows())
        if set(collection.runs.names) <= set(known):
            return np.array([known[run] for run in collection.runs.names], np.float64), True
    scores = AP().score(Lists.of(collection.runs, collection.judgments))
    return np.nan_to_num(scores.mean()), False


TITLES = ("printed", "its reading", "ours")


class PaperComparison:
    """A table with up to four rows a label: as printed, in the paper's reading, with ties, ours."""

    def __init__(self, caption: str, head: Sequence[str]) -> None:
        self.caption, self.head = caption, ("", "", *head)
        self.rows: list[tuple[str | Marked, ...]] = []
        self.groups: set[int] = set()
        self.same = self.compared = 0

    def add(
        self,
        label: str,
        printed: Sequence[str] | None,
        paper: Sequence[str],
        ours: Sequence[str],
        spread: Sequence[str] | None = None,
    ) -> None:
        """A label with its rows."""
        self.groups.add(len(self.rows))
        if printed is not None:
            self.rows.append((label, TITLES[0], *printed))
        marked: list[str | Marked] = list(paper)
        for at, text in enumerate(printed or ()):
            if text and at < len(paper):
                marked[at] = Marked(paper[at], "same" if text == paper[at] else "off")
                for theirs, mine in zip(text.split(" : "), paper[at].split(" : "), strict=True):
                    self.compared += 1
                    self.same += theirs == mine
        self.rows.append(("" if printed else label, TITLES[1], *marked))
        if spread is not None:
            aside = [Marked(text, "aside") for text in spread]
            self.rows.append(("", Marked("ties", "aside"), *aside))
        self.rows.append(("", TITLES[2], *ours))

    def parts(self) -> list[Part]:
        """The table, and how much of it is as printed."""
        table = Table(self.caption, self.head, self.rows, 2, frozenset(self.groups))
        if not self.compared:
            return [table]
        return [f"{self.same} of {self.compared} numbers are as printed.", table]
