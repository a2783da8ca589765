"""Runs given in another order give the same differences, intervals and p-values."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.measures.precision import P
from leadline.stats.pairwise import compare_pairs
from leadline.stats.significance import Tails
from tests.collections import Small, small_collections
from tests.tries import tries


def pairs(small: Small, test: str, tails: Tails) -> dict[frozenset[str], tuple[float, ...]]:
    """Per pair of runs |difference|, p and the width of the joint interval."""
    runs, judgments = small.tables()
    found = compare_pairs(runs, judgments, P(k=2), test=test, tails=tails)
    rows = zip(found.first, found.second, found.difference, found.p, found.lower, strict=True)
    uppers = iter(found.upper)
    return {
        frozenset([runs.names[a], runs.names[b]]): (abs(d), p, next(uppers) - lower)
        for a, b, d, p, lower in rows
    }


@pytest.mark.parametrize(
    ("test", "tails"), [("tukey(n=200)", 2), ("wilcoxon", 1), ("randomisation(n=200)", 1), ("t", 2)]
)
@tries(15)
@given(small=small_collections(n_docs=6, n_topics=6, n_runs=5), seed=st.integers(0, 99))
def test_the_order_in_which_runs_are_given_changes_no_p(
    test: str, tails: Tails, small: Small, seed: int
) -> None:
    if len(small.runs) < 2:
        return
    shuffled = list(small.runs.items())
    random.Random(seed).shuffle(shuffled)
    other = Small(dict(shuffled), small.grades, small.max_grade)
    ours, theirs = pairs(small, test, tails), pairs(other, test, tails)
    assert ours.keys() == theirs.keys()
    for both in ours:
        assert ours[both] == pytest.approx(theirs[both], abs=1e-12, nan_ok=True)
