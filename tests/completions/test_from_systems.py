"""WebberSystems and WebberLeaveOneOut equal their plain twins, which take judgments away
one by one.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.pooling_bias import WebberLeaveOneOut, WebberSystems, losses, mean_losses
from leadline.pooling.strategies import Stratified
from leadline.pooling.without import DrawnPool
from tests.collections import Small, small_collections
from tests.completions.last_is_new import MEASURES, as_dicts, pool_bias
from tests.reference import adjusters as plain
from tests.tries import tries


@pytest.mark.parametrize("name", MEASURES)
@given(small=small_collections(n_docs=7, n_runs=4), depth=st.integers(1, 5))
def test_systems_and_webber_equal_their_twins(name: str, small: Small, depth: int) -> None:
    if len(small.runs) < 2:
        return
    score, condensed = MEASURES[name]
    pooled, new = as_dicts(small)
    evidence = pool_bias(small, name, depth)
    topics = list(small.grades)
    of = (pooled, new, small.grades, depth, topics, score, condensed)
    assert math.isclose(
        WebberSystems().amounts(evidence)[0], plain.systems(*of).adjustment, abs_tol=1e-12
    )
    assert math.isclose(
        WebberLeaveOneOut().amounts(evidence)[0], plain.webber_runs(*of).adjustment, abs_tol=1e-12
    )


@pytest.mark.parametrize("name", ["P@3", "RBP(p=0.8)", "DCG@2", "SDCG(gains=grade)@6"])
@given(
    small=small_collections(n_docs=8, n_runs=4),
    strata=st.sampled_from([((2, 1.0),), ((1, 1.0), (3, 0.5)), ((4, 0.6), (4, 0.3))]),
    seed=st.integers(0, 20),
)
@tries(15)
def test_losses_of_weighted_measures_add_up(
    name: str, small: Small, strata: tuple[tuple[int, float], ...], seed: int
) -> None:
    """What is summed for all new runs at once is what scoring again gives for each."""
    if len(small.runs) < 2:
        return
    evidence = pool_bias(small, name, 1)
    drawn = DrawnPool(Stratified(strata), evidence.runs, seed)
    evidence = evidence.but(drawn=drawn, new=np.ones(len(evidence.runs.names), np.bool_))
    scored = [losses(evidence, rank).mean() for rank in evidence.new_ranks()]
    assert mean_losses(evidence).tolist() == pytest.approx(scored, abs=1e-12)
