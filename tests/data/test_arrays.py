"""Arrays of tables are of one type and read-only, and lists lie where they may."""

import numpy as np
import pytest

from leadline.data.arrays import check_slices, frozen, read_only


def test_a_frozen_array_leaves_the_callers_own_writable() -> None:
    own = np.array([1, 2, 3])
    kept = frozen(own, np.int64, (3,), "x")
    assert not kept.flags.writeable
    own[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


def test_a_frozen_array_is_of_the_type_and_shape_asked_for() -> None:
    assert frozen([0, 1], np.bool_, (2,), "x").dtype == np.bool_
    with pytest.raises(ValueError, match=r"grade must have shape \(3,\), not \(2,\)"):
        frozen([0, 1], np.int16, (3,), "grade")


def test_read_only_freezes_the_array_itself() -> None:
    own = np.zeros(2)
    assert read_only(own) is own
    assert not own.flags.writeable


def test_lists_may_leave_gaps_and_be_empty_but_not_overlap() -> None:
    check_slices(np.array([[4, 0], [7, 7]]), np.array([[6, 3], [7, 9]]), 9)
    check_slices(np.zeros((0, 3), np.int64), np.zeros((0, 3), np.int64), 0)
    with pytest.raises(ValueError, match="share entries"):
        check_slices(np.array([0, 2]), np.array([3, 4]), 4)


@pytest.mark.parametrize(("start", "stop"), [([2], [1]), ([-1], [1]), ([0], [5])])
def test_lists_outside_the_entries_are_refused(start: list[int], stop: list[int]) -> None:
    with pytest.raises(ValueError, match="inside the entries"):
        check_slices(np.array(start), np.array(stop), 4)
