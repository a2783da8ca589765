"""Calibrated labels equal their plain twin, and move from what is said to what is learnt."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.lara import LabelCalibration
from tests.reference.rivals import lara_chances, lara_grade
from tests.tries import tries

shares = st.sampled_from([0.0, 1 / 3, 0.5, 2 / 3, 1.0])


@given(
    rows=st.lists(st.tuples(shares, st.integers(-1, 3)), min_size=1, max_size=12),
    rate=st.sampled_from([0.0, 0.05, 1.0]),
    top=st.integers(1, 3),
)
@tries(15)
def test_chances_and_grades_equal_their_twin(
    rows: list[tuple[float, int]], rate: float, top: int
) -> None:
    said = {("1", f"d{at}"): share for at, (share, _) in enumerate(rows)}
    known = {("1", f"d{at}"): grade for at, (_, grade) in enumerate(rows) if grade >= 0}
    twin = lara_chances(said, known, top, rate)
    share = np.array([share for share, _ in rows])
    grade = np.array([max(grade, 0) for _, grade in rows], np.int16)
    judged = np.array([grade >= 0 for _, grade in rows])
    model = LabelCalibration.of(share, top, rate)
    chances = model.chances(judged, grade)
    assert chances.T.tolist() == [pytest.approx(row, abs=1e-4) for row in twin.values()]
    if (np.abs(chances - 0.5) > 1e-3).all():
        assert model.grades(judged, grade).tolist() == [lara_grade(row) for row in twin.values()]


def test_what_is_said_counts_first_and_what_is_learnt_later() -> None:
    """A judge that is always wrong is believed at first, and turned round by judgments."""
    share = np.tile([0.0, 1.0], 200)
    judged, grade = np.zeros(400, np.bool_), (1 - share).astype(np.int16)
    model = LabelCalibration.of(share, 1, 0.01)
    assert model.grades(judged, grade).tolist() == share.tolist()
    judged[:200] = True
    assert model.grades(judged, grade).tolist() == grade.tolist()


def test_what_has_no_label_is_as_doubtful_as_can_be() -> None:
    model = LabelCalibration.of(np.array([np.nan, 1.0]), 1, 0.01)
    nothing = np.zeros(2, np.bool_)
    assert model.chances(nothing, nothing.astype(np.int16)).tolist() == [[0.5, 1.0]]
