"""Judgments to go: the truth lies in the range at eight moments of ten at least."""

import pytest

import leadline
from leadline.io.datasets import COLLECTION
from scripts.to_go_trials import SHARES, looks
from tests.shared_data.where import collection

NAMES = ("demo", "trec_dl21_half", "robust2004_pooled42", "trec_covid_round1")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_truth_lies_in_the_range(name: str) -> None:
    folder = COLLECTION if name == "demo" else collection(name)
    found = list(looks(leadline.read(folder), "CertainWinner(p=0.8)", "WinnerCertain(joint=true)"))
    held = sum(told.least <= left <= told.most for _, left, told in found)
    assert len(found) == len(SHARES)
    assert held >= 8, found
