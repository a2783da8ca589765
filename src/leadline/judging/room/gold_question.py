"""A document whose grade is known, and what somebody said of it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GoldQuestion:
    """A document, its grade, and why it has that grade; for training, or mixed in later."""

    topic: str
    doc: str
    grade: int
    why: str = ""
    training: bool = False


@dataclass(frozen=True)
class GoldAnswer:
    """What somebody said to a gold question; None for "cannot tell" or a skip."""

    topic: str
    doc: str
    who: str
    said: int | None
    grade: int
    training: bool
    time: str
    seconds: float | None = None

    @property
    def right(self) -> bool:
        """Whether it is the grade that is known."""
        return self.said == self.grade
