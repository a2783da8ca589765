"""Lists meet texts: the words of what runs return and of what subtopics are learned from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from leadline.diversity.blocks import subtopics_of
from leadline.diversity.statistics import Statistics, count_words, statistics_of
from leadline.diversity.tokens import Tokeniser
from leadline.files.problems import MOST, InputError, Notices, Progress
from leadline.formats.document_files import DocumentLookup, DocumentSource
from leadline.formats.read_options import MissingDocs
from leadline.tables.arrays import Int32s
from leadline.tables.documents import Documents, WordCounts
from leadline.tables.lists import Lists


def word_counts(texts: Sequence[str | None], how: Tokeniser, statistics: Statistics) -> WordCounts:
    """The words of each text that the collection knows; a text that is missing has none."""
    split = [how.split(text) if text else [] for text in texts]
    doc = np.repeat(np.arange(len(split)), [len(words) for words in split])
    word = pl.Series("word", list(chain.from_iterable(split)), dtype=pl.String)
    counted = pl.DataFrame({"doc": doc, "word": word}).group_by("doc", "word").len("count")
    words = counted["word"].unique().sort()
    shares = statistics.shares(words)
    known = shares > 0
    words = words.filter(pl.Series(known))
    code = pl.DataFrame({"word": words, "code": np.arange(len(words), dtype=np.int32)})
    table = counted.join(code, on="word").sort("doc", "code")
    start = np.searchsorted(table["doc"].to_numpy(), np.arange(len(texts) + 1))
    count = table["count"].cast(pl.Int32).to_numpy()
    return WordCounts(words, shares[known], start, table["code"].to_numpy(), count)


@dataclass(frozen=True, eq=False)
class Reader:
    """Where texts come from, and what happens to documents that are not there.

    `docs` has what the runs return, `subtopic_docs` the judged documents if those are elsewhere.
    The collection is `docs`, its statistics kept in the file `statistics`. A missing document is
    skipped, so that its rank adds no text, or it stops everything; it is counted and said.
    """

    docs: DocumentSource
    subtopic_docs: DocumentSource | None = None
    statistics: Path | None = None
    missing: MissingDocs = "skip"
    progress: Progress | None = None

    def read(self, lists: Lists, doc: pl.Series, notices: Notices) -> Lists:
        """The lists with their documents; `doc` names that of each entry."""
        grades = subtopics_of(lists)
        labelled = np.diff(grades.start) > 0
        models = grades.docs.filter(pl.Series(labelled)).unique(maintain_order=True)
        shown = doc.unique(maintain_order=True)
        if self.subtopic_docs is None:
            names = pl.concat([shown, models]).unique(maintain_order=True)
            texts = _texts(self.docs, names)
            self._missing(self.docs, shown, texts[: len(shown)], "returned", notices)
            at = _number(names, models)
            self._missing(self.docs, models, texts.gather(at), "judged relevant", notices)
            learned, place = _number(names, grades.docs), _number(names, doc)
        else:
            own, other = _texts(self.docs, shown), _texts(self.subtopic_docs, models)
            self._missing(self.docs, shown, own, "returned", notices)
            self._missing(self.subtopic_docs, models, other, "judged relevant", notices)
            names, texts = pl.concat([shown, models]), pl.concat([own, other])
            learned = _number(models, grades.docs)
            learned = np.where(learned >= 0, learned + len(shown), -1).astype(np.int32)
            # Not among all names: both collections may know a document by the same name.
            place = _number(shown, doc)
        # From a text that is missing nothing is learned, not even that it is empty.
        there = texts.is_not_null().to_numpy()[learned]
        learned = np.where(labelled & (learned >= 0) & there, learned, -1).astype(np.int32)
        held = texts.to_list()

        def count(how: Tokeniser) -> WordCounts:
            return word_counts(held, how, self._statistics(how, held, notices))

        documents = Documents(names, count, learned)
        return replace(lists, documents=documents, in_documents=place)

    def words(self, names: pl.Series, how: Tokeniser, notices: Notices) -> WordCounts:
        """The words of these documents, a row each."""
        texts = _texts(self.docs, names)
        self._missing(self.docs, names, texts, "returned or judged", notices)
        held = texts.to_list()
        return word_counts(held, how, self._statistics(how, held, notices))

    def _statistics(self, how: Tokeniser, held: list[str | None], notices: Notices) -> Statistics:
        given = self.statistics is not None and self.statistics.is_file()
        if given or self.docs.whole:
            return statistics_of(self.docs, how, self.statistics, self.progress)
        message = (
            "cannot be gone through as a whole, so the collection's words are those of the "
            "documents returned and judged; a file of statistics would be better"
        )
        notices.add(self.docs.name, "warning", "statistics", message)
        some = {str(number): text for number, text in enumerate(held) if text}
        return count_words(DocumentLookup(some, self.docs.name), how)

    def _missing(
        self,
        source: DocumentSource,
        names: pl.Series,
        texts: pl.Series,
        what: str,
        notices: Notices,
    ) -> None:
        gone = names.filter(texts.is_null()).to_list()
        if not gone:
            return
        some = ", ".join(gone[:MOST]) + (", ..." if len(gone) > MOST else "")
        message = f"has no text for {len(gone)} of {len(names)} documents {what}: {some}"
        if self.missing == "stop" or len(gone) == len(names):
            raise InputError.of(source.name, "missing-doc", message)
        notices.add(source.name, "warning", "missing-doc", f"{message}. They count as empty")


def _texts(source: DocumentSource, names: pl.Series) -> pl.Series:
    """The text of each, null where there is none."""
    found = source.find(names)
    wanted = pl.DataFrame({"id": names})
    return wanted.join(found, on="id", how="left", maintain_order="left")["text"]


def _number(names: pl.Series, wanted: pl.Series) -> Int32s:
    """The place of each wanted name among the names, -1 where it is not one of them."""
    known = pl.DataFrame({"id": names}).with_row_index("at")
    found = pl.DataFrame({"id": wanted}).join(known, on="id", how="left", maintain_order="left")
    return found["at"].cast(pl.Int32).fill_null(-1).to_numpy()
