"""What a model says of unjudged ranks: amounts and covariances equal those of plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings

from leadline.adjusters.prediction import N_DRAWS, Prediction
from leadline.estimators.logistic import sigmoid
from tests.adjusters.last_is_new import pool_bias
from tests.collections import Small, small_collections
from tests.reference import regression as plain

SMALL = Small(
    {
        "a": {"1": ["v", "w", "x"], "2": ["v", "w"]},
        "b": {"1": ["w", "y"], "2": ["x", "v"]},
        "new": {"1": ["z", "x", "v"], "2": ["w", "y"]},
    },
    {"1": {"v": 1, "w": 0}, "2": {"v": 0, "x": 1}},
    1,
)


@given(small_collections(n_docs=6, n_runs=3, n_topics=2, judged=0.6))
@settings(deadline=None, max_examples=8)
def test_covariances_equal_the_twin(small: Small) -> None:
    grades = [grade for judged in small.grades.values() for grade in judged.values()]
    if len(small.runs) < 2 or len({grade >= 1 for grade in grades}) < 2:
        return
    told = Prediction.of(pool_bias(small, "P@3", 1), beside=True)
    assert len(told.names) == len(small.runs)
    if not len(told.pair):
        return
    found = told.covariance(np.random.default_rng(3))
    # The same draws again, one entry at a time.
    (step,), ((level, error),) = told.model.steps, told.levels
    again = np.random.default_rng(np.random.default_rng(3).integers(2**63))
    models = step.drawn(N_DRAWS, again)
    moved = np.concatenate(list(told._moved(error, again)), axis=1)
    entries = []
    for at, (of, row) in enumerate(zip(told.entries.list, told.entries.row, strict=True)):
        run, topic = divmod(int(of), told.n_topics)
        logit = step.logit[row] + level[run]
        shift = models.coefficient @ step.standard(np.array([row]))[0]
        drawn = sigmoid(logit + shift + models.level[:, topic] + moved[:, of]).tolist()
        weight = float(told.entries.weight[at]) / told.n_topics
        p = float(sigmoid(np.array([logit]))[0])
        entries.append((run, str(told.pair[at]), weight, p, drawn))
    twin = plain.drawn_covariance(entries, len(told.names))
    np.testing.assert_allclose(found, twin, rtol=1e-4, atol=1e-7)


def test_new_runs_are_the_same_with_pooled_ones_beside_them() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    alone, both = Prediction.of(evidence), Prediction.of(evidence, beside=True)
    assert (alone.names, both.names) == (("new",), ("new", "a", "b"))
    assert both.amounts()[0] == pytest.approx(alone.amounts()[0], rel=1e-12)
    error, errors = (each.covariance(np.random.default_rng(0)) for each in (alone, both))
    assert errors[0, 0] == pytest.approx(error[0, 0], rel=1e-5)


def test_only_the_errors_of_new_runs_are_enlarged() -> None:
    told = Prediction.of(pool_bias(SMALL, "P@3", 1), beside=True)
    as_it_is, twice = (told.covariance(np.random.default_rng(0), by) for by in (1.0, 2.0))
    assert twice[0, 0] == pytest.approx(4 * as_it_is[0, 0])
    assert twice[0, 1] == pytest.approx(2 * as_it_is[0, 1])
    assert twice[1, 2] == pytest.approx(as_it_is[1, 2])


def test_documents_that_are_not_asked_for_add_nothing() -> None:
    evidence = pool_bias(SMALL, "P@3", 1)
    none = Prediction.of(evidence, among=np.zeros(len(evidence.runs.pairs), np.bool_))
    assert none.amounts().tolist() == [0.0]
    assert none.covariance(np.random.default_rng(0)).tolist() == [[0.0]]
