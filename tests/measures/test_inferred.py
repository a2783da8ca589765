"""Inferred AP equals a plain loop, and doubts a pool that was judged at several rates."""

from functools import partial

import pytest
from hypothesis import given

from leadline.measures.inferred import infAP
from tests.measures.sampled_pools import (
    Doc,
    Plain,
    Pool,
    SampledCase,
    cases,
    check_against_loops,
    check_complete,
)
from tests.measures.test_xinf_ap import EPSILON, xinf_ap
from tests.tries import tries


def inf_ap(ranking: list[str], pool: Pool, rel: int = 1) -> float:
    one = {name: Doc(0, doc.inclusion, doc.grade) for name, doc in pool.items()}
    return xinf_ap(ranking, one, rel=rel, spare=2 * EPSILON)


LOOPS: dict[str, Plain] = {"infAP": inf_ap, "infAP(rel=2)": partial(inf_ap, rel=2)}


@tries(20)
@given(case=cases())
def test_scores_and_standard_errors_equal_a_plain_loop(case: SampledCase) -> None:
    check_against_loops(case, LOOPS, by_inclusion=False)


@tries(12)
@given(case=cases())
def test_where_all_was_judged_it_is_average_precision(case: SampledCase) -> None:
    check_complete(case, {"infAP": "AP"})


@pytest.mark.parametrize(("deep", "doubted"), [(2, False), (3, True)])
def test_strata_judged_at_unlike_rates_are_doubted(deep: int, doubted: bool) -> None:
    """All of the upper stratum is judged, of the lower one in two or in three."""
    pool = {"a": Doc(0, 1.0, 1), "b": Doc(1, 1.0, 0)}
    pool |= {f"c{number}": Doc(1, 1.0, None) for number in range(deep - 1)}
    sampling = SampledCase([{"1": ["a"]}], {"1": pool}).lists(by_inclusion=False).sampling
    assert sampling is not None
    doubt = infAP().doubt(sampling)
    assert (doubt is not None) == doubted
    assert not doubted or "33% to 100%: use xinfAP" in str(doubt)
