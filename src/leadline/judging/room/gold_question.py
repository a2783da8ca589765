"""A document whose grade is known, and what somebody said of it."""

from dataclasses import dataclass

from leadline.judging.ledger import Act, Entry


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
    """What somebody said to a gold question; `said` is None for "cannot tell" and for a skip.

    `after` is how many rows the ledger had by then.
    """

    topic: str
    doc: str
    who: str
    said: int | None
    grade: int
    training: bool
    time: str
    seconds: float | None = None
    act: Act = "judge"
    note: str = ""
    after: int = 0

    @property
    def right(self) -> bool:
        """Whether it is the grade that is known."""
        return self.said == self.grade

    @property
    def entry(self) -> Entry:
        """The same as a judgment that is no gold question would be written."""
        return Entry(self.act, self.topic, self.doc, self.said, self.who, self.time, self.note)
