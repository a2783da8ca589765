"""AP estimated from inclusion probabilities equals a plain loop."""

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
    is_relevant,
)
from tests.tries import tries


def stat_ap(ranking: list[str], pool: Pool, known: bool = True) -> float:
    total = sum(1 / doc.inclusion for name, doc in pool.items() if is_relevant(pool, name))
    if total == 0:
        return math.nan
    above, score = 0.0, 0.0
    for rank, name in enumerate(ranking, 1):
        if is_relevant(pool, name):
            itself = 1 if known else 1 / pool[name].inclusion
            score += (itself + above) / rank / pool[name].inclusion
            above += 1 / pool[name].inclusion
    return score / total


LOOPS: dict[str, Plain] = {
    "statAP": stat_ap,
    "statAP(own=estimated)": partial(stat_ap, known=False),
}


@tries(20)
@given(case=cases())
def test_scores_and_standard_errors_equal_a_plain_loop(case: SampledCase) -> None:
    check_against_loops(case, LOOPS, by_inclusion=True)


@tries(12)
@given(case=cases())
def test_where_all_was_judged_it_is_average_precision(case: SampledCase) -> None:
    check_complete(case, {"statAP": "AP"})


@pytest.mark.parametrize(("own", "itself"), [("known", 1), ("estimated", 2)])
def test_a_drawn_document_stands_for_others_in_precisions(own: str, itself: int) -> None:
    """Both relevant, drawn at 1 and 1/2; R is 3: (1/1 * 1 + (own + 1) / 2 * 2) / 3."""
    pool = {"a": Doc(0, 1.0, 1), "b": Doc(1, 0.5, 1)}
    lists = SampledCase([{"1": ["a", "b"]}], {"1": pool}).lists(by_inclusion=True)
    scores = measures.parse(f"statAP(own={own})").score(lists)
    assert scores.value[0, 0] == pytest.approx((1 + (itself + 1)) / 3)
