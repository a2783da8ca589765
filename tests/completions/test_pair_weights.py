"""Scores as sums over pairs."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.pair_weights import PairWeights, last_rank
from leadline.data.judgments import Judgments
from leadline.data.lists import Lists
from leadline.measures.measure import Weighted, parse_measure
from tests.collections import Small, small_collections


def weighted(name: str) -> Weighted:
    measure = parse_measure(name).numerator
    assert measure is not None
    return measure


@given(small_collections(judged=1.0))
def test_with_all_judged_the_sum_over_pairs_is_the_mean_score(small: Small) -> None:
    runs, judgments = small.tables()
    everything = Judgments(
        runs.pairs, np.ones(len(runs.pairs), np.bool_), judgments.grade, max_grade=small.max_grade
    )
    measure = weighted("SDCG@3")
    weights = PairWeights.of(runs, measure)
    gain = measure.gain(everything.max_grade)[everything.grade[weights.pair]]
    wanted = measure.score(Lists.of(runs, everything)).value.mean(axis=1)
    assert weights.scores(gain) == pytest.approx(wanted, abs=1e-12)


@given(small_collections())
def test_spread_and_size_by_their_definitions(small: Small) -> None:
    runs, _ = small.tables()
    weights = PairWeights.of(runs, weighted("RBP(p=0.5)"))
    dense = weights.matrix.toarray()
    share = np.arange(1, len(runs.names) + 1) / 10
    mean = share @ dense / share.sum()
    wanted = np.sqrt((share[:, None] * (dense - mean) ** 2).sum(axis=0) / share.sum())
    assert weights.spread(share) == pytest.approx(wanted, abs=1e-7)
    both = weights.spread(np.column_stack([share, share[::-1]]))
    assert both[:, 0] == pytest.approx(wanted, abs=1e-7)
    assert weights.size() == pytest.approx(np.sqrt((dense**2).mean(axis=0)), abs=1e-12)


def test_ranks_beyond_the_last_weigh_less_than_a_thousandth() -> None:
    rank = last_rank(weighted("RBP(p=0.95)"), 1000)
    assert 0.95**rank <= 1e-3 < 0.95 ** (rank - 1)
    assert last_rank(weighted("nDCG@10"), 1000) == 10
