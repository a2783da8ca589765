"""Measures that add up over subtopics: shares judged, condensed lists, no ends for shares."""

import numpy as np
import pytest

from leadline.measures.diversity import share_judged, sketch_subtopics
from leadline.measures.measure import parse_measure
from tests.measures.completions import ends


@pytest.mark.parametrize("name", ["alpha_nDCG@3", "nERR_IA@3", "nNRBP", "P_IA(judged_only=true)@2"])
def test_shares_of_an_ideal_and_condensed_lists_have_no_interval(name: str) -> None:
    value, lower, upper = ends(name, "a ? b", "a")
    assert value > 0
    assert np.isnan(lower)
    assert np.isnan(upper)


def test_condensed_lists_move_up() -> None:
    assert parse_measure("StRec(judged_only=true)@2").sketch("a ? b") == "1.0000"
    assert parse_measure("StRec@2").sketch("a ? b") == "0.5000 [0.5000, 1.0000]"


def test_the_share_judged_is_that_of_the_depth_or_of_the_list() -> None:
    lists = sketch_subtopics("a ? -")
    assert share_judged(lists, 4).tolist() == [0.5]
    assert share_judged(lists, 1).tolist() == [1.0]
    assert share_judged(lists, None).tolist() == [2 / 3]
    assert np.isnan(share_judged(sketch_subtopics(""), None)).all()
