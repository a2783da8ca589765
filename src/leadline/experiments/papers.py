"""The papers that can be reproduced: a module each, found by its name."""

import pkgutil
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import leadline.experiments as home
from leadline.experiments.runner import Cell


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


class Paper(Protocol):
    """A module named after its paper, the first line of its docstring telling what it shows.

    `OPTIONS` names the fields of Setting beyond folder and quick that it heeds.
    """

    __doc__: str
    OPTIONS: tuple[str, ...]

    def cells(self, setting: Setting) -> list[Cell]:
        """The work to do."""

    def files(self, results: Mapping[str, Any], setting: Setting) -> dict[str, str]:
        """Every file's text by its name, report.html among them."""

    def lines(self, results: Mapping[str, Any], setting: Setting) -> list[str]:
        """What is worth saying."""

    def forget(self) -> None:
        """Let go of what was read."""


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
