"""Small collections as the lists that a measure needs: sampled, with subtopics, with texts."""

from dataclasses import replace

import numpy as np
import polars as pl

from leadline.diversity.texts import Reader
from leadline.files.problems import Notices
from leadline.formats.document_files import documents_from
from leadline.measures.measure import Measure
from leadline.pools.stratified import TwoStrata
from leadline.tables.lists import Lists
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.subtopic_grades import SubtopicGrades
from leadline.tables.subtopics import Subtopics
from leadline.testing.small_collection import SmallCollection

SUBTOPICS = ("a", "b")
WORDS = ("tide", "fog", "rope", "sail", "mast", "reef", "keel")


def _number(name: str) -> int:
    """A number that nothing but the name decides."""
    return sum(name.encode())


TEXTS = {
    doc: " ".join(WORDS[_number(doc) * step % len(WORDS)] for step in (1, 2, 3, 5))
    for doc in [*(f"d{number}" for number in range(20)), *(f"unseen{at}" for at in range(9))]
}
"""The whole collection, so that what is returned does not change how common a word is."""


def lists_for(measure: Measure, small: SmallCollection) -> Lists:
    """The lists with what the measure needs to know of the documents."""
    if measure.needs == "sampling":
        small = all_judged(small)
    runs, judgments = small.tables()
    if measure.needs == "judgments":
        return Lists.of(runs, judgments)
    if measure.needs == "sampling":
        return Lists.of(runs, _sample(runs).restrict(judgments))
    grades = SubtopicGrades.of(_subtopics(small), runs.pairs.topics, max_grade=small.max_grade)
    number = grades.find(runs.pairs.topic.astype(np.int64), runs.pairs.doc_name.series)
    lists = replace(Lists.of(runs, judgments), subtopics=grades, in_subtopics=number[runs.pair])
    if measure.needs == "subtopics":
        return lists
    doc = runs.pairs.docs_of(runs.pair).series
    return Reader(documents_from(TEXTS)).read(lists, doc, Notices())


def _sample(runs: Runs) -> Pool:
    """All to depth 2 and a sample below, in each topic without the first that could be drawn.

    So something is always left undrawn, which measures of samples must be able to count on.
    """
    pool = TwoStrata(d=2, deep=6, rate=0.5).pool(runs)
    chance = np.flatnonzero((pool.inclusion > 0) & (pool.inclusion < 1))
    first = np.unique(runs.pairs.topic[chance], return_index=True)[1]
    member = pool.member.copy()
    member[chance[first]] = False
    return replace(pool, member=member)


def all_judged(small: SmallCollection) -> SmallCollection:
    """Everything that is returned judged, as names have it, so that company changes nothing."""
    return small.with_grades(
        {
            topic: {
                doc: _number(topic + doc) % (small.max_grade + 1)
                for doc in small.returned(topic)
                if doc not in known
            }
            for topic, known in small.grades.items()
        }
    )


def _subtopics(small: SmallCollection) -> Subtopics:
    """A document of some grade suits one subtopic or both, as its name has it.

    Every topic has both, whether or not a document suits them.
    """
    rows = []
    for topic, known in small.grades.items():
        rows += [(topic, subtopic, "named", 0) for subtopic in SUBTOPICS]
        for doc, grade in known.items():
            suits = SUBTOPICS[: 1 + _number(doc) % 2] if _number(doc) % 3 else SUBTOPICS[1:]
            rows += [(topic, name, doc, grade if name in suits else 0) for name in SUBTOPICS]
    schema = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "grade": pl.Int16}
    return Subtopics(pl.DataFrame(rows, schema=schema, orient="row"))
