"""Each reading has notices of its own."""

from dataclasses import FrozenInstanceError

import pytest

from leadline.io.formats import Reading


def test_readings_do_not_share_their_notices() -> None:
    one, other = Reading(), Reading()
    one.notices.add("a", "notice", "x", "seen")
    assert len(one.notices.problems) == 1
    assert not other.notices.problems


def test_faults_stop_unless_asked_otherwise_and_nothing_changes_under_way() -> None:
    reading = Reading()
    assert not reading.skip_bad_lines
    assert not reading.subtopics
    assert reading.map_grades is None
    with pytest.raises(FrozenInstanceError):
        reading.skip_bad_lines = True  # type: ignore[misc]
