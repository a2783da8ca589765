"""Rows of runs are of the moment at which they were taken."""

import numpy as np

from leadline.app.room import Assessor
from leadline.app.site import Site
from leadline.app.snapshot import RunsNow

ALL = np.ones(2, np.bool_)


def test_what_was_taken_stays_while_somebody_judges(site: Site) -> None:
    room, ann = site.judging.room, Assessor("ann")
    taken = RunsNow.of(room.state, ALL)
    before = taken.rows()
    while (pair := room.next(ann)) is not None:
        room.judge(ann, pair, 1)
    assert taken.rows() == before
    after = RunsNow.of(room.state, ALL).rows()
    assert {row["run"] for row in after} == {row["run"] for row in before}
    assert all(row["lower"] <= row["upper"] for row in after)
    assert max(row["lower"] for row in after) > max(row["lower"] for row in before)
    assert [row["may"] for row in after] == sorted([row["may"] for row in after], reverse=True)
    assert sum(row["leads"] for row in after) == 1
