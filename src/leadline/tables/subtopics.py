"""Judgments per subtopic: what ndeval's qrels hold."""

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Columns topic, subtopic, doc (text) and grade (whole numbers from 0), each triple once."""

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        wanted = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
        if dict(self.frame.schema) != wanted:
            raise ValueError(f"subtopic judgments need the columns {wanted}")
        if self.frame.select("topic", "subtopic", "doc").is_duplicated().any():
            raise ValueError("a document is judged twice for one subtopic")
        if len(self.frame) and int(self.frame["grade"].min()) < 0:  # type: ignore[arg-type]
            raise ValueError("grades must not be negative")

    def documents(self) -> pl.DataFrame:
        """Columns topic, doc, grade: a document's grade is the best it has for any subtopic."""
        return self.frame.group_by("topic", "doc", maintain_order=True).agg(pl.col("grade").max())

    @property
    def may_be_rounds(self) -> bool:
        """Whether no document has two subtopics, as where the column holds rounds of judging."""
        return len(self.frame) > 1 and not self.frame.select("topic", "doc").is_duplicated().any()
