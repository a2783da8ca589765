"""The frames of lipani16: mean absolute errors over runs, pools by what tells them apart."""

from typing import Any

import pytest

from leadline.lab.papers.lipani16 import CORRECTORS, CUTOFFS, frames, label, strategies, table1
from leadline.lab.papers.runner import Setting

SETTING = Setting("folder/sea", reference_depth=20)
NAMES = [str(each) for each in CORRECTORS]


def results() -> dict[str, Any]:
    """Two organisations: one with errors of .2 and -.2, one of .1; half of that if corrected."""
    pools = [str(each) for figure in strategies(20).values() for each in figure]
    made: dict[str, Any] = {
        "sizes": {
            "pools": [
                [[[20, 0.5]], [10.0, 30.0]],
                [[[10, 1.0], [10, 0.2]], [12.0, 20.0]],
                [[[10, 1.0], [10, 0.1]], [11.0, 19.0]],
            ],
            "notices": ["noticed"],
            "runs": 3,
        }
    }
    for cutoff in CUTOFFS:
        for group, errors in (("one", [0.2, -0.2]), ("two", [0.1])):
            by = {
                name: [[each / (1 if name == "None" else 2) for each in errors]] for name in NAMES
            }
            made[f"P@{cutoff} {group}"] = {
                "runs": len(errors),
                "errors": dict.fromkeys(pools, by),
                "parts": {name: [0.1, 0.2, 0.3] for name in pools},
            }
        made[f"Eq. 1 P@{cutoff}"] = {
            "cases": 200,
            "fails": 4,
            "own_cases": 20,
            "own_fails": 0,
            "largest": 0.01,
        }
    return made


def test_table_1_counts_as_if_half_of_the_depth_were_judged() -> None:
    frame = table1(results())
    assert frame["sizes"].to_list() == ["20", "10 10", "10 10"]
    assert frame["percents"].to_list() == ["50", "100 20", "100 10"]
    # The first, of 40 pairs, is taken for 10 a run; the second has 32.
    assert frame["judged_per_run"].to_list() == pytest.approx([10.0, 8.0, 7.5])
    first, second, third = frame["p"]
    assert first is None
    assert second is not None
    # On both topics one less: no test can be made of that.
    assert third is None


def test_errors_are_absolute_and_over_runs_not_organisations() -> None:
    made = frames(results(), SETTING)
    for figure in ("figure1", "figure2", "figure3"):
        none = made[figure].filter(corrector="None")["mae"]
        assert none.to_list() == pytest.approx([0.5 / 3] * len(none))
        other = made[figure].filter(corrector=NAMES[1])["mae"]
        assert other.to_list() == pytest.approx([0.25 / 3] * len(other))
    assert made["figure1"]["depth"].unique(maintain_order=True).to_list() == [5, 10, 20]


def test_behind_the_means_stand_signed_errors() -> None:
    errors = frames(results(), SETTING)["errors"]
    assert set(errors.filter(group="one")["mean_error"]) == {0.0}
    two = errors.filter(group="two", corrector="None")["mean_error"]
    assert set(two) == {0.1}


def test_pools_are_told_apart_by_depth_rate_or_strata() -> None:
    by = {figure: label(figure, pools[-1]) for figure, pools in strategies(20).items()}
    assert by["figure1"] == 20
    assert by["figure2"] == 0.9
    assert str(by["figure3"]).startswith("(")
