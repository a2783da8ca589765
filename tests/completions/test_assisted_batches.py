"""Batches added up: no bias whatever chances follow, by going through all draws; its twin."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions import sample
from leadline.completions.estimator import TrainingData
from leadline.completions.sample import ModelAssisted, batch_shares, observed_gains
from leadline.data.arrays import Floats
from leadline.data.pool import BatchDraws
from leadline.judging.weighted_sample import WeightedSample
from leadline.measures.measure import parse_measure
from tests.judging.test_weighted_sample import MEASURE, collection, drawn
from tests.reference import few

GAIN = np.array([1.0, 0.25, 0.5])
N_BATCHES = 3


def by_others(batch: int, history: list[int]) -> tuple[Floats, Floats]:
    """Chances in the next batch and expectations that follow all that was drawn of other pairs.

    What these drew followed the pair's own draws in turn.
    """
    each = np.array(
        [(at + 1) * gain if at else 0.0 for at, gain in zip(history, GAIN, strict=True)]
    )
    found = each.sum() - each
    chance = 0.15 + 0.7 * np.modf(np.array([0.3, 0.5, 0.9]) + 1.7 * found + 0.31 * batch)[0]
    return chance, np.modf(np.array([0.1, 0.7, 0.4]) + 0.9 * found)[0]


def test_over_all_draws_the_mean_is_the_truth() -> None:
    mean, total = np.zeros(3), 0.0
    for luck in itertools.product((False, True), repeat=3 * N_BATCHES):
        odds, history = 1.0, [0, 0, 0]
        chances, expected = np.zeros((N_BATCHES, 3)), np.zeros((N_BATCHES, 3))
        for batch in range(N_BATCHES):
            chances[batch] = by_others(batch, history)[0]
            for pair, hit in enumerate(luck[3 * batch : 3 * batch + 3]):
                odds *= chances[batch, pair] if hit else 1 - chances[batch, pair]
                if hit and not history[pair]:
                    history[pair] = batch + 1
            expected[batch] = by_others(batch, history)[1]
        draws = BatchDraws(np.arange(3), np.array(history), chances, expected, expected)
        mean += odds * observed_gains(draws, GAIN)[0]
        total += odds
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(GAIN, abs=1e-12)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_gains_equal_the_twin(n_batches: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    chance = random.uniform(0.05, 0.95, (n_batches, 4)) * (random.random((n_batches, 4)) < 0.8)
    chance[-1] = 0.5
    expected, gain = random.random((n_batches, 4)), random.random(4)
    batch = np.array([int(random.choice([0, *np.flatnonzero(c) + 1])) for c in chance.T])
    told, _, _ = observed_gains(BatchDraws(np.arange(4), batch, chance, expected, expected), gain)
    for pair in range(4):
        own = chance[:, pair].tolist()
        assert batch_shares(chance)[:, pair] == pytest.approx(few.batch_shares(own))
        of = few.told_gain(own, expected[:, pair].tolist(), float(gain[pair]), int(batch[pair]))
        assert told[pair] == pytest.approx(of)


def test_what_a_batch_draws_for_certain_is_as_it_was_judged() -> None:
    sure = BatchDraws(
        np.arange(1), np.array([1]), np.array([[1.0], [0.5]]), np.zeros((2, 1)), np.ones((2, 1))
    )
    assert observed_gains(sure, np.array([0.7]))[0].tolist() == [0.7]


def test_a_named_design_is_gone_through_again(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, judgments = collection()
    design = WeightedSample(n=60, measure=MEASURE, batches=3)
    pool = drawn(design, runs, judgments, 2, 3)
    evidence = TrainingData(parse_measure(MEASURE), runs, pool.restrict(judgments), pool)
    exact = ModelAssisted(seed=2, design=str(design)).gains(evidence).of_mean
    usual = ModelAssisted(seed=2).gains(evidence).of_mean
    assert exact is not None
    assert usual is not None
    assert np.abs(exact.value - usual.value).max() > 0
    assert np.abs(exact.value - usual.value).max() < 0.3
    assert np.isnan(exact.margin()).all()
    # Also where judgments would be enough without design=.
    monkeypatch.setattr(sample, "FEWEST_DRAWN", 1)
    enough = ModelAssisted(seed=2).gains(evidence).of_mean
    few = ModelAssisted(seed=2, design=str(design)).gains(evidence).of_mean
    assert enough is not None
    assert few is not None
    assert not np.isnan(enough.margin()).any()
    assert np.isnan(few.standard_error).all()
    assert few.withheld.startswith("no interval below 700 sampled judgments")
    with pytest.raises(ValueError, match="seed=3: other chances"):
        ModelAssisted(seed=3, design=str(design)).gains(evidence)
    with pytest.raises(ValueError, match="give one of them"):
        ModelAssisted(shrink=True, design=str(design)).gains(evidence)
    with pytest.raises(ValueError, match="no batches"):
        ModelAssisted(design="Depth(d=10)").gains(evidence)
    with pytest.raises(ValueError, match="column batch"):
        ModelAssisted(design=str(design)).gains(evidence.but(pool=None))
