"""Interpolated precision at levels of recall, and its mean."""

from functools import partial

import pytest
from hypothesis import given

from leadline.measures.precision import InterpolatedAP, IPrec
from tests.collections import Small, small_collections
from tests.measures.agreement import TwinFor, cells, check_interval, check_scores
from tests.reference import bounds as brute
from tests.reference import measures as plain
from tests.tries import tries

LEVELS: dict[str, TwinFor] = {
    f"IPrec(recall={level})": lambda top, level=level: partial(  # type: ignore[misc]
        plain.interpolated_precision, recall=level
    )
    for level in (0.0, 0.35, 1.0)
}
LEVELS["IPrec(recall=0.35, rounding=nearest)"] = lambda top: partial(
    plain.interpolated_precision, recall=0.35, added=0.5
)
MEANS: dict[str, TwinFor] = {
    "InterpolatedAP": lambda top: plain.interpolated_ap,
    "InterpolatedAP(points=4, rel=2)": lambda top: partial(plain.interpolated_ap, points=4, rel=2),
}


@pytest.mark.parametrize("name", LEVELS | MEANS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, (LEVELS | MEANS)[name], condensed=True)


@pytest.mark.parametrize("name", LEVELS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, LEVELS[name], unseen=True)


@tries(20)
@given(small_collections(n_docs=5, n_topics=1, n_runs=1, max_grade=2, judged=0.5))
def test_the_interval_of_the_mean_holds_whatever_is_judged(small: Small) -> None:
    scores = InterpolatedAP().score(small.lists())
    ((_, _, ranking, grades),) = cells(small)
    low, high = brute.bounds(plain.interpolated_ap, ranking, grades, small.max_grade, 3)
    assert not (low < scores.lower[0, 0] - 1e-12)
    assert not (high > scores.upper[0, 0] + 1e-12)


def test_with_all_judged_the_upper_end_is_the_score() -> None:
    assert InterpolatedAP(points=3).sketch("1 0 1") == "0.8889 [0.3333, 0.8889]"


def test_levels_and_points_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match=r"recall must be between 0 and 1, not 1\.5"):
        IPrec(1.5)
    with pytest.raises(ValueError, match="points must be between 2 and 1001, not 1"):
        InterpolatedAP(1)
