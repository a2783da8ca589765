"""A table in which what a paper printed stands above what we found."""

from collections.abc import Sequence

from leadline.presentation.pages.html import Marked, Part, Table

TITLES = ("printed", "its reading", "ours")


class PaperComparison:
    """A table with up to four rows a label: as printed, in the paper's reading, with ties, ours."""

    def __init__(self, caption: str, head: Sequence[str]) -> None:
        self.caption, self.head = caption, ("", "", *head)
        self.rows: list[tuple[str | Marked, ...]] = []
        self.groups: set[int] = set()
        self.same = self.compared = 0

    def add(
        self,
        label: str,
        printed: Sequence[str] | None,
        paper: Sequence[str],
        ours: Sequence[str],
        spread: Sequence[str] | None = None,
    ) -> None:
        """A label with its rows."""
        self.groups.add(len(self.rows))
        if printed is not None:
            self.rows.append((label, TITLES[0], *printed))
        marked: list[str | Marked] = list(paper)
        for at, text in enumerate(printed or ()):
            if text and at < len(paper):
                marked[at] = Marked(paper[at], "same" if text == paper[at] else "off")
                for theirs, mine in zip(text.split(" : "), paper[at].split(" : "), strict=True):
                    self.compared += 1
                    self.same += theirs == mine
        self.rows.append(("" if printed else label, TITLES[1], *marked))
        if spread is not None:
            aside = [Marked(text, "aside") for text in spread]
            self.rows.append(("", Marked("ties", "aside"), *aside))
        self.rows.append(("", TITLES[2], *ours))

    def parts(self) -> list[Part]:
        """The table, and how much of it is as printed."""
        table = Table(self.caption, self.head, self.rows, 2, frozenset(self.groups))
        if not self.compared:
            return [table]
        return [f"{self.same} of {self.compared} numbers are as printed.", table]
