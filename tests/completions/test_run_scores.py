"""Bases and residuals kept judgment by judgment equal the measure's own interval."""

import numpy as np
from hypothesis import given

from leadline.completions.contest import RunScores
from leadline.data.lists import Lists
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections


@given(small_collections(n_docs=6, n_runs=4))
def test_base_and_residual_are_the_ends_of_the_interval(small: Small) -> None:
    runs, judgments = small.tables()
    measure = RBP(p=0.7)
    scores = RunScores(runs, measure)
    for pair in np.flatnonzero(judgments.judged).tolist():
        scores.close(pair)
        scores.add(pair, float(judgments.grade[pair] >= 1))
        scores.close(pair)  # Once is enough.
    truth = measure.score(Lists.of(runs, judgments))
    np.testing.assert_allclose(scores.base, truth.lower, atol=1e-12)
    np.testing.assert_allclose(scores.residual, truth.residual, atol=1e-12)
    np.testing.assert_allclose(scores.mean_base, truth.mean(), atol=1e-12)
    assert not (scores.open & judgments.judged).any()
    for pair in np.flatnonzero(judgments.judged).tolist():
        scores.reopen(pair)
        scores.add(pair, -float(judgments.grade[pair] >= 1))
    np.testing.assert_allclose(scores.residual, 1.0, atol=1e-12)
    np.testing.assert_allclose(scores.mean_residual, 1.0, atol=1e-12)
    np.testing.assert_allclose(scores.base, 0.0, atol=1e-12)
    assert scores.open.tolist() == [pair in runs.pair for pair in range(len(runs.pairs))]


@given(small_collections(n_docs=6, n_runs=4))
def test_what_is_settled_at_once_is_what_one_by_one_gives_to_the_last_bit(small: Small) -> None:
    runs, judgments = small.tables()
    one_by_one, at_once = (RunScores(runs, RBP(p=0.7)) for _ in range(2))
    gain = (judgments.judged & (judgments.grade >= 1)).astype(np.float64)
    for pair in np.flatnonzero(judgments.judged).tolist():
        one_by_one.close(pair)
        one_by_one.add(pair, float(gain[pair]))
    at_once.settle(judgments.judged, gain)
    at_once.settle(judgments.judged, gain)  # Once is enough.
    for name in ("base", "residual", "mean_base", "mean_residual", "open", "closed"):
        np.testing.assert_array_equal(getattr(at_once, name), getattr(one_by_one, name))
