"""Lists with judged and pooled documents: drawn for Hypothesis, or written by hand."""

from typing import NamedTuple

import pytest
from hypothesis import strategies as st

DOCS = [f"d{i}" for i in range(10)]


MAX_GRADE = 4


class Topic(NamedTuple):
    """One list, the judged docs, and the docs that are pooled but not judged."""

    ranking: list[str]
    grades: dict[str, int]
    pooled: set[str]


@st.composite
def topics(draw: st.DrawFn, max_grade: int = MAX_GRADE) -> Topic:
    """A list of 1..10 docs, 1..10 judged docs in or out of it, some other docs pooled only."""
    ranking = draw(st.lists(st.sampled_from(DOCS), min_size=1, unique=True))
    # As in real judgments, non-relevant docs are the most common.
    grade = st.just(0) | st.integers(0, max_grade)
    grades = draw(st.dictionaries(st.sampled_from(DOCS), grade, min_size=1))
    pooled = draw(st.sets(st.sampled_from(DOCS))) - set(grades)
    return Topic(ranking, grades, pooled)


def ranked(labels: str) -> Topic:
    """The docs a, b, c, ... in this order with these grades; ? is unjudged."""
    docs = [chr(ord("a") + i) for i in range(len(labels))]
    grades = {doc: int(label) for doc, label in zip(docs, labels, strict=True) if label != "?"}
    return Topic(docs, grades, set())


def close_pair(low: float, high: float) -> object:
    """The interval, within rounding."""
    return pytest.approx((low, high), abs=1e-12)
