"""Labels taken for judgments."""

import numpy as np

from leadline.lab.benchmark.entrants.methods import LabelsAlone
from leadline.lab.benchmark.question import Truth
from tests.lab.entrants.labelled import labelled


def test_a_judge_who_is_always_right_needs_nobody() -> None:
    asked = labelled(10, right=1.0)
    assert np.allclose(LabelsAlone().answer(asked).value, Truth.of(asked).value)
    assert asked.judgments == 0


def test_one_who_errs_is_off_and_does_not_know_it() -> None:
    asked = labelled(10, right=0.5)
    answer = LabelsAlone().answer(asked)
    assert np.abs(answer.value - Truth.of(asked).value).mean() > 0.02
    assert answer.lower is None


def test_measures_that_divide_by_an_ideal_take_the_labels_for_judgments() -> None:
    for measure in ("nDCG@10", "AP"):
        right, wrong = (labelled(10, right=right, measure=measure) for right in (1.0, 0.5))
        assert np.allclose(LabelsAlone().answer(right).value, Truth.of(right).value)
        assert np.abs(LabelsAlone().answer(wrong).value - Truth.of(wrong).value).mean() > 0.02
