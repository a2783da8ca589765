"""F, precision times recall, and utility of what a run returns as a set."""

from functools import partial

import pytest

from leadline.measures.sets import SetAP, SetF, Utility
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import measures as plain

TWINS: dict[str, TwinFor] = {
    "SetF": lambda top: plain.set_f,
    "SetF(beta=2.0, rel=2)": lambda top: partial(plain.set_f, beta=2.0, rel=2),
    "SetAP": lambda top: plain.set_ap,
}
WORTH: dict[str, TwinFor] = {
    "Utility": lambda top: plain.utility,
    "Utility(a=-0.5, b=2.0)": lambda top: partial(plain.utility, a=-0.5, b=2.0),
}


@pytest.mark.parametrize("name", TWINS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, TWINS[name], condensed=True)


@pytest.mark.parametrize("name", WORTH)
def test_utilities_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, WORTH[name])


@pytest.mark.parametrize("name", TWINS)
def test_ends_are_those_of_brute_force(name: str) -> None:
    check_interval(name, TWINS[name], unseen=True)


@pytest.mark.parametrize("name", WORTH)
def test_ends_of_utilities_are_those_of_brute_force(name: str) -> None:
    check_interval(name, WORTH[name])


def test_empty_lists_and_topics_without_relevant_documents() -> None:
    assert SetF().sketch("", elsewhere="1") == "0.0000 [0.0000, 0.0000]"
    assert SetAP().sketch("0 ?") == "nan [0.0000, 0.5000]"
    assert Utility().sketch("") == "0.0000 [0.0000, 0.0000]"


def test_weights_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="beta must be 0 or more"):
        SetF(-1.0)
    with pytest.raises(ValueError, match="less than a million either way"):
        Utility(float("inf"))
