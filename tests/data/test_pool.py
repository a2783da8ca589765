"""A pool withdraws what is outside it, and tells how its members were drawn."""

import pytest

from leadline.data.judgments import Judgments
from leadline.data.pairs import Pairs
from leadline.data.pool import Pool

PAIRS = Pairs.of(["1", "1", "2"], ["a", "b", "a"])


def judgments_of(**changes: object) -> Judgments:
    values = {"judged": [True, False, True], "grade": [2, 0, 0]}
    return Judgments(PAIRS, **{**values, **changes})  # type: ignore[arg-type]


def test_a_pool_withdraws_what_is_outside_it() -> None:
    pool = Pool(PAIRS, [False, True, True], [0, 1, 0.5], [-1, 0, 1], "by hand")
    assert len(pool) == 2
    kept = pool.restrict(judgments_of())
    assert kept.judged.tolist() == [False, False, True]
    assert kept.grade.tolist() == [0, 0, 0]
    assert kept.max_grade == 2, "the scale does not shrink with the judgments"
    assert kept.pooled is not None
    assert kept.pooled.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("inclusion", "stratum"),
    [([0, 0, 1], [-1, 0, 0]), ([0, 1, 1], [-1, -1, 0]), ([0, 2, 1], [0] * 3)],
)
def test_a_member_of_a_pool_needs_a_probability_and_a_stratum(
    inclusion: list[float], stratum: list[int]
) -> None:
    with pytest.raises(ValueError, match="inclusion"):
        Pool(PAIRS, [False, True, True], inclusion, stratum, "by hand")
