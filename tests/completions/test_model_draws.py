"""Draws of a model have the covariance that the Hessian of its loss leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.logistic import fit_logistic
from leadline.completions.model_draws import ModelDraws
from tests.reference.regression import hessian
from tests.tries import tries


class OneAtATime:
    """Gives each chance in turn the value 1: draws are then the columns of the linear map."""

    def standard_normal(self, shape: tuple[int, int]) -> np.ndarray:
        return np.eye(*shape)


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 4))
@tries(12)
def test_the_covariance_of_every_logit_is_the_twins(seed: int, n_topics: int, n: int) -> None:
    random = np.random.default_rng(seed)
    # The last topic has no judged document.
    topic = np.sort(random.integers(0, n_topics, 40))
    feature = random.normal(1, 2, (40, n))
    relevant = random.random(40) < 0.4
    relevant[:2] = True, False
    model = fit_logistic(feature, topic, relevant, n_topics + 1)
    source: np.random.Generator = OneAtATime()  # type: ignore[assignment]
    drawn = ModelDraws.of(model, feature, topic, relevant, n + 2 + n_topics, source)

    asked = random.normal(1, 2, (7, n))
    of = random.integers(0, n_topics + 1, 7)
    moved = drawn.coefficient @ ((asked - model.mean) / model.scale).T + drawn.level[:, of]

    def rows(of_feature: np.ndarray, of_topic: np.ndarray) -> np.ndarray:
        indicators = 2.0 * (of_topic[:, None] == np.arange(n_topics + 1))
        return np.column_stack([(of_feature - model.mean) / model.scale, indicators])

    fitted = np.concatenate([[model.level], model.coefficient, model.topic_level / 2])
    inverse = np.linalg.inv(hessian(fitted, rows(feature, topic), relevant.astype(float)))
    design = np.column_stack([np.ones(7), rows(asked, of)])
    assert moved.T @ moved == pytest.approx(design @ inverse @ design.T, rel=1e-5, abs=1e-7)


def test_nothing_is_drawn_where_all_documents_are_alike() -> None:
    feature, topic = np.arange(4.0)[:, None], np.zeros(4, np.int64)
    relevant = np.zeros(4, np.bool_)
    model = fit_logistic(feature, topic, relevant, 1)
    drawn = ModelDraws.of(model, feature, topic, relevant, 3, np.random.default_rng(0))
    assert not drawn.coefficient.any()
    assert not drawn.level.any()
