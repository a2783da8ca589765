"""Mean gain by label: by hand, with holes, and held by intervals of samples."""

import numpy as np
import pytest

from leadline.labels.audited_pairs import Calibration, calibration_rows
from tests.labels.small_world import audited, drawn_evenly, noisy, small_runs

GAIN = np.arange(4) / 3


def test_means_are_those_of_the_pairs_with_a_label() -> None:
    _, judgments = small_runs()
    label = noisy(judgments, missing=0.1)
    made = Calibration.of(audited(judgments, label), GAIN)
    for at, given in enumerate([0, 1, 2, 3, -1]):
        here = label == given
        assert made.value[at] == pytest.approx(GAIN[judgments.grade[here]].mean())
        assert made.n[at] == here.sum()
    assert made.expected(np.array([-1, 2])).tolist() == [made.value[4], made.value[2]]


def test_a_grade_that_was_never_given_has_no_figure() -> None:
    _, judgments = small_runs()
    label = np.minimum(noisy(judgments), 2).astype(np.int16)
    rows = {row.item: row for row in calibration_rows(audited(judgments, label), GAIN)}
    assert rows["grade 3"].value is None
    assert rows["grade 3"].n == 0
    assert "no label" not in rows


def test_intervals_of_samples_hold_the_mean_of_all() -> None:
    _, judgments = small_runs(n_docs=100)
    label = noisy(judgments)
    truth = Calibration.of(audited(judgments, label), GAIN).value
    held = np.zeros(4)
    for seed in range(100):
        rows = calibration_rows(drawn_evenly(judgments, label, 0.4, seed), GAIN)
        ends = np.array([(row.ci_lower, row.ci_upper) for row in rows], float)
        held += (ends[:, 0] <= truth[:4]) & (truth[:4] <= ends[:, 1])
    # 95 of 100 or a little more are expected, with a standard deviation of 2.
    assert (held >= 89).all(), held
