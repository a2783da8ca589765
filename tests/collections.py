"""Random small collections, for Hypothesis: lists, judgments, and the tables made of them."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.pairs import Pairs
from leadline.tables.runs import Runs


@dataclass(frozen=True)
class Small:
    """Rankings by (run, topic), grades of judged documents and pooled ones by topic."""

    runs: dict[str, dict[str, list[str]]]
    grades: dict[str, dict[str, int]]
    max_grade: int

    def pairs(self) -> Pairs:
        topic, doc = [], []
        for name, inner in self.grades.items():
            topic += [name] * len(inner)
            doc += list(inner)
        for lists in self.runs.values():
            for name, ranking in lists.items():
                topic += [name] * len(ranking)
                doc += ranking
        return Pairs.of(topic, doc, list(self.grades))

    def tables(self) -> tuple[Runs, Judgments]:
        pairs = self.pairs()
        pair, start, stop = [], [], []
        for lists in self.runs.values():
            for topic in pairs.topics:
                start.append(len(pair))
                ranking = lists.get(topic, [])
                pair += pairs.find([topic] * len(ranking), ranking).tolist()
                stop.append(len(pair))
        shape = (len(self.runs), len(pairs.topics))
        runs = Runs(
            pairs,
            tuple(self.runs),
            np.array(pair, np.int32),
            np.reshape(start, shape),
            np.reshape(stop, shape),
        )
        judged = np.zeros(len(pairs), np.bool_)
        grade = np.zeros(len(pairs), np.int16)
        for at in range(len(pairs)):
            topic, doc = pairs.name(at)
            if doc in self.grades[topic]:
                judged[at] = True
                grade[at] = self.grades[topic][doc]
        return runs, Judgments(pairs, judged, grade, max_grade=self.max_grade)

    def lists(self) -> Lists:
        return Lists.of(*self.tables())


@st.composite
def small_collections(
    draw: st.DrawFn,
    n_docs: int = 8,
    n_topics: int = 3,
    n_runs: int = 3,
    max_grade: int = 3,
    judged: float = 0.6,
) -> Small:
    """Up to so many runs, topics and documents; lists of any length, also none."""
    top = draw(st.integers(1, max_grade))
    topics = [str(number) for number in range(1, draw(st.integers(1, n_topics)) + 1)]
    docs = [f"d{number}" for number in range(n_docs)]
    grades = {
        topic: {
            doc: draw(st.integers(0, top))
            for doc in docs
            if draw(st.floats(0, 1, exclude_max=True)) < judged
        }
        for topic in topics
    }
    runs = {
        f"run{number}": {
            topic: draw(st.permutations(docs))[: draw(st.integers(0, n_docs))] for topic in topics
        }
        for number in range(draw(st.integers(1, n_runs)))
    }
    return Small(runs, grades, top)
