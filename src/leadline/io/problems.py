"""What is wrong, or worth knowing, in what was read: one sentence each, with file and line."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

MOST = 10
"""At most this many messages of one kind are shown; the rest is counted."""

LONGEST = 1000
"""Letters of a message: a name of a megabyte is told by its beginning."""

Progress = Callable[[int, int], None]
"""What long work calls with how much is done, and of how much."""

Level = Literal["error", "warning", "notice"]


@dataclass(frozen=True)
class Problem:
    """One finding: where, how bad, what kind, and what to do."""

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
    """Input that cannot be used; its text lists what was found, at most ten of a kind.

    The hint, its last line, tells how to go on all the same.
    """

    def __init__(self, problems: Iterable[Problem], hint: str = "") -> None:
        self.problems = list(problems)
        self.hint = hint
        super().__init__("\n".join([*shown(self.problems), *filter(None, [hint])]))

    def __reduce__(self) -> tuple[type["InputError"], tuple[list[Problem], str]]:
        # Made anew from its problems where a worker process hands it on.
        return type(self), (self.problems, self.hint)

    @classmethod
    def of(cls, file: str, code: str, message: str, line: int | None = None) -> "InputError":
        """An error about one thing."""
        return cls([Problem(file, line, "error", code, message)])


@dataclass
class Notices:
    """Collects what should be said but stops nothing; the first `told` have been said."""

    problems: list[Problem] = field(default_factory=list)
    told: int = 0

    def add(
        self, file: str, level: Level, code: str, message: str, line: int | None = None
    ) -> None:
        """Note one thing."""
        self.problems.append(Problem(file, line, level, code, message))

    def tell(self) -> None:
        """Say what was not said yet, to the log "leadline": warnings as such, the rest as info."""
        log = logging.getLogger("leadline")
        for problem in self.problems[self.told :]:
            log.log(logging.INFO if problem.level == "notice" else logging.WARNING, "%s", problem)
        self.told = len(self.problems)

    def lines(self) -> list[str]:
        """What to print, at most ten of a kind."""
        return shown(self.problems)


def shown(problems: Iterable[Problem]) -> list[str]:
    """One line each, at most ten of one code, then how many more there are."""
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
