"""Small collections generated at random from a seed, and what is learnt from them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from leadline.completions.adjuster import UnpooledRuns
from leadline.completions.estimator import TrainingData
from leadline.data.arrays import Bools
from leadline.data.draw import draw
from leadline.data.judgments import Judgments
from leadline.data.labels import NoisyLabels
from leadline.data.lists import Lists
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool
from leadline.data.runs import Runs
from leadline.data.subtopics import SubtopicGrades, Subtopics
from leadline.io.documents import documents_from
from leadline.io.problems import Notices
from leadline.measures.measure import Measure
from leadline.measures.texts import Reader, Tokeniser
from leadline.pooling.strategies import Depth, PoolStrategy, TwoStrata
from leadline.pooling.without import DrawnPool

Rankings = dict[str, dict[str, list[str]]]
Grades = dict[str, dict[str, int]]


@dataclass(frozen=True)
class SmallCollection:
    """Rankings by run and topic, best first, and the grades of judged documents by topic.

    Where it is `labelled`, two noisy judges say something of the pairs, one of them not of all.

    >>> small = SmallCollection({"x": {"1": ["b", "a"]}}, {"1": {"a": 1, "c": 0}}, 1)
    >>> small.sketch("x", "1")
    ('? 1', '0')
    >>> print(small)
    topic 1: x returns b a; judged a=1 c=0; grades to 1
    """

    runs: Rankings
    grades: Grades
    max_grade: int
    labelled: bool = False

    def __str__(self) -> str:
        topics = []
        for topic, known in self.grades.items():
            lists = ((run, lists.get(topic, [])) for run, lists in self.runs.items())
            parts = [f"{run} returns {' '.join(docs) or 'nothing'}" for run, docs in lists]
            judged = " ".join(f"{doc}={grade}" for doc, grade in known.items())
            topics.append(f"topic {topic}: {', '.join(parts)}; judged {judged or 'nothing'}")
        return "; ".join([*topics, f"grades to {self.max_grade}"])

    def sketch(self, run: str, topic: str) -> tuple[str, str]:
        """The grades of a list, `?` where unjudged, and those judged elsewhere, as in examples."""
        known, ranking = self.grades[topic], self.runs[run].get(topic, [])
        listed = " ".join(str(known.get(doc, "?")) for doc in ranking)
        return listed, " ".join(str(known[doc]) for doc in known if doc not in ranking)

    def pairs(self) -> Pairs:
        """Every (topic, doc) that is judged or returned."""
        topic, doc = [], []
        for name, known in self.grades.items():
            topic += [name] * len(known)
            doc += list(known)
        for lists in self.runs.values():
            for name, ranking in lists.items():
                topic += [name] * len(ranking)
                doc += ranking
        pairs = Pairs.of(topic, doc, list(self.grades))
        if not self.labelled:
            return pairs
        chance = draw(0, [pairs.name(at) for at in range(len(pairs))])
        first, second = np.floor(4 * chance), np.floor(64 * chance) % 3 - 1
        labels = NoisyLabels(("first", "second"), np.stack([first, second]).astype(np.int16))
        return replace(pairs, labels=labels)

    def tables(self) -> tuple[Runs, Judgments]:
        """The same as tables over the same pairs."""
        pairs = self.pairs()
        docs = pairs.doc_name.to_list()
        names = [(pairs.topics[topic], doc) for topic, doc in zip(pairs.topic, docs, strict=True)]
        number = {name: at for at, name in enumerate(names)}
        lists = [
            [number[topic, doc] for doc in lists.get(topic, [])]
            for lists in self.runs.values()
            for topic in pairs.topics
        ]
        shape = (len(self.runs), len(pairs.topics))
        length = np.array([len(pair) for pair in lists], np.int64).reshape(shape)
        stop = np.cumsum(length).reshape(shape)
        pair = np.array([at for pair in lists for at in pair], np.int32)
        runs = Runs(pairs, tuple(self.runs), pair, stop - length, stop)
        grade = [self.grades[topic].get(doc) for topic, doc in names]
        judged = np.array([known is not None for known in grade], np.bool_)
        known = np.array([known or 0 for known in grade], np.int16)
        return runs, Judgments(pairs, judged, known, max_grade=self.max_grade)

    def lists(self) -> Lists:
        """The lists as the judgments see them."""
        return Lists.of(*self.tables())

    def returned(self, topic: str) -> list[str]:
        """The documents that some run returns for a topic, by name."""
        return sorted({doc for lists in self.runs.values() for doc in lists.get(topic, [])})

    def with_grades(self, grades: Grades) -> "SmallCollection":
        """The same lists with these judgments added."""
        return replace(
            self,
            grades={topic: known | grades.get(topic, {}) for topic, known in self.grades.items()},
        )

    def with_runs(self, names: list[str]) -> "SmallCollection":
        """These runs in this order."""
        return replace(self, runs={name: self.runs[name] for name in names})

    def with_topics(self, names: list[str]) -> "SmallCollection":
        """These topics."""
        return replace(
            self,
            runs={
                run: {topic: docs for topic, docs in lists.items() if topic in names}
                for run, lists in self.runs.items()
            },
            grades={topic: self.grades[topic] for topic in names},
        )


def small_collections(
    n: int = 20,
    seed: int = 0,
    n_docs: int = 8,
    n_topics: int = 3,
    n_runs: int = 3,
    max_grade: int = 3,
) -> Iterator[SmallCollection]:
    """Collections of up to so many documents, topics and runs, first those where things end.

    In these nothing is judged, everything is, all of it is not relevant, a topic is returned by
    nobody, a run returns nothing; in the others lists and judgments are sampled at random.

    >>> next(small_collections()).grades
    {'1': {}, '2': {}, '3': {}}
    """
    random = np.random.default_rng(seed)
    sizes = (n_docs, n_topics, n_runs, max_grade)
    yield from (change(_drawn(random, sizes, full=True)) for change in _ENDS[:n])
    for _ in range(n - len(_ENDS)):
        yield _drawn(random, sizes)


def _drawn(
    random: np.random.Generator, sizes: tuple[int, int, int, int], full: bool = False
) -> SmallCollection:
    n_docs, n_topics, n_runs, top = sizes
    if not full:
        n_topics, n_runs = (
            int(random.integers(1, n_topics + 1)),
            int(random.integers(1, n_runs + 1)),
        )
    docs = [f"d{number}" for number in range(n_docs)]
    topics = [str(number) for number in range(1, n_topics + 1)]
    max_grade = int(random.integers(1, top + 1))
    judged = random.uniform(0.2, 0.9)
    runs = {
        f"run{number}": {
            topic: random.permutation(docs)[: random.integers(0, n_docs + 1)].tolist()
            for topic in topics
        }
        for number in range(1, n_runs + 1)
    }
    grades = {
        topic: {
            doc: int(random.integers(0, max_grade + 1)) for doc in docs if random.random() < judged
        }
        for topic in topics
    }
    return SmallCollection(runs, grades, max_grade)


def completed(small: SmallCollection, random: np.random.Generator) -> SmallCollection:
    """The collection with every returned document judged, and some that nobody returns."""
    grades: Grades = {}
    for topic, known in small.grades.items():
        unseen = [f"unseen{number}" for number in range(random.integers(0, 4))]
        grades[topic] = {
            doc: int(random.integers(0, small.max_grade + 1))
            for doc in [*small.returned(topic), *unseen]
            if doc not in known
        }
    return small.with_grades(grades)


def _nothing_judged(small: SmallCollection) -> SmallCollection:
    return replace(small, grades={topic: {} for topic in small.grades})


def _all_judged(small: SmallCollection) -> SmallCollection:
    return completed(small, np.random.default_rng(0))


def _none_relevant(small: SmallCollection) -> SmallCollection:
    return replace(
        small, grades={topic: dict.fromkeys(known, 0) for topic, known in small.grades.items()}
    )


def _unanswered_topic(small: SmallCollection) -> SmallCollection:
    first = next(iter(small.grades))
    return replace(small, runs={run: lists | {first: []} for run, lists in small.runs.items()})


def _empty_run(small: SmallCollection) -> SmallCollection:
    return replace(small, runs=small.runs | {next(iter(small.runs)): {}})


_ENDS: tuple[Callable[[SmallCollection], SmallCollection], ...] = (
    _nothing_judged,
    _all_judged,
    _none_relevant,
    _unanswered_topic,
    _empty_run,
)


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


POOL = Depth(d=2)
SAMPLED_POOL = TwoStrata(d=2, deep=6, rate=0.5)


def evidence_of(
    measure: Measure,
    small: SmallCollection,
    strategy: PoolStrategy = POOL,
    contributing: Bools | None = None,
) -> TrainingData:
    """What a pool of the runs, all of them without a mask, tells once it is judged."""
    runs, judgments = all_judged(small).tables()
    pool = strategy.pool(runs if contributing is None else runs.only(contributing))
    docs = runs.pairs.docs
    words = Reader(documents_from(TEXTS)).words(docs, Tokeniser(), Notices()) if len(docs) else None
    return TrainingData(measure, runs, pool.restrict(judgments), pool, contributing, words)


def bias_of(measure: Measure, small: SmallCollection, new: list[str]) -> UnpooledRuns:
    """The same where some runs had no part in the pool; everything may be looked up as
    reference.
    """
    runs, judgments = all_judged(small).tables()
    contributing = np.array([name not in new for name in runs.names])
    pooled = runs.only(contributing)
    common = np.arange(len(runs.pairs.topics)) % 2 == 0
    return UnpooledRuns(
        measure,
        runs,
        judgments.only(POOL.pool(pooled).member),
        contributing=contributing,
        drawn=DrawnPool(POOL, pooled),
        reference=judgments,
        common=common,
    )
