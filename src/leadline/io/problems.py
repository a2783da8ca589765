"""Problems found in input: one sentence each, with file and line."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

MOST = 10
"""At most this many messages of one kind are shown; the rest is counted."""

LONGEST = 1000
"""Most characters of a message, in which a very long name is cut."""

Progress = Callable[[int, int], None]
"""Called by long work with the number of parts done and their total."""

Level = Literal["error", "warning", "notice", "detail"]
"""A detail is shown by `lint`, and elsewhere with --verbose."""


@dataclass(frozen=True)
class Problem:
    """A finding: place, level, kind and message, which says how to fix it."""

    file: str
    line: int | None
    level: Level
    code: str
    message: str

    def __post_init__(self) -> None:
        if len(self.message) > LONGEST:
            object.__setattr__(self, "message", f"{self.message[: LONGEST - 3]}...")

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.message}" if where else self.message


class InputError(ValueError):
    """Unusable input. The text lists the problems, at most ten of a kind.

    The hint, its last line, says how to continue anyway.
    """

    def __init__(self, problems: Iterable[Problem], hint: str = "") -> None:
        self.problems = list(problems)
        self.hint = hint
        super().__init__("\n".join([*shown(self.problems), *filter(None, [hint])]))

    def __reduce__(self) -> tuple[type["InputError"], tuple[list[Problem], str]]:
        # Rebuilt from its problems when a worker process passes it on.
        return type(self), (self.problems, self.hint)

    @classmethod
    def of(cls, file: str, code: str, message: str, line: int | None = None) -> "InputError":
        """Return an error with a single problem."""
        return cls([Problem(file, line, "error", code, message)])


@dataclass
class Notices:
    """Problems that do not stop the work. The first `n_logged` were logged."""

    problems: list[Problem] = field(default_factory=list)
    n_logged: int = 0

    def add(
        self, file: str, level: Level, code: str, message: str, line: int | None = None
    ) -> None:
        """Add a problem."""
        self.problems.append(Problem(file, line, level, code, message))

    def log(self) -> None:
        """Log new problems to "leadline": warnings as such, details as debug, the rest as info."""
        log = logging.getLogger("leadline")
        levels = {"notice": logging.INFO, "detail": logging.DEBUG}
        for problem in self.problems[self.n_logged :]:
            log.log(levels.get(problem.level, logging.WARNING), "%s", problem)
        self.n_logged = len(self.problems)

    def lines(self, details: bool = False) -> list[str]:
        """Return the lines to print, at most ten of a kind."""
        return shown(one for one in self.problems if details or one.level != "detail")


class UnloggedNotices(Notices):
    """Notices of work beside the work that was asked for: they are not logged."""

    def log(self) -> None:
        """Log nothing."""


def shown(problems: Iterable[Problem]) -> list[str]:
    """Return one line each, at most ten of a code, and the number of further ones."""
    problems = list(problems)
    seen: Counter[str] = Counter()
    lines: list[str] = []
    last: dict[str, int] = {}
    for problem in problems:
        seen[problem.code] += 1
        if seen[problem.code] <= MOST:
            last[problem.code] = len(lines)
            lines.append(str(problem))
    # From the bottom up, so that the positions above stay true.
    for code, position in sorted(last.items(), key=lambda item: -item[1]):
        if seen[code] > MOST:
            lines.insert(position + 1, f"... and {seen[code] - MOST} more like these ({code})")
    return lines
