"""The grades that assessors choose from: each with a name, a key and what it means."""

from dataclasses import dataclass

TAKEN = frozenset("cfhnsu?/")
"""Keys that do something else: cannot tell, find, help, note, skip, undo."""


@dataclass(frozen=True)
class Grade:
    """One step of the scale."""

    grade: int
    name: str
    key: str = ""
    meaning: str = ""

    def __post_init__(self) -> None:
        if type(self.grade) is not int or not 0 <= self.grade <= 1000:
            raise ValueError(f"a grade must be a whole number from 0 to 1000, not {self.grade!r}")
        if not isinstance(self.name, str) or not self.name.strip():
            raise ValueError(f"grade {self.grade} needs a name")
        if not self.key:
            object.__setattr__(self, "key", str(self.grade))
        key = self.key
        if not isinstance(key, str) or len(key) != 1 or not key.isascii() or not key.isalnum():
            raise ValueError(f"the key of grade {self.grade} must be 0-9 or a letter, not {key!r}")
        if key.lower() in TAKEN:
            raise ValueError(f"the key {key} of grade {self.grade} is taken: choose another")
        object.__setattr__(self, "key", key.lower())


def check_scale(grades: tuple[Grade, ...]) -> None:
    """A ValueError if two grades are the same, or share a key."""
    if len(grades) < 2:
        raise ValueError("a scale needs two grades at least")
    for name in ("grade", "key"):
        values = [getattr(grade, name) for grade in grades]
        twice = next((value for value in values if values.count(value) > 1), None)
        if twice is not None:
            raise ValueError(f"two grades have the {name} {twice}")


BINARY = (
    Grade(0, "Not relevant", "0", "Says nothing about the topic, or only mentions it in passing."),
    Grade(1, "Relevant", "1", "Holds something that a report on the topic would use."),
)
GRADED = (
    Grade(0, "Not relevant", "0", "Says nothing about the topic, or only mentions it in passing."),
    Grade(1, "Partly", "1", "Touches the topic, but answers little of it."),
    Grade(2, "Relevant", "2", "Holds something that a report on the topic would use."),
    Grade(3, "Highly", "3", "Answers the topic by itself."),
)
SCALES = {"binary": BINARY, "graded": GRADED}
