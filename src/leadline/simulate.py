"""Simulations in cells: each computed once, by any number of processes, and kept.

A cell is a piece of work with a name. Its random numbers come from that name, and what it gives
goes through JSON, so results are the same for one worker or forty, fresh or from the cache.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

import leadline
from leadline.io.parallel import hired
from leadline.io.problems import Progress
from leadline.io.write import LineFile


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
    dask: Any = None,
    seed: int = 0,
    kept: "KeptCells | None" = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return what each cell gives, by name; what was kept is not computed again.

    A cell is kept as soon as it is done, so that work survives an interruption.
    """
    if len({cell.name for cell in cells}) < len(cells):
        raise ValueError("two cells have the same name")
    known = {} if kept is None else kept.cells
    results = {cell.name: known[cell.name] for cell in cells if cell.name in known}
    left = [cell for cell in cells if cell.name not in results]

    def done(name: str, value: Any) -> None:
        results[name] = value
        if kept is not None:
            kept.keep(name, value)
        if progress is not None:
            progress(len(results), len(cells))

    if progress is not None:
        progress(len(results), len(cells))
    with hired(workers, dask) as force, closing(force.results(_run, seed, left)) as coming:
        for number, value in coming:
            done(left[number].name, value)
    # Tables follow this order, which must not be that in which workers were done.
    return {cell.name: results[cell.name] for cell in cells}


def _run(seed: int, cell: Cell) -> Any:
    return cell.run(seed)


SKINS = ("api", "app", "cli")
"""Packages that no simulation computes with: their changes leave results as they are."""

INPUTS = ("runs/*", "qrels*", "*.tsv", "*.csv", "docs*", "docs/**/*", "corpus*", "documents*")


def digest(parts: Iterable[bytes]) -> str:
    """One short text for all these bytes."""
    hashed = hashlib.blake2b(digest_size=16)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "big"))
        hashed.update(part)
    return hashed.hexdigest()


def input_parts(collection: Path) -> list[bytes]:
    """The names and contents of the files of a collection."""
    inputs = {file for pattern in INPUTS for file in collection.glob(pattern) if file.is_file()}
    return _contents(collection, inputs)


def program_parts(without: tuple[str, ...] = SKINS) -> list[bytes]:
    """The version, and the names and contents of the program's files, some packages left out."""
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


NAME = "cells.jsonl"


class KeptCells:
    """Cells in a file of a folder, one a line.

    `about` stands before their names there, and tells what they were made from. What was made from
    something else stays. `sound` says of a value whether a cell can have given it. One process at
    a time may hold the file.
    """

    def __init__(
        self, folder: Path, about: str = "", sound: Callable[[Any], bool] = lambda value: True
    ) -> None:
        self.about, self.sound = about, sound
        self.cells: dict[str, Any] = {}
        self._file = LineFile(folder / NAME, self._read)

    def _read(self, path: Path) -> int:
        content = path.read_bytes()
        # The last line of a process that was killed while it wrote is computed again.
        whole = content.rfind(b"\n") + 1
        for line in content[:whole].splitlines():
            try:
                found = json.loads(line)
                key = found["key"]
                if key.startswith(self.about) and self.sound(found["value"]):
                    self.cells[key.removeprefix(self.about)] = found["value"]
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue
        return whole

    def keep(self, name: str, value: Any) -> None:
        """Remember what a cell gave."""
        self.cells[name] = value
        row = {"key": f"{self.about}{name}", "value": value}
        self._file.append(f"{json.dumps(row, separators=(',', ':'))}\n".encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self._file.close()
