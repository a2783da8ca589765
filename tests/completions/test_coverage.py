"""gamma and what is said of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.coverage import coverage, gamma
from leadline.completions.estimator import TrainingData
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.reference import estimators as plain
from tests.tries import tries


def of(lists: dict[str, dict[str, list[str]]], grades: dict[str, int], depth: int) -> TrainingData:
    runs, judgments = Small(lists, {"1": grades}, 1).tables()
    return TrainingData(RBP(p=0.8), runs, judgments, Depth(depth).pool(runs))


def test_gamma_of_the_papers_example() -> None:
    """One relevant document occurs once, one three times: R=2, C=4, gamma^2 = 1/3."""
    lists = {
        "a": {"1": ["r", "s"]},
        "b": {"1": ["r", "x"]},
        "c": {"1": ["r", "y"]},
        "d": {"1": ["z", "w"]},
    }
    evidence = of(lists, {"r": 1, "s": 1, "x": 0, "y": 0, "z": 0, "w": 0}, 2)
    assert gamma(evidence) == pytest.approx([np.sqrt(1 / 3) / 4])
    listing = coverage(evidence, 0.1)
    assert listing.row(0)[:4] == ("1", 2, 4, 1)
    assert listing["adjusted"].to_list() == [True]
    assert "2.0 of 4 runs" in listing["why"][0]


def test_gamma_is_0_where_every_relevant_document_occurs_once() -> None:
    evidence = of({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"x": 1, "y": 1}, 1)
    assert gamma(evidence).tolist() == [0.0]


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 4))
@tries(15)
def test_gamma_equals_its_twin(small: Small, d: int) -> None:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    evidence = TrainingData(RBP(p=0.8), runs, pool.restrict(everything), pool)
    uneven = gamma(evidence)
    for topic, judged in enumerate(gains_by_topic(evidence)):
        twin = plain.gamma(rankings(evidence, topic), judged, d)
        assert uneven[topic] == pytest.approx(twin, abs=1e-12)
