"""nDCG is a share of an ideal that can grow, and its ends allow for that."""

import math
from functools import partial
from unittest.mock import patch

import pytest
from hypothesis import given

from leadline.measures import dcg as ndcg
from leadline.measures.dcg import nDCG
from leadline.measures.measure import measures
from tests.collections import Small, small_collections
from tests.measures.agreement import TwinFor, cells, check_interval, check_scores
from tests.reference import bounds as brute
from tests.reference import measures as plain
from tests.tries import tries

BY_HAND = "[(1, 0.25), (2, 1.0)]"
TWINS: dict[str, TwinFor] = {
    "nDCG": lambda top: partial(plain.ndcg, max_grade=top),
    "nDCG@3": lambda top: partial(plain.ndcg, k=3, max_grade=top),
    "nDCG(gains=exp2)@4": lambda top: partial(plain.ndcg, k=4, gains="exp2", max_grade=top),
    "nDCG(rel=2, gains=binary)@4": lambda top: partial(
        plain.ndcg, k=4, gains="binary", rel=2, max_grade=top
    ),
    f"nDCG(gains={BY_HAND}, max_grade=3)@4": lambda top: partial(
        plain.ndcg, k=4, gains=[(1, 0.25), (2, 1.0)], max_grade=3
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", [name for name in TWINS if "max_grade" not in name])
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name], unseen=True)


@pytest.mark.parametrize("name", ["nDCG@2", "nDCG(gains=exp2)@2"])
@given(small=small_collections(n_docs=4, n_topics=1, n_runs=1, max_grade=2, judged=0.5))
@tries(15)
def test_at_k_it_reaches_its_lower_end_with_k_unseen_documents(name: str, small: Small) -> None:
    scores = measures.parse(name).score(small.lists())
    ((_, _, ranking, grades),) = cells(small)
    if math.isnan(scores.value[0, 0]):
        return
    gains = "exp2" if "exp2" in name else "grade"
    twin = partial(plain.ndcg, k=2, gains=gains, max_grade=small.max_grade)
    low, _ = brute.bounds(twin, ranking, grades, small.max_grade, 2)
    assert abs(scores.lower[0, 0] - low) <= 1e-12


def test_counting_unjudged_documents_as_worthless_is_no_lower_bound() -> None:
    """With the unjudged one relevant the ideal grows: 1 / (1 + 1/log2(3)) is less than 1."""
    assert nDCG(k=2).sketch("1 0 ?") == f"1.0000 [{1 / (1 + 1 / math.log2(3)):.4f}, 1.0000]"


@given(small_collections(max_grade=3))
@tries(15)
def test_grades_that_nobody_gave_need_not_be_gone_through(small: Small) -> None:
    lists = small.lists()
    for measure in (nDCG(k=4, max_grade=9), nDCG(max_grade=9)):
        each = measure.score(lists)
        with patch.object(ndcg, "MANY_GRADES", 0):
            merged = measure.score(lists)
        for name in ("value", "lower", "upper"):
            assert getattr(merged, name) == pytest.approx(getattr(each, name), nan_ok=True)
