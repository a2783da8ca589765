"""LowerBound, UpperBound and Midpoint are the ends of the interval and its middle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.baselines import LowerBound, UpperBound
from leadline.completions.estimator import TrainingData, estimators
from leadline.data.lists import Lists
from leadline.measures.measure import measures
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.completions.test_estimator import MEASURES
from tests.reference import estimators as plain
from tests.tries import tries

DEEP = 1000


@given(small_collections(n_docs=9, n_runs=4), st.sampled_from(MEASURES))
def test_bounds_are_the_ends_and_the_middle(small: Small, measure: str) -> None:
    runs, judgments = small.tables()
    by = measures.parse(measure)
    certain = by.score(Lists.of(runs, judgments))
    for name, wanted in (
        ("LowerBound", certain.lower),
        ("UpperBound", certain.upper),
        ("Midpoint", certain.midpoint()),
    ):
        scores = estimators.parse(name).gains(TrainingData(by, runs, judgments)).scores(name)
        assert scores.value == pytest.approx(wanted, abs=1e-12)


@given(
    small=small_collections(n_docs=9, n_runs=4),
    d=st.integers(1, 4),
    which=st.sampled_from(["RBP(p=0.8)", "SDCG@6"]),
)
@tries(15)
def test_the_ends_equal_their_twins(small: Small, d: int, which: str) -> None:
    runs, everything = small.tables()
    evidence = TrainingData(measures.parse(which), runs, Depth(d).pool(runs).restrict(everything))
    twin = plain.rbp(0.8) if which.startswith("RBP") else plain.sdcg(6)
    lower, upper = (
        LowerBound().gains(evidence).scores("LowerBound"),
        UpperBound().gains(evidence).scores("UpperBound"),
    )
    for topic, judged in enumerate(gains_by_topic(evidence)):
        for run, ranking in enumerate(rankings(evidence, topic)):
            base = plain.base(ranking, judged, twin, DEEP)
            assert lower.value[run, topic] == pytest.approx(base, abs=1e-12)
            residual = plain.residual(ranking, judged, twin, DEEP)
            assert upper.value[run, topic] == pytest.approx(base + residual, abs=1e-12)
