"""Inferred nDCG over strata equals a plain loop; its ideal rounds halves up."""

import math
from functools import partial

import pytest
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
    rates,
)
from tests.tries import tries


def inf_ndcg(ranking: list[str], pool: Pool, k: int = 10**6, exp2: bool = False) -> float:
    def gain(grade: int) -> float:
        return 2**grade - 1 if exp2 else grade

    weight = rates(pool)
    numbers: dict[int, float] = {}
    for doc in pool.values():
        if doc.grade:
            numbers[doc.grade] = numbers.get(doc.grade, 0) + weight[doc.stratum]
    # The sum over a stratum comes first there, so halves are halves.
    ideal = [gain(g) for g in sorted(numbers, reverse=True) for _ in range(half_up(numbers[g]))]
    best = sum(each / math.log2(rank + 1) for rank, each in enumerate(ideal[:k], 1))
    if best == 0:
        return math.nan
    score = 0.0
    for stratum in {doc.stratum for doc in pool.values()}:
        listed = [
            (rank, pool[d])
            for rank, d in enumerate(ranking[:k], 1)
            if d in pool and pool[d].stratum == stratum
        ]
        judged = [(rank, doc) for rank, doc in listed if doc.grade is not None]
        found = sum(gain(doc.grade or 0) / math.log2(rank + 1) for rank, doc in judged)
        if judged:
            score += len(listed) / len(judged) * found
    return score / best


def half_up(number: float) -> int:
    return math.floor(round(number, 9) + 0.5)


LOOPS: dict[str, Plain] = {
    "infNDCG": inf_ndcg,
    "infNDCG@3": partial(inf_ndcg, k=3),
    "infNDCG(gains=exp2)@5": partial(inf_ndcg, k=5, exp2=True),
}


@tries(20)
@given(case=cases())
def test_scores_and_standard_errors_equal_a_plain_loop(case: SampledCase) -> None:
    check_against_loops(case, LOOPS, by_inclusion=False)


@tries(12)
@given(case=cases())
def test_where_all_was_judged_it_is_ndcg(case: SampledCase) -> None:
    check_complete(case, {"infNDCG": "nDCG", "infNDCG(gains=exp2)@3": "nDCG(gains=exp2)@3"})


def test_half_a_document_is_a_whole_one_in_the_ideal() -> None:
    """One of two judged relevant stands for 3/2 documents of a stratum of three: two in all."""
    pool = {"a": Doc(0, 1.0, 1), "b": Doc(0, 1.0, 0), "c": Doc(0, 1.0, None)}
    scores = measures.parse("infNDCG").score(
        SampledCase([{"1": ["a"]}], {"1": pool}).lists(by_inclusion=False)
    )
    # One document listed, judged and relevant: DCG 1; the ideal has relevant ones at ranks 1 and 2.
    assert scores.value[0, 0] == pytest.approx(1 / (1 + 1 / math.log2(3)))
