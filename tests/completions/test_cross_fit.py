"""Models that do not see what they are asked about."""

from dataclasses import replace

import numpy as np
import pytest

from leadline.completions.cross_fit import N_FOLDS, DrawnPairs


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


def test_spread_is_that_of_the_cell_drawn_towards_the_overall_one() -> None:
    one = sample(300)
    spread = one.spread()
    for fold in range(N_FOLDS):
        expected, mine = one.by_fold[fold], np.flatnonzero(one.fold == fold)
        ordered = np.sort(expected[mine])
        ends = [np.quantile(ordered, share) for share in (0.2, 0.4, 0.6, 0.8)]
        other = [row for row in np.flatnonzero(one.drawn) if one.fold[row] != fold]
        square = {row: (one.gain[row] - expected[row]) ** 2 for row in other}
        overall = sum(square.values()) / len(square)
        for row in mine[:10]:
            cell = sum(end < expected[row] for end in ends)
            alike = [square[r] for r in other if sum(end < expected[r] for end in ends) == cell]
            wanted = (sum(alike) + 3 * overall) / (len(alike) + 3)
            assert spread[row] == pytest.approx(wanted**0.5)


def test_the_own_fold_has_no_say_in_the_spread() -> None:
    one = sample()
    at = int(np.flatnonzero(one.drawn)[0])
    grade = one.grade.copy()
    grade[at] = 1 - grade[at]
    same_fold = one.fold == one.fold[at]
    other = replace(one, grade=grade)
    assert (one.spread()[same_fold] == other.spread()[same_fold]).all()
    assert (one.spread()[~same_fold] != other.spread()[~same_fold]).any()


def test_nothing_drawn_means_as_far_off_as_can_be_half() -> None:
    one = sample()
    nobody = np.zeros(len(one.topic), np.bool_)
    assert replace(one, drawn=nobody).spread().tolist() == [0.5] * 60
