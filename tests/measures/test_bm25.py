"""BM25 equals its formula, worked out document by document, and an example done by hand."""

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.texts import BM25, Statistics, Tokeniser, word_counts
from tests.reference.rivals import bm25 as plain

letters = st.lists(st.sampled_from("abcde"), max_size=8)


def index(documents: list[list[str]]) -> BM25:
    counts = Counter(word for document in documents for word in document)
    table = pl.DataFrame(
        {"word": list(counts), "count": list(counts.values())},
        schema={"word": pl.String, "count": pl.Int64},
    )
    statistics = Statistics(table, sum(counts.values()), len(documents))
    texts = [" ".join(document) for document in documents]
    return BM25(word_counts(texts, Tokeniser(), statistics))


@given(documents=st.lists(letters, min_size=1, max_size=5), query=letters)
def test_it_equals_its_formula(documents: list[list[str]], query: list[str]) -> None:
    rows = np.arange(len(documents))[::-1].copy()
    scores = index(documents).scores(query, rows)
    named = {str(at): words for at, words in enumerate(documents)}
    twin = [plain(named, query, str(at)) for at in rows]
    assert scores.tolist() == pytest.approx(twin)


def test_by_hand() -> None:
    # Both documents have the mean length, so the usual frequency is .9; one of two holds a.
    scores = index([["a", "b"], ["c", "b"]]).scores(["a", "unknown"], np.array([0, 1]))
    assert scores.tolist() == pytest.approx([math.log(2) * 1.9 / 1.9, 0.0])
