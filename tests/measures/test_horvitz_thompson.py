"""Totals over a pool from a sample of it equal plain sums of gain over inclusion."""

import math
from functools import partial

import polars as pl
import pytest
from hypothesis import given

from leadline.api.evaluate import evaluate
from leadline.measures.measure import measures
from tests.measures.sampled_pools import (
    Plain,
    Pool,
    SampledCase,
    cases,
    check_against_loops,
    check_complete,
    is_relevant,
)
from tests.tries import tries


def ht_rbp(ranking: list[str], pool: Pool) -> float:
    return sum(
        0.2 * 0.8 ** (rank - 1) / pool[name].inclusion
        for rank, name in enumerate(ranking, 1)
        if is_relevant(pool, name)
    )


def ht_dcg(ranking: list[str], pool: Pool, k: int) -> float:
    return sum(
        (pool[name].grade or 0) / math.log2(rank + 1) / pool[name].inclusion
        for rank, name in enumerate(ranking[:k], 1)
        if name in pool
    )


def ht_num_rel(ranking: list[str], pool: Pool, listed: bool) -> float:
    names = ranking if listed else pool
    return sum(1 / pool[name].inclusion for name in names if is_relevant(pool, name))


LOOPS: dict[str, Plain] = {
    "HorvitzThompson(of=RBP(p=0.8))": ht_rbp,
    "HorvitzThompson(of=DCG@3)": partial(ht_dcg, k=3),
    "HorvitzThompson(of=NumRel)": partial(ht_num_rel, listed=False),
    "HorvitzThompson(of=NumRelRet)": partial(ht_num_rel, listed=True),
}


@tries(20)
@given(case=cases())
def test_scores_and_standard_errors_equal_a_plain_loop(case: SampledCase) -> None:
    check_against_loops(case, LOOPS, by_inclusion=True)


COMPLETE = ["RBP(p=0.8)", "P@5", "SDCG(rel=2)@4", "DCG", "NumRel", "NumRelRet@2"]


@tries(12)
@given(case=cases())
def test_where_all_was_judged_it_is_the_measure(case: SampledCase) -> None:
    check_complete(case, {f"HorvitzThompson(of={name})": name for name in COMPLETE})


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "P(judged_only=true)@5"])
def test_what_is_no_sum_over_documents_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is no sum over documents"):
        measures.parse(f"HorvitzThompson(of='{name}')")


def test_it_looks_as_deep_as_what_it_estimates() -> None:
    assert [
        measures.parse(f"HorvitzThompson(of={name})").depth for name in ("P@7", "RBP(p=0.8)")
    ] == [7, None]


def test_the_error_of_a_mean_or_a_sum_is_that_of_separate_draws() -> None:
    qrels = pl.DataFrame(
        {
            "topic": ["1", "1", "2", "3"],
            "doc": ["a", "b", "a", "a"],
            "grade": [1, 1, 1, 0],
            "inclusion": [0.5, 1.0, 0.25, 0.5],
        }
    )
    run = {topic: {"a": 2.0, "b": 1.0} for topic in "123"}
    found = evaluate(qrels, run, ["HorvitzThompson(of=NumRel)", "P@1"], per_topic=True)
    frame = found.frame
    assert frame.columns[-2:] == ["judged", "standard_error"]
    errors = frame.filter(pl.col("measure") == "HorvitzThompson(of=NumRel)")[
        "standard_error"
    ].to_list()
    # (1 - .5) / .5^2 = 2 and (1 - .25) / .25^2 = 12
    # On topic 3 nothing relevant was drawn, which does not make 0 exact.
    # Then the error of the sum is not known either.
    assert errors[2] is errors[3] is None
    assert errors[:2] == pytest.approx([math.sqrt(2), math.sqrt(12)])
    # Counts are sums over topics, as NumRel is: 1 / .5 + 1, 1 / .25 and nothing.
    counts = frame.filter(pl.col("measure") == "HorvitzThompson(of=NumRel)")["value"].to_list()
    assert counts == pytest.approx([3.0, 4.0, 0.0, 7.0])
    mean = evaluate(qrels, run, ["HorvitzThompson(of=P@1)"]).frame.row(0, named=True)
    assert mean["value"] == pytest.approx((2 + 4) / 3)
    # The first rank of topic 3 holds no relevant document: no draw has another value there.
    assert mean["standard_error"] == pytest.approx(math.sqrt(14) / 3)
    assert frame.filter(pl.col("measure") == "P@1")["standard_error"].is_null().all()
    assert "standard_error" not in evaluate(qrels, run, ["P@1"]).columns
