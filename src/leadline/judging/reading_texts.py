"""What an assessor reads: the words of a topic and of a document, where a collection has them."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from leadline.files.problems import Progress
from leadline.formats.document_files import DocumentSource, documents_in
from leadline.formats.topic_files import TopicText, topics_in
from leadline.tables.documents import Document

_WORDS = (
    "a an and are as at be by do does for from how in into is it its not of on or that the their "
    "them they this to was were what when where which who why will with"
)
_COMMON = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Texts:
    """Query and description of topics, and documents by id; what is not known is not there."""

    topics: dict[str, TopicText] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)

    def terms(self, topic: str) -> re.Pattern[str] | None:
        """What to look for in a document: the query's words, also with other endings."""
        query = self.topics.get(topic, TopicText()).query
        words = [w for w in re.findall(r"\w+", query.lower()) if w not in _COMMON and len(w) > 1]
        if not words:
            return None
        stems = {re.escape(_stem(word)) for word in words}
        return re.compile(rf"\b(?:{'|'.join(sorted(stems))})\w{{0,4}}\b", re.IGNORECASE)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def read_texts(
    folder: Path | None,
    wanted: Collection[str],
    progress: Progress | None = None,
) -> Texts:
    """The topics and the wanted documents of a collection folder."""
    if folder is None:
        return Texts()
    topics = topics_in(folder)
    source = documents_in(folder)
    if source is None:
        return Texts(topics)
    return Texts(topics, dict(read_documents(source, wanted, progress)))


def read_documents(
    source: DocumentSource,
    wanted: Collection[str],
    progress: Progress | None = None,
) -> Iterator[tuple[str, Document]]:
    """The wanted documents, by name."""
    names = pl.Series(list(wanted), dtype=pl.String).implode()
    done = 0
    for table in source.tables():
        found = table.filter(pl.col("id").is_in(names))
        for name, title, text in found.select("id", "title", "text").iter_rows():
            yield name, Document(title or "", text or "")
        done += len(found)
        if progress is not None:
            progress(done, len(wanted))
