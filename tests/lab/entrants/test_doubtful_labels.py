"""LARA spends the budget on doubtful labels."""

import numpy as np

from leadline.lab.benchmark.entrants.methods import DoubtfulLabels, LabelsAlone
from leadline.lab.benchmark.question import Truth
from tests.lab.entrants.labelled import labelled


def test_judgments_make_it_better_than_the_labels_alone() -> None:
    asked = labelled(90, right=0.5)
    true = Truth.of(asked).value
    with_some = np.abs(DoubtfulLabels().answer(asked).value - true).mean()
    assert asked.judgments == 90
    assert with_some < np.abs(LabelsAlone().answer(labelled(0, right=0.5)).value - true).mean()
