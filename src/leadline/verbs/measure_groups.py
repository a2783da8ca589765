"""Measures grouped by what they see of documents: labels, subtopics, texts."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.collection.inputs import collection_inputs
from leadline.collection.join import JudgedIndex, SubtopicRows
from leadline.collection.topics_seen import say_unknown
from leadline.files.problems import InputError, Progress
from leadline.formats.by_content import qrels_from
from leadline.formats.qrels import Qrels
from leadline.formats.read_options import MissingDocs, Reading
from leadline.measures.measure import Measure

if TYPE_CHECKING:
    import polars as pl

    from leadline.diversity.texts import Reader
    from leadline.tables.subtopic_grades import Intents
    from leadline.tables.subtopics import Subtopics


@dataclass(frozen=True)
class TextSource:
    """The options of measures that read documents."""

    docs: Any = None
    subtopic_docs: Any = None
    statistics: str | os.PathLike[str] | None = None
    missing_docs: MissingDocs = "skip"

    @property
    def judged_elsewhere(self) -> bool:
        """Whether the judged documents are another collection's, with judgments of its own."""
        other = self.subtopic_docs
        if not isinstance(other, str | os.PathLike) or not Path(other).is_dir():
            return False
        from leadline.formats.document_files import documents_in

        return documents_in(Path(other)) is not None


@dataclass(frozen=True, eq=False)
class MeasureGroup:
    """Measures that see the same lists, the name of the judgments behind those, and these."""

    measures: list[Measure]
    judged_in: str
    index: JudgedIndex
    subtopics: SubtopicRows | None = None
    reader: Reader | None = None

    @property
    def depth(self) -> int:
        """The last rank whose text is read."""
        return max(each.depth or 0 for each in self.measures)


@dataclass(frozen=True)
class QrelsSource:
    """Reads judgments, restricted as was asked for."""

    reading: Reading
    topics: list[str] | None = None
    pool: str | os.PathLike[str] | pl.DataFrame | None = None
    intents: Any = None

    def qrels(self, what: Any, subtopics: bool, pooled: bool = True) -> Qrels:
        """The judgments that count."""
        found = qrels_from(what, replace(self.reading, subtopics=subtopics))
        if self.topics is not None:
            known = set(found.judged_topics)
            say_unknown(found.name, self.topics, known, self.reading.notices)
            found = found.restrict(self.topics)
        if self.pool is not None and pooled:
            from leadline.formats import pool_csv

            found = pool_csv.restrict(found, pool_csv.pool_from(self.pool))
        return found

    def rows(self, index: JudgedIndex, qrels: Qrels) -> SubtopicRows:
        """The subtopics of judgments that have them."""
        assert qrels.subtopics is not None
        if qrels.subtopics.may_be_rounds:
            message = (
                "no document is judged for two values of the second column, which looks like a "
                "round or an iteration: measures of diversity take it for subtopics"
            )
            self.reading.notices.add(qrels.name, "warning", "rounds", message)
        intents = self.intents_of(qrels.subtopics)
        return SubtopicRows.of(index, qrels.subtopics, qrels.max_grade, intents)

    def intents_of(self, subtopics: Subtopics) -> Intents | None:
        """The probabilities of these subtopics; None if all are equally likely."""
        if self.intents is None:
            return None
        from leadline.formats.intents import intents_from

        return intents_from(self.intents, subtopics)


def measure_groups(
    measures: list[Measure],
    qrels: Any,
    folder: Path | None,
    judged: QrelsSource,
    texts: TextSource,
    progress: Progress | None = None,
) -> list[MeasureGroup]:
    """One group for labels, one for subtopics and one for texts, as far as they are needed.

    `qrels` is None where `folder` is given: its plain qrels serve labels, its ndeval qrels
    subtopics.
    """
    labels, subtopics, reading = ([m for m in measures if m.needs in needs] for needs in _NEEDS)
    sampled = any(measure.needs == "sampling" for measure in measures)
    elsewhere = bool(reading) and texts.judged_elsewhere
    ours = bool(subtopics) or (bool(reading) and not elsewhere)
    groups: list[MeasureGroup] = []
    known: dict[Any, tuple[Qrels, JudgedIndex]] = {}

    def judgments(what: Any, wanted: bool, pooled: bool = True) -> tuple[Qrels, JudgedIndex]:
        key = what if isinstance(what, Path) else "given"
        if key not in known:
            found = judged.qrels(what, wanted, pooled)
            known[key] = found, JudgedIndex.of(found, sampled)
        return known[key]

    if ours:
        # Before the labels, which may come from the same file, read here with its subtopics.
        found, index = judgments(_path(qrels, folder, subtopics=True), True)
        rows = judged.rows(index, found)
        if subtopics:
            groups.append(MeasureGroup(subtopics, found.name, index, rows))
        if reading and not elsewhere:
            groups.append(
                MeasureGroup(reading, found.name, index, rows, reader_of(texts, folder, progress))
            )
    if labels or not measures:
        found, index = judgments(_path(qrels, folder, subtopics=False), False)
        groups.insert(0, MeasureGroup(labels, found.name, index))
    if elsewhere:
        path = collection_inputs(texts.subtopic_docs, runs=False, subtopics=True)[0]
        found, index = judgments(path, True, pooled=False)
        rows = judged.rows(index, found)
        groups.append(
            MeasureGroup(reading, found.name, index, rows, reader_of(texts, folder, progress))
        )
    return groups


_NEEDS = (("judgments", "sampling"), ("subtopics",), ("documents",))


def _path(qrels: Any, folder: Path | None, subtopics: bool) -> Any:
    return qrels if folder is None else collection_inputs(folder, subtopics=subtopics)[0]


def reader_of(texts: TextSource, folder: Path | None, progress: Progress | None) -> Reader:
    """What reads the documents named, or those of the collection folder."""
    # Only here, because most evaluations read no document and should not wait for this.
    from leadline.diversity.texts import Reader
    from leadline.formats.document_files import documents_from, documents_in

    docs = None if texts.docs is None else documents_from(texts.docs)
    if docs is None and folder is not None:
        docs = documents_in(folder)
    if docs is None:
        where = "" if folder is None else f" in {folder}"
        message = f"there are no documents{where}: name them with `docs`"
        raise InputError.of("", "no-docs", message)
    other = texts.subtopic_docs
    file = None if texts.statistics is None else Path(texts.statistics)
    elsewhere = None if other is None else documents_from(other)
    return Reader(docs, elsewhere, file, texts.missing_docs, progress)
