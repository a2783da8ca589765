"""Intervals of diversity measures hold every completion, and their ends are reached."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.diversity.sketch import sketch_subtopics
from leadline.measures.measure import parse_measure

EXACT = ["alpha_DCG@3", "alpha_DCG(norm=false)@3", "ERR_IA@3", "ERR_IA(norm=false)@4", "StRec@2"]
EXACT += ["P_IA@3", "alpha_DCG(alpha=0.8)@4", "ERR_IA(alpha=0.2)@3"]
SUBTOPICS = "ab"
LABELS = ["?", "?", "-", "a", "b", "a,b"]
FEW = settings(max_examples=8)
"""Each tries dozens of completions."""


def ends(name: str, ranking: str, elsewhere: str) -> tuple[float, float, float]:
    scores = parse_measure(name).score(sketch_subtopics(ranking, elsewhere))
    return tuple(float(array[0, 0]) for array in (scores.value, scores.lower, scores.upper))  # type: ignore[return-value]


def subsets() -> list[str]:
    found = []
    for chosen in product([False, True], repeat=len(SUBTOPICS)):
        text = ",".join(name for name, take in zip(SUBTOPICS, chosen, strict=True) if take)
        found.append(text or "-")
    return found


def completions(marks: list[str], elsewhere: str) -> list[tuple[str, str]]:
    """Every way to judge the unjudged documents, and one more document that nobody listed."""
    choices = [subsets() if mark == "?" else [mark] for mark in marks]
    return [
        (" ".join(listed), f"{elsewhere} {unseen}")
        for *listed, unseen in product(*choices, subsets())
    ]


lists = st.lists(st.sampled_from(LABELS), min_size=1, max_size=4).filter(
    lambda marks: 1 <= marks.count("?") <= 2
)


@pytest.mark.parametrize("name", EXACT)
@FEW
@given(marks=lists, other=st.sampled_from(["a", "a b", "a,b"]))
def test_the_ends_are_the_least_and_the_most_over_all_completions(
    name: str, marks: list[str], other: str
) -> None:
    # Both subtopics are named, whether or not a document suits them.
    elsewhere = f"{other} a:0,b:0"
    value, lower, upper = ends(name, " ".join(marks), elsewhere)
    found = [ends(name, *each)[0] for each in completions(marks, elsewhere)]
    assert lower <= value <= upper
    assert min(found) == pytest.approx(lower, abs=1e-12)
    assert max(found) == pytest.approx(upper, abs=1e-12)


@FEW
@given(marks=lists, other=st.sampled_from(["a", "a b"]))
def test_nrbp_allows_for_what_stands_past_the_end(marks: list[str], other: str) -> None:
    elsewhere = f"{other} a:0,b:0"
    value, lower, upper = ends("NRBP", " ".join(marks), elsewhere)
    tails = ["", " ".join(["a,b"] * 70), " ".join(["a"] * 70)]
    found = [
        ends("NRBP", f"{ranking} {tail}", more)[0]
        for ranking, more in completions(marks, elsewhere)
        for tail in tails
    ]
    assert lower <= value <= upper
    assert min(found) == pytest.approx(lower, abs=1e-12)
    assert max(found) == pytest.approx(upper, abs=1e-12)


@FEW
@given(marks=lists, other=st.sampled_from(["a", "a b", "a,b"]))
def test_the_upper_end_of_ap_ia_is_reached(marks: list[str], other: str) -> None:
    elsewhere = f"{other} a:0,b:0"
    _, lower, upper = ends("AP_IA", " ".join(marks), elsewhere)
    found = [ends("AP_IA", *each)[0] for each in completions(marks, elsewhere)]
    assert lower == 0
    assert max(found) == pytest.approx(upper, abs=1e-12)


def test_a_topic_without_relevant_documents_is_undefined_but_has_ends() -> None:
    value, lower, upper = ends("StRec@2", "- ?", "a:0,b:0")
    assert np.isnan(value)
    assert (lower, upper) == (0, 1)


@pytest.mark.parametrize("name", ["alpha_nDCG@3", "nERR_IA@3", "nNRBP", "P_IA(judged_only=true)@2"])
def test_shares_of_an_ideal_and_condensed_lists_have_no_interval(name: str) -> None:
    value, lower, upper = ends(name, "a ? b", "a")
    assert value > 0
    assert np.isnan(lower)
    assert np.isnan(upper)


def test_condensed_lists_move_up() -> None:
    assert parse_measure("StRec(judged_only=true)@2").sketch("a ? b") == "1.0000"
    assert parse_measure("StRec@2").sketch("a ? b") == "0.5000 [0.5000, 1.0000]"


def test_a_grade_of_zero_under_subtopic_zero_names_no_subtopic() -> None:
    # As in TREC 2009: documents that suit none are listed under 0.
    assert parse_measure("StRec@1").sketch("a -") == "1.0000 [1.0000, 1.0000]"
    assert parse_measure("StRec@1").sketch("a b:0") == "1.0000 [0.5000, 1.0000]"


def test_graded_err_ia_is_as_chapelle_prints_it() -> None:
    # max grade 2: R = 1/4 for grade 1, 3/4 for grade 2.
    name = "ERR_IA(gains=exp2_scaled, norm=false)@2"
    value = 0.75 + 0.25 * 0.25 / 2
    assert parse_measure(name).sketch("a:2 a:1").startswith(f"{value:.4f}")
