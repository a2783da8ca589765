"""Estimates from sampled pools equal their plain twins."""

import math
from functools import partial
from typing import Any

import pytest
from hypothesis import given

from leadline.measures.measure import measures
from tests.measures.sampled_pools import Pool, SampledCase, cases
from tests.reference import inferred as plain


def grades(pool: Pool) -> dict[str, int]:
    return {name: doc.grade for name, doc in pool.items() if doc.grade is not None}


def strata(pool: Pool) -> dict[str, int]:
    return {name: doc.stratum for name, doc in pool.items()}


def inclusion(pool: Pool) -> dict[str, float]:
    return {name: doc.inclusion for name, doc in pool.items()}


def left_out(pool: Pool) -> set[str]:
    return {name for name, doc in pool.items() if doc.grade is None}


def by_stratum(twin: Any, ranking: list[str], pool: Pool, **options: Any) -> float:
    return float(twin(ranking, strata(pool), grades(pool), **options))


def by_inclusion(twin: Any, ranking: list[str], pool: Pool, **options: Any) -> float:
    return float(twin(ranking, grades(pool), inclusion(pool), **options))


BY_STRATUM: dict[str, Any] = {
    "infAP": lambda ranking, pool: plain.infap(ranking, grades(pool), left_out(pool)),
    "xinfAP": partial(by_stratum, plain.xinfap),
    "xinfAP(rel=2)": partial(by_stratum, plain.xinfap, rel=2),
    "xinfAP(smoothing=trec_eval)": partial(by_stratum, plain.xinfap, smoothing="trec_eval"),
    "infNDCG": partial(by_stratum, plain.infndcg),
    "infNDCG@3": partial(by_stratum, plain.infndcg, k=3),
}
BY_INCLUSION: dict[str, Any] = {
    "statAP": partial(by_inclusion, plain.statap, own="known"),
    "statAP(rel=2)": partial(by_inclusion, plain.statap, own="known", rel=2),
    "statAP(own=estimated)": partial(by_inclusion, plain.statap),
    "HorvitzThompson(of=NumRel)": lambda _, pool: plain.total_relevant(
        grades(pool), inclusion(pool)
    ),
    "HorvitzThompson(of=DCG)": partial(by_inclusion, plain.total_dcg),
    "HorvitzThompson(of=DCG@3)": partial(by_inclusion, plain.total_dcg, k=3),
}


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= 1e-12


@pytest.mark.parametrize("known", [BY_STRATUM, BY_INCLUSION], ids=["strata", "inclusion"])
@given(case=cases())
def test_every_estimate_equals_its_twin(known: dict[str, Any], case: SampledCase) -> None:
    lists = case.lists(by_inclusion=known is BY_INCLUSION)
    for name, twin in known.items():
        scores = measures.parse(name).score(lists)
        for r, run in enumerate(case.runs):
            for t, topic in enumerate(scores.topics):
                assert same(scores.value[r, t], twin(run[topic], case.pools[topic])), name


@given(case=cases())
def test_the_standard_error_of_a_total_equals_its_twin(case: SampledCase) -> None:
    scores = measures.parse("HorvitzThompson(of=DCG)").score(case.lists(by_inclusion=True))
    assert scores.standard_error is not None
    for r, run in enumerate(case.runs):
        for t, topic in enumerate(scores.topics):
            pool = case.pools[topic]
            values = plain.weighted_values(
                run[topic], grades(pool), lambda rank: 1 / math.log2(rank + 1), float
            )
            expected = plain.standard_error(values, inclusion(pool))
            # Of every pool here a document is left out: a 0 is no sign of an exact value.
            if expected == 0 and any(doc not in grades(pool) for doc in run[topic]):
                expected = math.nan
            assert scores.standard_error[r, t] == pytest.approx(expected, abs=1e-9, nan_ok=True)
