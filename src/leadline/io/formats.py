"""The registry of file formats, options for reading, and files told by their content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from leadline.io.lines import is_number, regular, whole_number
from leadline.io.problems import Notices
from leadline.io.source import Source
from leadline.registry import Named, Registry

if TYPE_CHECKING:
    import polars as pl

    from leadline.io.qrels import Qrels
    from leadline.io.rows import Rows
    from leadline.io.topics import TopicText


MissingDocs = Literal["skip", "stop"]
"""What happens to a document without text: it counts as empty, or everything stops."""


SecondField = Literal["subtopic", "judge", "ignore"]
"""What the second field of qrels is."""


@dataclass(frozen=True)
class Reading:
    """Strictly or not, which grades to map, where notices go.

    With `subtopics` the second field of qrels must be a subtopic, and is taken for one;
    `second_field` says what it is otherwise. With `fractions` grades may be fractions, as labels
    are: they are read as hundredths.
    """

    skip_bad_lines: bool = False
    map_grades: Mapping[int, int] | None = None
    notices: Notices = field(default_factory=Notices)
    subtopics: bool = False
    second_field: SecondField | None = None
    fractions: bool = False


Content = Literal["run", "qrels", "topics", "documents"]


class FileFormat(Named):
    """A way to write runs, judgments, topics or documents: whichever of the readers it has."""

    def looks_like(self, source: Source) -> bool:
        """Whether this file is of this format, by its first lines (`source.head`)."""
        raise NotImplementedError

    def read_run(self, source: Source, reading: Reading) -> Rows:
        """The rows of a run."""
        raise NotImplementedError

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        """Judgments."""
        raise NotImplementedError

    def read_topics(self, source: Source) -> dict[str, TopicText]:
        """What topics are about, by name."""
        raise NotImplementedError

    def read_documents(self, source: Source) -> Iterator[pl.DataFrame]:
        """Documents, piece by piece, with the columns id, title and text."""
        raise NotImplementedError

    @classmethod
    def holds(cls, content: Content) -> bool:
        """Whether files of this format may hold that."""
        return getattr(cls, f"read_{content}") is not getattr(FileFormat, f"read_{content}")


class TableFormat(FileFormat):
    """A format whose files are tables: runs and judgments are told by the names of columns."""

    def table(self, source: Source) -> pl.DataFrame:
        """The table, with a column `line` if rows have one."""
        raise NotImplementedError

    def read_run(self, source: Source, reading: Reading) -> Rows:
        from leadline.io.rows import Rows
        from leadline.io.tabular import run_columns

        return Rows.of_frame(run_columns(self.table(source), source.name, reading))

    def read_qrels(self, source: Source, reading: Reading) -> Qrels:
        from leadline.io.normalised_qrels import normalise_qrels
        from leadline.io.tabular import qrels_columns

        columns = qrels_columns(self.table(source), source.name, reading)
        return normalise_qrels(columns, source.name, reading)


formats: Registry[FileFormat] = Registry("format", "leadline.io")


def first_fields(source: Source) -> list[str]:
    """The fields of the first line that holds something."""
    head = source.head.replace(b"\0", b"\xff")
    return next(
        (line.decode("utf-8", "replace").split(" ") for line in regular(head).split(b"\n") if line),
        [],
    )


def is_trec(source: Source) -> bool:
    """Whether the first line is that of a run or of qrels in TREC's format."""
    fields = first_fields(source)
    if len(fields) == 6:
        return is_number(fields[4])
    if len(fields) == 5 and fields[1].lower() == "q0":  # a run without tag
        return False
    if len(fields) == 5 and whole_number(fields[2]) is not None and not is_number(fields[4]):
        return False  # topic doc rank score tag
    if len(fields) not in (4, 5) or whole_number(fields[3]) is None:
        return False
    return len(fields) == 5 or not _counts_ranks(source)


def _counts_ranks(source: Source) -> bool:
    """Whether lines are topic, doc, rank and score, though scores are whole as grades are.

    Then the third field counts 1, 2, 3 for every topic, and no document comes twice in one. Docnos
    of judgments may count so, but what stands before them is a number, or Q0 on every line.
    """
    ranks: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    lines = source.head.decode("utf-8", "replace").split("\n")
    for line in lines[: -1 if len(lines) > 1 else None]:
        fields = line.split()
        if not fields:
            continue
        topic, *rest = fields
        rank = ranks.get(topic, 0) + 1
        if len(rest) != 3 or whole_number(rest[1]) != rank:
            return False
        if whole_number(rest[0]) is not None or (topic, rest[0]) in seen:
            return False
        ranks[topic] = rank
        seen.add((topic, rest[0]))
    return max(ranks.values(), default=0) > 1


def format_of(source: Source, content: Content) -> FileFormat | None:
    """The format of a file that holds such content; None if it looks like no known one.

    A file whose first line is sound in TREC's format has that, whatever words are in it. Of several
    formats that claim a file the most special one is taken.
    """
    claims = [
        cls()
        for cls in formats.classes().values()
        if cls.holds(content) and cls().looks_like(source)
    ]
    return max(claims, key=lambda each: len(type(each).__mro__), default=None)
