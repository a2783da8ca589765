"""What every entrant is: a named thing that answers the questions of some tasks."""

import importlib.util
import sys
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Self

from leadline.experiments.cache import digest
from leadline.leagues.question import Question, Reply
from leadline.naming.registry import Named, Registry


class Entrant(Named):
    """A frozen dataclass with fields as parameters; a subclass answers.

    `tasks` names those it takes part in. `version` changes when its answers do: what was played
    with another is played again. `developed_on` names the collections that its authors looked at
    while they made it. An entrant that cannot answer a question raises a ValueError that says why,
    and is left out there. One that goes `on_and_on` picks what to judge without a thought of the
    budget: on its way to a large one it answers the smaller ones, and nothing is done twice.
    """

    tasks: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[str] = "1"
    on_and_on: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """What the tables call it."""
        return str(self)

    @property
    def developed_on(self) -> tuple[str, ...]:
        """Names of collections."""
        return ()

    @classmethod
    def variants(cls) -> list[Self]:
        """Those that take part: one, without parameters, unless it says otherwise."""
        return [cls()]

    @abstractmethod
    def answer(self, question: Question) -> Reply:
        """The mean scores of the runs asked about, and what it knows of their error."""

    def in_turn(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """The answers to questions that differ only in their budgets, the smallest first."""
        for question in questions:
            yield self.answer(question)


entrants: Registry[Entrant] = Registry("entrant", "leadline.leagues.entrants")


@lru_cache(maxsize=32)
def load_entrants(file: str) -> tuple[type[Entrant], ...]:
    """The entrants that a Python file registers; a ValueError if it has none or cannot be run."""
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file of an entrant")
    name = f"leadline_entrant_{digest([str(path.resolve()).encode()])}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path}: an entrant is a Python file, whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path}: cannot be run: {type(error).__name__}: {error}") from error
    found = tuple(cls for cls in entrants.classes().values() if cls.__module__ == name)
    if not found:
        raise ValueError(
            f"{path}: registers no entrant: write @entrants.register above a class of Entrant, see "
            "docs/how-to/league.md"
        )
    return found


def entrants_of(task: str, files: tuple[str, ...] = ()) -> list[Entrant]:
    """Everybody who takes part in a task, by title."""
    for file in files:
        load_entrants(file)
    everybody = [each for cls in entrants.classes().values() for each in cls.variants()]
    return sorted((each for each in everybody if task in each.tasks), key=lambda each: each.title)
