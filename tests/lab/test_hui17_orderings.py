"""Kendall's tau as the paper has it, and places."""

import numpy as np
import pytest

from leadline.api.evaluate import evaluate
from leadline.lab.papers.hui17_plan import kendall, places, signs
from tests.shared_data.where import collection


def test_tau_counts_ties_as_neither() -> None:
    first = np.array([1.0, 2.0, 3.0, 4.0])
    assert float(kendall(first, np.array([1.0, 1.0, 2.0, 3.0]))) == pytest.approx(5 / 6)
    assert places(np.array([0.5, 0.9, 0.5])) == [2, 1, 3]


def test_tau_goes_over_the_last_axis() -> None:
    many = np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]])
    assert kendall(many, many[0]).tolist() == [1.0, -1.0]
    assert signs(many).tolist() == [[1, 1, 1], [-1, -1, -1]]


def test_tau_on_ambient_is_as_computed_densely() -> None:
    """With tokens [a-z0-9]+, against a literal dense computation, to two decimals.

    ABSrb with ERR_IA is 485/741 = .6545, which was noted there as .66.
    """
    folder = collection("ambient")
    kinds = ("ABSnb", "ABSrb", "DELTAnb", "DELTArb")
    read = [f"{kind}(tokens=ascii)@20" for kind in kinds]
    scores = evaluate(folder, None, ["alpha_nDCG@20", "ERR_IA@20", "NRBP", *read]).scores
    expected = {
        "alpha_nDCG@20": [0.24, 0.62, 0.71, 0.75],
        "ERR_IA@20": [0.30, 0.65, 0.73, 0.78],
        "NRBP": [0.34, 0.50, 0.54, 0.61],
    }
    for name, taus in expected.items():
        found = [kendall(scores[each].mean(), scores[name].mean()) for each in read]
        assert [round(float(tau), 2) for tau in found] == taus
