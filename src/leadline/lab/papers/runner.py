"""Papers and their cells: each computed once, by any number of processes, and kept.

A cell is a piece of work with a name. Its random numbers come from that name, and what it gives
goes through JSON, so results are the same for one worker or forty, fresh or from the cache.
"""

import hashlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import polars as pl

import leadline
import leadline.lab.papers as home
from leadline.data.arrays import Floats
from leadline.data.lists import Lists
from leadline.io.collection import Collection
from leadline.io.parallel import hired
from leadline.io.problems import Progress
from leadline.io.write import write_whole
from leadline.measures.ap import AP
from leadline.views.page import Marked, Part, Table

Keep = Callable[[str, Any], None]


@dataclass(frozen=True)
class Cell:
    """`work(*arguments, random)` gives something that JSON can hold.

    `work` must be a function at the top of a module, because other processes import it.
    """

    name: str
    work: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def run(self, seed: int) -> Any:
        """What the cell gives, as JSON gives it back."""
        random = np.random.default_rng(seed_of(self.name, seed))
        value = self.work(*self.arguments, random)
        try:
            return json.loads(json.dumps(value, allow_nan=False))
        except ValueError:
            message = "a number is undefined: the collection is too small for this paper"
            raise ValueError(f"{self.name}: {message}") from None


def seed_of(name: str, seed: int = 0) -> int:
    """A cell's own seed.

    >>> seed_of("a") == seed_of("a"), seed_of("a") == seed_of("b"), seed_of("a") == seed_of("a", 1)
    (True, False, False)
    """
    digest = hashlib.blake2b(f"{seed}\x1f{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def run_cells(
    cells: Sequence[Cell],
    *,
    workers: int = 1,
    scheduler: Any = None,
    seed: int = 0,
    known: dict[str, Any] | None = None,
    keep: Keep | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """What each cell gives, by name; those that are known already are not computed again.

    `keep` is called as soon as a cell is done, so that work survives an interruption.
    """
    if len({cell.name for cell in cells}) < len(cells):
        raise ValueError("two cells have the same name")
    results = {cell.name: known[cell.name] for cell in cells if known and cell.name in known}
    left = [cell for cell in cells if cell.name not in results]

    def done(name: str, value: Any) -> None:
        results[name] = value
        if keep is not None:
            keep(name, value)
        if progress is not None:
            progress(len(results), len(cells))

    if progress is not None:
        progress(len(results), len(cells))
    with hired(workers, scheduler) as force, closing(force.results(_run, seed, left)) as coming:
        for number, value in coming:
            done(left[number].name, value)
    # Tables follow this order, which must not be that in which workers were done.
    return {cell.name: results[cell.name] for cell in cells}


def _run(seed: int, cell: Cell) -> Any:
    return cell.run(seed)


CACHE = "cache.json"
SKINS = ("api", "app", "cli")
"""Rooms that no experiment computes with: their changes leave results as they are."""

INPUTS = ("runs/*", "qrels*", "*.tsv", "*.csv", "docs*", "docs/**/*", "corpus*", "documents*")


def digest(parts: Iterable[bytes]) -> str:
    """One short text for all these bytes."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()


def key_of(collection: Path, options: Mapping[str, Any]) -> str:
    """The same for the same content of the collection, options and program, wherever it lies."""
    parts = [json.dumps(options, sort_keys=True).encode()]
    return digest([*parts, *input_parts(collection), *program_parts()])


def input_parts(collection: Path) -> list[bytes]:
    """The names and contents of the files of a collection."""
    inputs = {file for pattern in INPUTS for file in collection.glob(pattern) if file.is_file()}
    return _contents(collection, inputs)


def program_parts(without: tuple[str, ...] = SKINS) -> list[bytes]:
    """The version, and the names and contents of the program's files, some rooms left out."""
    program = Path(leadline.__file__).parent
    sources = {
        file
        for ending in ("py", "json")
        for file in program.rglob(f"*.{ending}")
        if file.relative_to(program).parts[0] not in without
    }
    return [leadline.__version__.encode(), *_contents(program, sources)]


def _contents(root: Path, files: set[Path]) -> list[bytes]:
    parts = []
    for file in sorted(files):
        parts += [file.relative_to(root).as_posix().encode(), file.read_bytes()]
    return parts


class Cache:
    """The cells and files of one folder, forgotten if they were made from something else."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder, self.key = folder, key
        self.cells: dict[str, Any] = {}
        self.files: dict[str, str] = {}
        try:
            found = json.loads((folder / CACHE).read_text(encoding="utf-8"))
            if found["key"] == key:
                self.cells, self.files = dict(found["cells"]), dict(found["files"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # Nothing yet, or something that is no cache of ours: start anew.
            pass

    def keep(self, name: str, value: Any) -> None:
        """Remember what a cell gave."""
        self.cells[name] = value
        self._save()

    def whole(self) -> bool:
        """Whether all files were written and nobody changed them."""
        try:
            return bool(self.files) and all(
                digest([(self.folder / name).read_bytes()]) == known
                for name, known in self.files.items()
            )
        except (OSError, ValueError):
            # A file that is gone, or a name that no file can have.
            return False

    def write(self, texts: Mapping[str, str]) -> None:
        """Write the files, and remember them."""
        for name, text in texts.items():
            write_whole(self.folder / name, text)
        self.files = {name: digest([text.encode()]) for name, text in texts.items()}
        self._save()

    def _save(self) -> None:
        content = {"key": self.key, "files": self.files, "cells": self.cells}
        write_whole(self.folder / CACHE, json.dumps(content, separators=(",", ":")))


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
