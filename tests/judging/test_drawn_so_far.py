"""What was drawn so far, as rows and as a pool."""

import numpy as np
import pytest

from leadline.completions.pair_weights import PairWeights
from leadline.judging.weighted_sample import DrawnSoFar
from leadline.measures.measure import parse_numerator
from leadline.pooling.strategies import Depth
from tests.judging.test_weighted_sample import MEASURE, collection
from tests.reference import few


def test_chances_of_batches_add_up_as_the_twin_has_it() -> None:
    chances = np.random.default_rng(2).random((4, 12))
    so_far = DrawnSoFar.nothing(12)
    luck = np.zeros(12, np.bool_)
    luck[3] = True
    for number, chance in enumerate(chances):
        so_far = so_far.with_batch(chance, luck, np.full(12, number / 10))
    wanted = [few.union(column.tolist()) for column in chances.T]
    assert 1 - so_far.missed == pytest.approx(wanted)
    # Who was drawn before is not drawn again.
    assert so_far.batch.tolist() == [0, 0, 0, 1, *[0] * 8]
    assert so_far.expected[3] == 0.0
    assert so_far.n_batches == 4


def test_a_pool_gives_back_its_rows() -> None:
    runs, _ = collection()
    weights = PairWeights.of(runs, parse_numerator(MEASURE))
    n = len(weights.pair)
    random = np.random.default_rng(1)
    before = DrawnSoFar.nothing(n)
    for _ in range(2):
        chance = random.uniform(0.1, 0.5, n)
        before = before.with_batch(chance, random.random(n) < chance, random.random(n))
    again = DrawnSoFar.of(before.pool(weights, "WeightedSample(n=20)", 0), weights)
    for name in ("drawn", "batch"):
        assert (getattr(again, name) == getattr(before, name)).all()
    assert again.missed == pytest.approx(before.missed)
    assert again.n_batches == 2


def test_a_pool_without_batches_is_refused() -> None:
    runs, _ = collection()
    weights = PairWeights.of(runs, parse_numerator(MEASURE))
    with pytest.raises(ValueError, match="no column batch"):
        DrawnSoFar.of(Depth(2).pool(runs), weights)
