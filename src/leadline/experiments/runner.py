"""The cells of an experiment: each computed once, by any number of processes, and kept.

A cell is a piece of work with a name. Its random numbers come from that name, and what it gives
goes through JSON, so results are the same for one worker or forty, fresh or from the cache.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.files.problems import Progress
from leadline.workers.workforce import hired

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
