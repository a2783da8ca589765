"""Estimates from a sample equal the measure itself where all of the pool was judged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.api.evaluate import evaluate
from leadline.measures.inferred import ratio, sums_by
from leadline.measures.measure import measures
from tests.collections import Small, small_collections
from tests.measures.sampled_pools import SampledCase, cases
from tests.tries import tries

PLAIN = {
    "HorvitzThompson(of=P@3)": "P@3",
    "HorvitzThompson(of=DCG@4)": "DCG@4",
    "HorvitzThompson(of=NumRelRet)": "NumRelRet",
}


@pytest.mark.parametrize("name", PLAIN)
@tries(12)
@given(small=small_collections(judged=1.0))
def test_a_complete_pool_leaves_nothing_to_estimate(name: str, small: Small) -> None:
    lists = small.lists()
    estimate, plain = (measures.parse(each).score(lists) for each in (name, PLAIN[name]))
    assert np.allclose(estimate.value, plain.value, atol=1e-12)
    assert estimate.standard_error is not None
    assert not estimate.standard_error.any()
    assert estimate.obtained == "estimated"


def test_a_measure_of_samples_has_no_certain_interval() -> None:
    block = Small({"x": {"1": ["a"]}}, {"1": {"a": 1}}, 1).lists().blocks(None)[0]
    with pytest.raises(TypeError, match="estimated from a sample"):
        measures.parse("statAP").interval(block, 1)


def test_ratios_over_nothing_are_nothing() -> None:
    above, below = np.array([1.0, 3.0]), np.array([0.0, 2.0])
    assert ratio(above, below).tolist() == [0.0, 1.5]


def test_sums_by_row_have_every_row() -> None:
    assert sums_by(np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]), 4).tolist() == [2, 0, 5, 0]
    assert sums_by(np.zeros(0, np.int64), np.zeros(0), 2).dtype == np.float64


BY_STRATUM = ["infAP", "xinfAP(rel=2)@3", "infNDCG(gains=exp2)@5"]
BY_INCLUSION = ["statAP", "HorvitzThompson(of=RBP(p=0.8))", "HorvitzThompson(of=NumRel)"]


@tries(20)
@given(case=cases(), by_inclusion=st.booleans())
def test_both_ways_to_lists_give_the_same_estimates(case: SampledCase, by_inclusion: bool) -> None:
    names = BY_INCLUSION if by_inclusion else BY_STRATUM
    lists = case.lists(by_inclusion)
    runs = {
        f"run{number}": {
            topic: {doc: -float(rank) for rank, doc in enumerate(ranking)}
            for topic, ranking in run.items()
        }
        for number, run in enumerate(case.runs)
    }
    if not any(ranking for run in case.runs for ranking in run.values()):
        return
    full = {name: run for name, run in runs.items() if any(run.values())}
    joined = evaluate(case.qrels(by_inclusion), full, names).scores
    for name in names:
        ours = measures.parse(name).score(lists)
        kept = [lists.runs.index(run) for run in full]
        for end in ("value", "standard_error", "judged"):
            # Judged documents come in another order, and so do the terms of sums over them.
            np.testing.assert_allclose(
                getattr(ours, end)[kept], getattr(joined[name], end), rtol=1e-12
            )
