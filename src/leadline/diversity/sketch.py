"""Small lists written by hand, for examples and tests."""

from dataclasses import replace

import numpy as np
import polars as pl

from leadline.diversity.statistics import count_words
from leadline.diversity.texts import word_counts
from leadline.formats.document_files import DocumentLookup
from leadline.tables.documents import Documents
from leadline.tables.lists import Lists
from leadline.tables.subtopic_grades import SubtopicGrades
from leadline.tables.subtopics import Subtopics


def sketch_subtopics(ranking: str, elsewhere: str = "") -> Lists:
    """One list from the subtopics of its documents: `a,b` or `a:2`, `-` if none, `?` if unjudged.

    `elsewhere` holds judged documents that the list does not return. A subtopic that no document
    suits is named as `a:0`.

    >>> lists = sketch_subtopics("a,b ? -", elsewhere="c:2")
    >>> lists.judged.tolist(), lists.subtopics.names
    ([True, False, True], ('a', 'b', 'c'))
    """
    marks = ranking.split()
    rows = []
    for number, mark in enumerate([*marks, *elsewhere.split()]):
        for part in [] if mark in ("?", "-") else mark.split(","):
            name, _, grade = part.partition(":")
            rows.append(("topic", name, f"d{number:04}", int(grade or 1)))
        if mark == "-":
            rows.append(("topic", "0", f"d{number:04}", 0))
    schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
    table = Subtopics(pl.DataFrame(rows, schema=schema, orient="row"))
    grades = SubtopicGrades.of(table, ("topic",))
    judged = np.array([mark != "?" for mark in marks], np.bool_)
    names = pl.Series([f"d{number:04}" for number in range(len(marks))], dtype=pl.String)
    return Lists(
        ("run",),
        ("topic",),
        np.array([[0]]),
        np.array([[len(marks)]]),
        judged,
        np.zeros(len(marks), np.int16),
        np.zeros((1, 2), np.int64),
        1,
        subtopics=grades,
        in_subtopics=grades.find(np.zeros(len(marks), np.int64), names),
    )


def sketch_texts(results: str, subtopics: dict[str, str], collection: str) -> Lists:
    """One list from the texts of its documents, `|` between them; nothing is judged in it.

    `subtopics` holds the text of each subtopic's relevant documents.
    """
    listed = [text.strip() for text in results.split("|")]
    marks = " ".join(["?"] * len(listed))
    lists = sketch_subtopics(marks, elsewhere=" ".join(subtopics))
    texts = [*listed, *subtopics.values()]
    whole = DocumentLookup({"all": collection})
    names = pl.Series([f"d{number:04}" for number in range(len(texts))], dtype=pl.String)
    learned = np.arange(len(listed), len(texts), dtype=np.int32)
    documents = Documents(
        names, lambda how: word_counts(texts, how, count_words(whole, how)), learned
    )
    at = np.arange(len(listed), dtype=np.int32)
    return replace(lists, documents=documents, in_documents=at)
