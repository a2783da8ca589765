"""ListMean is the projected score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.baselines import ListMean
from leadline.completions.estimator import TrainingData
from leadline.data.lists import Lists
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.completions.plain_lists import gains_by_topic, rankings
from tests.reference import estimators as plain
from tests.tries import tries


@given(small_collections(n_docs=9, n_runs=4))
def test_interpolation_is_the_projected_score(small: Small) -> None:
    runs, judgments = small.tables()
    by = RBP(p=0.8)
    certain = by.score(Lists.of(runs, judgments))
    value = ListMean().gains(TrainingData(by, runs, judgments)).scores("ListMean").value
    known = certain.projected()
    some = ~np.isnan(known)
    assert value[some] == pytest.approx(known[some], abs=1e-9)
    judged = judgments.judged
    rate = float((judgments.grade[judged] >= 1).mean()) if judged.any() else 0.0
    assert value[~some] == pytest.approx(rate, abs=1e-9)


@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 4))
@tries(15)
def test_interpolation_equals_its_twin(small: Small, d: int) -> None:
    runs, everything = small.tables()
    evidence = TrainingData(RBP(p=0.8), runs, Depth(d).pool(runs).restrict(everything))
    value = ListMean().gains(evidence).scores("ListMean").value
    judged = gains_by_topic(evidence)
    rate = plain.background({str(topic): known for topic, known in enumerate(judged)})
    for topic, known in enumerate(judged):
        for run, ranking in enumerate(rankings(evidence, topic)):
            twin = plain.rm(ranking, known, plain.rbp(0.8), 1000, rate)
            assert value[run, topic] == pytest.approx(twin, abs=1e-9)
