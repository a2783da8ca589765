"""Classic measures for each subtopic: recall of subtopics, precision, average precision."""

import numpy as np
import pytest

from leadline.measures.measure import parse_measure
from tests.measures.completions import check_ends, ends


@pytest.mark.parametrize("name", ["StRec@2", "P_IA@3"])
def test_the_ends_are_the_least_and_the_most_over_all_completions(name: str) -> None:
    check_ends(name)


def test_the_upper_end_of_ap_ia_is_reached_and_its_lower_end_is_nothing() -> None:
    check_ends("AP_IA", lower_end=0.0)


def test_a_topic_without_relevant_documents_is_undefined_but_has_ends() -> None:
    value, lower, upper = ends("StRec@2", "- ?", "a:0,b:0")
    assert np.isnan(value)
    assert (lower, upper) == (0, 1)


def test_a_grade_of_zero_under_subtopic_zero_names_no_subtopic() -> None:
    # As in TREC 2009: documents that suit none are listed under 0.
    assert parse_measure("StRec@1").sketch("a -") == "1.0000 [1.0000, 1.0000]"
    assert parse_measure("StRec@1").sketch("a b:0") == "1.0000 [0.5000, 1.0000]"
