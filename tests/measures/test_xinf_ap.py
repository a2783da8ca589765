"""Inferred AP over strata equals a plain loop, and one stratum makes it infAP."""

import math
from functools import partial

import numpy as np
from hypothesis import given

from leadline.measures.measure import measures
from tests.measures.sampled_pools import (
    Doc,
    Plain,
    Pool,
    SampledCase,
    cases,
    check_against_loops,
    check_complete,
    is_relevant,
    rates,
)
from tests.tries import tries

EPSILON = 1e-5


def xinf_ap(
    ranking: list[str], pool: Pool, k: int = 10**6, rel: int = 1, spare: float = 3 * EPSILON
) -> float:
    weight = rates(pool)
    total = sum(weight[doc.stratum] for name, doc in pool.items() if is_relevant(pool, name, rel))
    if total == 0:
        return math.nan
    score = 0.0
    for rank, name in enumerate(ranking[:k], 1):
        if not is_relevant(pool, name, rel):
            continue
        expected = 0.0
        for stratum in {doc.stratum for doc in pool.values()}:
            above = [d for d in ranking[: rank - 1] if d in pool and pool[d].stratum == stratum]
            judged = [d for d in above if pool[d].grade is not None]
            hits = sum(is_relevant(pool, d, rel) for d in judged)
            expected += len(above) * (hits + EPSILON) / (len(judged) + spare)
        score += weight[pool[name].stratum] * (1 + expected) / rank
    return score / total


LOOPS: dict[str, Plain] = {
    "xinfAP": xinf_ap,
    "xinfAP@3": partial(xinf_ap, k=3),
    "xinfAP(rel=2)": partial(xinf_ap, rel=2),
    "xinfAP(smoothing=trec_eval)": partial(xinf_ap, spare=2 * EPSILON),
}


@tries(20)
@given(case=cases())
def test_scores_and_standard_errors_equal_a_plain_loop(case: SampledCase) -> None:
    check_against_loops(case, LOOPS, by_inclusion=False)


@tries(12)
@given(case=cases())
def test_where_all_was_judged_it_is_average_precision(case: SampledCase) -> None:
    check_complete(case, {"xinfAP": "AP", "xinfAP@3": "AP@3"})


@tries(20)
@given(case=cases())
def test_with_one_stratum_and_trec_evals_smoothing_xinfap_is_infap(case: SampledCase) -> None:
    one = {
        topic: {name: Doc(0, doc.inclusion, doc.grade) for name, doc in pool.items()}
        for topic, pool in case.pools.items()
    }
    lists = SampledCase(case.runs, one).lists(by_inclusion=False)
    left = measures.parse("xinfAP(smoothing=trec_eval)").score(lists)
    right = measures.parse("infAP").score(lists)
    assert np.allclose(left.value, right.value, rtol=0, atol=1e-12, equal_nan=True)
    assert left.standard_error is not None
    assert right.standard_error is not None
    assert np.allclose(left.standard_error, right.standard_error, atol=1e-12, equal_nan=True)
