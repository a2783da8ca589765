"""The frames of lu17: errors mixed by gamma, every estimator at every depth."""

from typing import Any

import pytest

from leadline.lab.papers.lu17 import (
    figure5,
    figure6,
    frames,
    mixed,
    table1,
    table3,
    thetas,
)
from leadline.lab.papers.lu17_plan import ESTIMATORS, SAMPLED, THETA, THRESHOLDS
from leadline.lab.papers.runner import Setting

SETTING = Setting("folder/sea", quick=True)
DEPTHS = [1, 2]
ADJUSTABLE = [name for name in ESTIMATORS if name not in ("LowerBound", "UpperBound", "ListMean")]


def results() -> dict[str, Any]:
    """Two topics, one with gamma 0 and one with 0.03; LowerBound errs by .4, every other by .1."""
    made: dict[str, Any] = {
        "everything": {
            "runs": ["x", "y", "z"],
            "n_groups": 2,
            "topics": ["1", "2"],
            "n_judged": 99,
            "depth": 10,
            "depths": DEPTHS,
            "all_depths": DEPTHS,
            "table1": {"1": [5.0, 40.0], "2": [8.0, 30.0], "10": [20.0, 10.0]},
            "gamma": {depth: [0.0, 0.03] for depth in ("1", "2", "10")},
            "discrimination": 0.6,
            "new_topics": [0.05, 12.5],
            "notices": ["noticed"],
        }
    }
    for depth in DEPTHS:
        for at, name in enumerate(ESTIMATORS):
            error = 0.4 if name == "LowerBound" else 0.1
            cell: dict[str, Any] = {"rms": [error, error], "zeros": [0.5, 0.25]}
            cell |= {"sdcg": dict(cell), "adjustable": name in ADJUSTABLE}
            cell |= {"tau_distance": 0.1, "dist": 0.2, "dist_sigma": 0.3, "discrimination": 0.9}
            cell["mean"] = [0.3, 0.2, 0.1] if at % 2 else [0.1, 0.2, 0.3]
            if name.startswith("TwoStage"):
                cell["model_weights"] = [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]
            if name == "TwoStage(fit=scores)":
                cell["reliability"] = [[0.25, 0.2, 40], [0.75, 0.8, 30]]
            made[f"pool {depth} {name}"] = cell
    errors = {
        name: {"0": [[0.0, 0.2]]} | ({str(THETA): [[0.0, 0.1]]} if name in ADJUSTABLE else {})
        for name in ESTIMATORS
    }
    made |= {"without g": errors, "without h": errors}
    for number in range(3):
        drawn = {"tau_distance": 0.1 * number, "dist": 0.2, "dist_sigma": 0.3}
        made[f"draw {number}"] = {"counts": [6.0 + number, 20.0], **dict.fromkeys(SAMPLED, drawn)}
        made[f"draw {number}"]["InfRBP"] = drawn | {"tau_distance": 0.2 * number, "dist": number}
    return made


def test_table_1_ends_with_the_reference() -> None:
    assert table1(results()).rows() == [(1, 5.0, 40.0), (2, 8.0, 30.0), (10, 20.0, 10.0)]
    drawn = frames(results(), SETTING)["table1_two_strata"]
    assert drawn["judged"].to_list() == [6.0, 7.0, 8.0]


@pytest.mark.parametrize(
    ("theta", "rmse"), [(0.0, 0.1), (0.01, (0.4 + 0.1) / 2), (0.03, 0.4), (0.5, 0.4)]
)
def test_only_topics_with_a_larger_gamma_are_adjusted(theta: float, rmse: float) -> None:
    found, zeros = mixed(results(), 1, "TwoStage(fit=scores)", theta)
    assert found == pytest.approx(rmse)
    # A quarter and a half of the estimates are inside.
    assert zeros == pytest.approx(37.5)


def test_an_estimator_has_two_thresholds_or_none() -> None:
    assert thetas(True) == (0.0, THETA)
    assert thetas(False) == (None,)
    table = frames(results(), SETTING)["table2"]
    of = {name: table.filter(depth=1, estimator=name)["theta"].to_list() for name in ESTIMATORS}
    assert of["LowerBound"] == [None]
    assert of["TwoStage(fit=scores)"] == [0.0, THETA]
    assert len(frames(results(), SETTING)["figure3_theta"]) == len(THRESHOLDS) * (
        1 + len(ADJUSTABLE)
    )


def test_table_3_is_over_the_runs_of_all_groups() -> None:
    frame = table3(results())
    row = frame.filter(estimator="LowerBound").row(0, named=True)
    # Errors of 0 on one topic and of .2 on the other.
    assert row["rmse"] == pytest.approx(0.1)
    assert row["acc"] == pytest.approx(50.0)
    assert row["theta"] is None
    alone = {name: each for name, each in results().items() if not name.startswith("without")}
    assert table3(alone | {"without g": {}}).is_empty()


def test_estimators_are_set_against_each_other() -> None:
    frame = figure5(results())
    # Those of one parity order the runs alike.
    one, two, three = ESTIMATORS[:3]
    by = {(row[1], row[2]): row[3] for row in frame.filter(depth=1).rows()}
    assert (by[one, two], by[one, three]) == (1.0, 0.0)


def test_draws_stand_in_their_order() -> None:
    frame = figure6(results()).filter(estimator="TwoStage(fit=scores)")
    assert frame["repeat"].to_list() == [0, 1, 2]
    assert frame["tau_distance"].to_list() == pytest.approx([0.0, 0.1, 0.2])


def test_only_estimators_with_gains_have_reliability() -> None:
    frame = frames(results(), SETTING)["reliability"]
    assert set(frame["estimator"]) == {"TwoStage(fit=scores)"}
    assert len(frame) == len(DEPTHS) * 2


def test_weights_of_the_models_are_those_of_the_second_stage() -> None:
    frame = frames(results(), SETTING)["model_weights"]
    assert frame.columns == ["depth", "estimator", "topic", "Linear", "Zipf", "Weibull"]
    assert len(frame) == len(DEPTHS) * 3 * 2
    assert frame.row(1)[3:] == (1.0, 0.0, 0.0)


def test_the_effect_of_theta_is_a_difference() -> None:
    frame = frames(results(), SETTING)["theta"]
    assert set(frame["estimator"]) == set(ADJUSTABLE)
    # One topic of two goes from .1 back to .4.
    assert set(frame["change"].round(9)) == {0.15}
