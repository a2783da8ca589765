"""What the experiments stand on: runs, subtopic judgments and texts of one collection."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from leadline.collection.collection import Collection
from leadline.collection.read import read
from leadline.diversity.alpha_ndcg import alpha_nDCG
from leadline.diversity.divergence import ABSnb, ABSrb, DELTAnb, DELTArb, Divergence
from leadline.diversity.err_ia import ERR_IA
from leadline.diversity.intent_aware import IntentAware
from leadline.diversity.nrbp import NRBP
from leadline.diversity.texts import Reader
from leadline.files.problems import InputError
from leadline.formats.document_files import documents_in
from leadline.tables.arrays import Bools, Floats
from leadline.tables.documents import WordCounts
from leadline.tables.lists import Lists
from leadline.tables.subtopic_grades import SubtopicGrades

DEPTH = 20
ESTABLISHED: tuple[IntentAware, ...] = (alpha_nDCG(DEPTH), ERR_IA(DEPTH), NRBP())
READING: tuple[Divergence, ...] = (ABSnb(DEPTH), ABSrb(DEPTH), DELTAnb(DEPTH), DELTArb(DEPTH))
SHORT = "DELTArb for short texts"
"""Smoothing in proportion to the texts, gains that may fall below 0, and a more patient reader."""


@dataclass(frozen=True, eq=False)
class Hui17Setup:
    """Lists with subtopics and documents; `relevant` marks judged documents that suit some one."""

    lists: Lists
    grades: SubtopicGrades
    relevant: Bools
    notices: tuple[str, ...]

    @property
    def words(self) -> WordCounts:
        """The words of all documents."""
        assert self.lists.documents is not None
        return self.lists.documents.words(READING[0].how)

    @property
    def short(self) -> Divergence:
        """2500 words are some three times the length of a web page: three times that of these.

        theta was chosen on the bundled collection.
        """
        assert self.lists.documents is not None
        words = self.words
        length = words.count.sum() / max(1, len(words.start) - 1)
        return DELTArb(DEPTH, theta=0.9, mu=float(max(1, round(3 * length))), clip=False)

    def judged_only(self, docs: Bools) -> Lists:
        """The lists as those see them who have only the judgments of these documents."""
        assert self.lists.in_subtopics is not None
        number = self.lists.in_subtopics
        known = np.zeros(len(number), np.bool_)
        known[number >= 0] = docs[number[number >= 0]]
        return replace(self.lists, judged=known, subtopics=self.grades.only(docs))


def means(measures: Sequence[IntentAware], lists: Lists) -> Floats:
    """[measures, runs]: the mean over topics on which a measure is defined."""
    return np.stack([each.score(lists, interval=False).mean() for each in measures])


@lru_cache(maxsize=1)
def hui17_setup(folder: str) -> Hui17Setup:
    """Read a collection folder."""
    return setup_of(read(folder, subtopics=True), folder)


def setup_of(found: Collection, folder: str) -> Hui17Setup:
    """The lists of a collection that was read, with subtopics, and texts from its folder."""
    docs = documents_in(Path(folder))
    if docs is None:
        message = "has no documents: expected docs.jsonl (.gz, .zst), or a folder named docs"
        raise InputError.of(folder, "no-docs", message)
    if found.subtopics is None:
        raise InputError.of(folder, "no-subtopics", "has no judgments per subtopic")
    pairs, notices = found.runs.pairs, found.notices
    grades = SubtopicGrades.of(found.subtopics, pairs.topics, max_grade=found.judgments.max_grade)
    number = grades.find(pairs.topic.astype(np.int64), pairs.doc_name.series)
    lists = replace(
        Lists.of(found.runs, found.judgments),
        subtopics=grades,
        in_subtopics=number[found.runs.pair],
    )
    names = pairs.docs_of(found.runs.pair).series
    lists = Reader(docs).read(lists, names, notices)
    return Hui17Setup(lists, grades, np.diff(grades.start) > 0, tuple(notices.lines()))


def forget() -> None:
    """Let go of what was read."""
    from leadline.experiments.hui17_sampling import results_of

    hui17_setup.cache_clear()
    results_of.cache_clear()
