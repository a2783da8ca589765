"""Models that do not see what they are asked about."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.estimators.cross_fit import N_FOLDS, DrawnPairs


def sample(n: int = 60) -> DrawnPairs:
    random = np.random.default_rng(1)
    feature = random.standard_normal((n, 2))
    grade = (random.random(n) < 1 / (1 + np.exp(-2 * feature[:, 0]))).astype(np.int64)
    topic = np.sort(random.integers(0, 4, n))
    fold = random.integers(0, N_FOLDS, n)
    drawn = random.random(n) < 0.7
    inclusion = np.full(n, 0.7)
    return DrawnPairs(feature, topic, 4, drawn, inclusion, grade, fold, np.array([0.0, 1.0]))


def test_a_pairs_own_judgment_never_moves_what_is_expected_of_it() -> None:
    one = sample()
    at = int(np.flatnonzero(one.drawn)[0])
    grade = one.grade.copy()
    grade[at] = 1 - grade[at]
    other = replace(one, grade=grade)
    same_fold = one.fold == one.fold[at]
    assert (one.expected[same_fold] == other.expected[same_fold]).all()
    assert (one.expected[~same_fold] != other.expected[~same_fold]).any()


def test_what_a_feature_tells_is_learnt() -> None:
    one = sample(400)
    low, high = one.expected[one.feature[:, 0] < -1], one.expected[one.feature[:, 0] > 1]
    assert low.mean() < 0.25
    assert high.mean() > 0.75


def test_errors_are_those_of_what_was_drawn_and_counts() -> None:
    one = sample()
    counted = one.fold != 0
    expected = np.full(len(one.topic), 0.25)
    error = one.error(expected, counted)
    for at in range(len(error)):
        wanted = (one.grade[at] - 0.25) / 0.7 if one.drawn[at] and counted[at] else 0.0
        assert error[at] == pytest.approx(wanted)


def test_spread_of_one_cell_is_drawn_towards_the_overall_one() -> None:
    one = sample()
    expected = np.linspace(0, 1, len(one.topic))
    rows = np.flatnonzero(one.drawn)
    square = (one.gain[rows] - expected[rows]) ** 2
    cell = np.minimum((expected * 5).astype(int), 4)
    spread = one.spread(expected, one.drawn)
    mine = square[cell[rows] == 4]
    wanted = np.sqrt((mine.sum() + 3 * square.mean()) / (len(mine) + 3))
    assert spread[-1] == pytest.approx(wanted, rel=0.1)
    assert spread.min() > 0


def test_nothing_drawn_means_as_far_off_as_can_be_half() -> None:
    one = sample()
    nobody = np.zeros(len(one.topic), np.bool_)
    assert replace(one, drawn=nobody).spread(np.zeros(60), nobody).tolist() == [0.5] * 60
