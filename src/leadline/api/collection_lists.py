"""The lists of a collection as measures see them: labels, subtopics, texts, each made once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from leadline.api.scoring import QrelsSource, TextSource, reader_of
from leadline.data.lists import Lists
from leadline.data.subtopics import SubtopicGrades
from leadline.io.collection import Collection
from leadline.io.problems import Progress
from leadline.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class CollectionLists:
    """A collection and what its measures need to know of documents."""

    collection: Collection
    measures: Sequence[Measure]
    source: QrelsSource
    texts: TextSource
    progress: Progress | None = None

    def seen_by(self, measure: Measure) -> Lists:
        """The lists with what the measure needs."""
        if measure.needs == "documents":
            return self.with_texts
        return self.with_subtopics if measure.needs == "subtopics" else self.labelled

    @property
    def texts_read(self) -> Lists | None:
        """The lists whose documents were read, if a measure needed that."""
        needed = any(measure.needs == "documents" for measure in self.measures)
        return self.with_texts if needed else None

    @cached_property
    def labelled(self) -> Lists:
        """The lists with their judgments."""
        return Lists.of(self.collection.runs, self.collection.judgments)

    @cached_property
    def with_subtopics(self) -> Lists:
        """The lists with grades per subtopic; what is not judged in the pool has none."""
        read = self.collection
        if read.subtopics is None:
            raise ValueError(
                "this collection was read without judgments per subtopic: "
                "leadline.read(..., subtopics=True)"
            )
        pairs, judged = read.runs.pairs, read.judgments.judged
        intents = self.source.intents_of(read.subtopics)
        top = read.judgments.max_grade
        grades = SubtopicGrades.of(read.subtopics, pairs.topics, intents, top)
        topic, doc = pairs.topic.astype(np.int64), pairs.doc_name.series
        grades, number = grades.of_judged(topic, doc, judged)
        return replace(self.labelled, subtopics=grades, in_subtopics=number[read.runs.pair])

    @cached_property
    def with_texts(self) -> Lists:
        """The ranks whose documents are read, with their texts."""
        read = self.collection
        if self.texts.judged_elsewhere:
            raise ValueError(
                "judgments of another collection are joined as runs are read: "
                "give qrels and `runs` or a folder, not a Collection"
            )
        reader = reader_of(self.texts, read.folder, self.progress)
        depth = max(each.depth or 0 for each in self.measures if each.needs == "documents")
        top = self.with_subtopics.top(depth)
        docs = read.runs.pairs.docs_of(read.runs.pair[top]).series
        return reader.read(self.with_subtopics.only(top), docs, read.notices)
