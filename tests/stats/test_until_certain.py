"""The forecast until the best run is certain: equal to the plain twin, right where it can be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

from leadline.completions.pair_weights import PairWeights
from leadline.measures.rbp import RBP
from leadline.stats import board as module
from tests.collections import Small
from tests.reference import outlook as plain
from tests.tries import tries


@given(seed=st.integers(0, 10_000), n_runs=st.integers(2, 5), n_docs=st.integers(1, 12))
@tries(20)
def test_one_at_a_time_it_is_the_plain_twins(seed: int, n_runs: int, n_docs: int) -> None:
    random = np.random.default_rng(seed)
    weight = random.random((n_runs, n_docs)) * (random.random((n_runs, n_docs)) < 0.7)
    base, gain = random.random(n_runs), (random.random(n_docs) < 0.4) * 1.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAST_BLOCK", 1)
        found = module._judgments(base, csc_array(weight), gain)
    assert found == plain.until_certain(base.tolist(), weight.tolist(), gain.tolist())


def test_nothing_to_go_when_nobody_can_pass_and_all_when_runs_are_equal() -> None:
    runs, _ = Small({"a": {"1": ["x", "y"]}, "b": {"1": ["z", "y"]}}, {"1": {}}, 1).tables()
    weights = PairWeights.of(runs, RBP(0.5))
    name = [runs.pairs.name(pair)[1] for pair in weights.pair.tolist()]
    judged = np.array([each in ("x", "z") for each in name])
    gain = np.array([1.0 if each == "x" else 0.0 for each in name])
    replayed = np.tile([0.0, 1.0, 0.0], (len(name), 1))
    assert module.until_certain(weights, judged, gain, replayed) == 0
    none = np.zeros(len(name), np.bool_)
    # y moves both alike: only x and z can tell.
    assert module.until_certain(weights, none, gain, np.ones((len(name), 3))) == 2
