"""What is judged: the one place that keeps it; whoever needs to know looks here."""

from leadline.tables.judgments import Judgments

SPENT = -1
"""The outcome of a pair of which nobody could tell."""


class JudgedPairs:
    """The grade of every judged pair, in the order of judging.

    `given` were judged before the session began, and that stands; `spent` are pairs that will not
    be judged.
    """

    def __init__(self, judgments: Judgments | None = None) -> None:
        self.grade: dict[int, int] = {}
        if judgments is not None:
            pairs = judgments.judged.nonzero()[0]
            grades = judgments.grade[pairs].tolist()
            self.grade = dict(zip(pairs.tolist(), grades, strict=True))
        self.given = frozenset(self.grade)
        self.spent: set[int] = set()

    def __len__(self) -> int:
        return len(self.grade)

    def __contains__(self, pair: int) -> bool:
        return pair in self.grade

    @property
    def told(self) -> dict[int, int]:
        """The grades that were given in the session."""
        return {pair: grade for pair, grade in self.grade.items() if pair not in self.given}

    def outcome(self, pair: int) -> int | None:
        """A pair's grade, SPENT, or None while it is neither judged nor spent."""
        return SPENT if pair in self.spent else self.grade.get(pair)

    def tell(self, pair: int, grade: int) -> None:
        """A pair was judged."""
        self.spent.discard(pair)
        self.grade[pair] = grade

    def retract(self, pair: int) -> int | None:
        """Forget a pair's grade, or that it is spent; the grade that it had."""
        self.spent.discard(pair)
        return self.grade.pop(pair, None)
