"""INSQ, a reader who grows more patient, with the tail beyond a list's end."""

from functools import partial

import numpy as np
import pytest

from leadline.contracts import check_measure
from leadline.measures.measure import measures
from leadline.measures.rbp import INSQ
from leadline.registry import NamingError
from tests.measures.agreement import TwinFor, check_interval, check_scores
from tests.reference import bounds as brute
from tests.reference import measures as plain

PARAMETERS: dict[str, dict[str, object]] = {
    "INSQ(t=1)": {"t": 1.0},
    "INSQ(t=1.5)@3": {"t": 1.5, "k": 3},
    "INSQ(t=2, gains=linear)": {"t": 2.0, "gains": "linear"},
}


def twin_for(name: str) -> TwinFor:
    return lambda top: partial(plain.insq, max_grade=top, **PARAMETERS[name])


def test_it_keeps_the_contract() -> None:
    check_measure("INSQ(t=2)", n=10)


@pytest.mark.parametrize("name", PARAMETERS)
def test_scores_are_those_of_a_plain_loop(name: str) -> None:
    check_scores(name, twin_for(name), condensed=True)


@pytest.mark.parametrize("name", PARAMETERS)
def test_ends_are_those_of_brute_force_and_the_tail(name: str) -> None:
    check_interval(name, twin_for(name), bounds=partial(brute.insq_bounds, **PARAMETERS[name]))


@pytest.mark.parametrize("t", [0.5, 1.0, 7.25, 1e6])
def test_weights_and_tail_sum_to_1_and_go_on_as_the_reader_does(t: float) -> None:
    measure = INSQ(t=t)
    weights = measure.weights(50)
    for n in (0, 1, 50):
        assert weights[:n].sum() + measure.tail(np.array([n]))[0] == pytest.approx(1, rel=1e-12)
    rank = np.arange(1, 50)
    on = ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2
    assert weights[1:] / weights[:-1] == pytest.approx(on, rel=1e-12)


@pytest.mark.parametrize("name", ["INSQ", "INSQ(t=0.4)", "INSQ(t=inf)", "INSQ(t=1)@0"])
def test_parameters_that_make_no_sense_are_refused(name: str) -> None:
    with pytest.raises(NamingError):
        measures.parse(name)
