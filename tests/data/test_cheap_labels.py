"""Labels by noisy judges become columns that do not depend on which pairs are asked for."""

import numpy as np
import pytest

from leadline.data.labels import MOST_LEVELS, NO_LABEL, NoisyLabels


def labels(*rows: list[int]) -> NoisyLabels:
    names = tuple(f"judge{at}" for at in range(len(rows)))
    return NoisyLabels(names, np.array(rows, np.int16))


def test_every_judge_has_a_column_for_each_grade_but_its_lowest() -> None:
    columns = labels([1, 2, 4, 1], [0, 0, 0, 5]).columns(np.arange(4))
    assert [column.tolist() for column in columns] == [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def test_a_judge_that_refused_has_a_column_for_what_it_left_out() -> None:
    columns = labels([0, NO_LABEL, 1]).columns(np.arange(3))
    assert [column.tolist() for column in columns] == [[0, 0, 1], [0, 1, 0]]


def test_a_judge_that_always_says_the_same_or_nothing_says_nothing() -> None:
    assert labels([2, 2, 2]).columns(np.arange(3)) == []
    assert labels([NO_LABEL, NO_LABEL]).columns(np.arange(2)) == []


def test_some_pairs_have_the_columns_of_all() -> None:
    given = labels([0, 1, 2, 3, NO_LABEL], [7, 7, 9, 9, 9])
    whole = np.column_stack(given.columns(np.arange(5)))
    some = np.array([4, 1])
    assert np.array_equal(np.column_stack(given.columns(some)), whole[some])


def test_a_long_scale_is_cut_into_parts_that_keep_its_order() -> None:
    score = np.random.default_rng(1).permutation(1000).astype(np.int16)
    level = NoisyLabels(("clicks",), score[None, :]).level[0]
    assert len(np.unique(level)) == MOST_LEVELS
    assert (np.diff(level[np.argsort(score)]) >= 0).all()
    assert np.bincount(level).min() > 150


def test_labels_follow_the_pairs_that_are_kept() -> None:
    kept = labels([0, 1, 2]).on(np.array([True, False, True]))
    assert kept.grade.tolist() == [[0, 2]]


def test_a_row_for_each_judge_is_demanded() -> None:
    with pytest.raises(ValueError, match="a row for each judge"):
        NoisyLabels(("a", "b"), np.zeros((1, 3), np.int16))
