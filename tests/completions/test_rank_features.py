"""What the runs say of a document equals the plain twin's, and groups count once."""

import numpy as np
import pytest
from hypothesis import given

from leadline.completions.features import ABSENT, NAMES, PLACES, RankFeatures, run_weights
from tests.collections import Small, small_collections
from tests.reference import regression as plain


@given(small_collections(n_docs=7, n_runs=4))
def test_features_equal_the_twin(small: Small) -> None:
    runs, _ = small.tables()
    table = RankFeatures(runs.postings, np.ones(len(runs.names)), plain.FLOOR, PLACES)
    feature = table[np.arange(len(table))]
    assert feature.shape == (len(runs.pairs), len(NAMES) + len(PLACES))
    listed = list(small.runs.values())
    for pair in range(len(runs.pairs)):
        ranks = plain.ranks_of(listed, *runs.pairs.name(pair))
        twin = plain.features(ranks)
        assert feature[pair, :8].tolist() == pytest.approx(twin, rel=1e-12, abs=1e-12)
        ordered = sorted(rank for rank in ranks if rank is not None) + [ABSENT] * 5
        places = [ordered[place - 1] for place in PLACES]
        assert np.exp(feature[pair, 8:]).tolist() == pytest.approx(places)


@given(small_collections(n_docs=7, n_runs=4))
def test_some_pairs_have_the_rows_that_they_have_among_all(small: Small) -> None:
    runs, _ = small.tables()
    table = RankFeatures(runs.postings, np.ones(len(runs.names)), plain.FLOOR, PLACES)
    every = np.arange(len(table))
    assert table[every[::-2]].tolist() == table[every][::-2].tolist()


def tables() -> Small:
    return Small(
        {"a1": {"1": ["x", "y", "z"]}, "a2": {"1": ["x", "y"]}, "b": {"1": ["z", "w"]}},
        {"1": {"x": 1, "y": 0, "z": 0, "w": 0}},
        1,
    )


def test_a_groups_runs_are_one_voice() -> None:
    runs, _ = tables().tables()
    run_weight = run_weights(("a", "a", "b"))
    assert run_weight.tolist() == [0.5, 0.5, 1.0]
    names = [runs.pairs.name(at)[1] for at in range(4)]
    assert names == ["w", "x", "y", "z"]
    feature = RankFeatures(runs.postings, run_weight, 0.01, (2,))[np.arange(4)]
    share = dict(zip(names, feature[:, 5].tolist(), strict=True))
    assert share == pytest.approx({"w": 0.5, "x": 0.5, "y": 0.5, "z": 0.75})
    assert np.exp(feature[:, 3]) == pytest.approx([2.0, 1.0, 2.0, 1.0])
    second = dict(zip(names, np.exp(feature[:, 8]).tolist(), strict=True))
    assert second == pytest.approx({"w": ABSENT, "x": 1, "y": 2, "z": 3})


def test_a_copy_of_a_run_in_its_own_group_changes_nothing() -> None:
    runs, _ = tables().tables()
    one = runs.only(np.array([True, False, True]))
    alone = RankFeatures(one.postings, np.ones(2), 0.01)[np.arange(4)]
    grouped = RankFeatures(runs.postings, run_weights(("a", "a", "b")), 0.01)[np.arange(4)]
    same = np.abs(alone - grouped)
    x = 1
    assert same[x].max() == pytest.approx(0)
