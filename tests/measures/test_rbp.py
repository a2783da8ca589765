"""Rank-biased precision, with the tail beyond a list's end."""

from functools import partial

import pytest

from leadline.measures.measure import measures
from leadline.measures.rbp import RBP
from leadline.registry import NamingError
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import bounds as brute
from tests.reference import measures as plain

PARAMETERS: dict[str, dict[str, object]] = {
    "RBP(p=0.7)": {},
    "RBP(p=0.7)@3": {"k": 3},
    "RBP(p=0.7, norm=true)@3": {"k": 3, "norm": True},
    "RBP(p=0.7, gains=linear)": {"gains": "linear"},
}


def twin_for(name: str) -> TwinFor:
    return lambda top: partial(plain.rbp, p=0.7, max_grade=top, **PARAMETERS[name])


@pytest.mark.parametrize("name", PARAMETERS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, twin_for(name), condensed=True)


@pytest.mark.parametrize("name", PARAMETERS)
def test_ends_are_those_of_brute_force_and_the_tail(name: str) -> None:
    bounds = partial(brute.rbp_bounds, p=0.7, **PARAMETERS[name])
    check_interval(name, twin_for(name), bounds=bounds)


def test_the_tail_is_what_nobody_lists() -> None:
    assert RBP(p=0.5).sketch("1 1 1") == "0.8750 [0.8750, 1.0000]"
    assert RBP(p=0.5, k=3).sketch("1 1 1") == "0.8750 [0.8750, 0.8750]"
    assert RBP(p=0.5, k=3, norm=True).sketch("1 1 1") == "1.0000 [1.0000, 1.0000]"


@pytest.mark.parametrize("name", ["RBP(p=0)", "RBP(p=1)", "RBP(p=0.5, norm=true)", "RBP(p=0.5)@0"])
def test_parameters_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(NamingError):
        measures.parse(name)
