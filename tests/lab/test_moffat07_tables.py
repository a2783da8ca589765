"""The frames of moffat07 hold what the passes gave, in both readings."""

from typing import Any

import pytest

from leadline.lab.papers.moffat07 import (
    certainty,
    contenders,
    figure2,
    frames,
    projected_both,
    table2,
    table3,
    table4,
    table5,
    ties,
    variants,
)
from leadline.lab.papers.moffat07_plan import METHODS, OTHERS, PS, STOPS, VARIANTS
from leadline.lab.papers.runner import Setting

SETTING = Setting("folder/sea", quick=True)


def judged(p: float, at: int) -> dict[str, Any]:
    """Two runs after 1000 judgments: of the first half is open, of the other nothing."""
    ranges = {"1000": {"base": [0.25, 0.1], "residual": [0.5, 0.0], "mean_projected": [0.375, 0.1]}}
    residual = [[0.1 + at / 100, 0.2 + at / 100] for _ in PS]
    made: dict[str, Any] = {"size": 1000, "residual": residual, "ranges": ranges}
    made |= {"tested": [[1000, 0.5, 0.25, None]], "chosen": list(range(int(10 * p)))}
    return made


def results() -> dict[str, Any]:
    certain = {
        "until": {stop: 100 * (at + 1) for at, stop in enumerate(STOPS)},
        "contenders": [[0, 1], [100, 0]],
    }
    made: dict[str, Any] = {f"ours certain {name}": certain for name in OTHERS}
    made["ours certain Random"] = certain | {"until": dict.fromkeys(STOPS)}
    for reading in ("paper", "ours"):
        for at, name in enumerate(METHODS):
            made[f"{reading} found {name}"] = [[1000, 300 + at, 1100], [2000, 500 + at, 2300]]
            made[f"{reading} judged {name}"] = judged(0.8, at) | {"certain": certain}
        for at, name in enumerate(VARIANTS):
            made[f"{reading} {name}"] = {
                "found": [[1000, 300 + at, 1100]],
                "size": 1000,
                "residual": [[0.1 * at, 0.2] for _ in PS],
            }
        for p in (0.5, 0.95):
            made[f"{reading} judged {p} MoffatC"] = judged(p, 9)
        made[f"{reading} everything"] = {
            "runs": ["x", "y"],
            "n_topics": 3,
            "n_pairs": 4000,
            "n_best": 2,
            "judged": 3000,
            "official": True,
            "tested": [0.75, 0.7, 0.6],
            "tested_map": 0.8,
            "ranges": {str(p): {"base": [0.3, 0.1], "residual": [0.1, 0.1]} for p in PS},
            "notices": [],
        }
    for number in (0, 1):
        made[f"paper ties {number}"] = {
            "found": [[1000, 290 + 10 * number, 1100]],
            "size": 1000,
            "residual": [[0.1, 0.2 + number / 10] for _ in PS],
            "tested": [[1000, 0.5, None, 0.25]],
        }
    return made


def test_table_2_has_every_method_and_cut() -> None:
    frame = table2(results(), "paper")
    assert frame.row(0) == ("DepthFirst", 1000, 300, 1100)
    assert len(frame) == len(METHODS) * 2


def test_table_3_counts_what_two_sets_share() -> None:
    # Of 5, 8 and 9 pairs numbered from 0 the smaller set is shared.
    assert table3(results(), "ours").rows() == [(0.5, 0.8, 5), (0.5, 0.95, 5), (0.8, 0.95, 8)]


def test_table_4_has_pooling_over_all_runs_and_over_the_best() -> None:
    frame = table4(results(), "paper")
    assert frame.filter(judged_with="DepthFirst")["residual"].to_list() == [0.2] * 3
    assert frame.filter(judged_with="DepthFirst (best 2)")["residual"].to_list() == [0.1] * 3
    assert frame.filter(judged_with="MoffatC(p=0.8)")["residual"].to_list() == pytest.approx(
        [0.13] * 3
    )


def test_table_5_ends_with_all_judgments() -> None:
    frame = table5(results(), "paper")
    assert frame.filter(order="DepthFirst")["fraction"].to_list() == [0.5, 0.25, None]
    assert frame.filter(order="RBP").rows()[0] == ("RBP", 3000, "lower", 0.75)
    assert frame.row(-1) == ("MAP", 3000, "lower", 0.8)


def test_a_projected_score_takes_what_is_open_for_as_good() -> None:
    frame = figure2(results(), "paper")
    first = frame.filter(run="x")
    # A quarter found, half open: at most 3/4; as good as what was judged, 1/4 + 1/2 * 1/4 / (1/2).
    assert first["lower"].to_list() == [0.25, 0.25]
    assert first["upper"].to_list() == pytest.approx([0.75, 0.5])


def test_ties_have_their_least_and_most() -> None:
    frame = ties(results())
    found = frame.filter(table="table2", column="relevant").row(0, named=True)
    assert (found["least"], found["most"]) == (290.0, 300.0)
    assert frame.filter(table="table5", column="top").is_empty()
    assert frame.filter(table="table4", column="p=0.5")["most"].to_list() == pytest.approx([0.3])


def test_certainty_may_never_come() -> None:
    frame = certainty(results())
    assert len(frame) == (len(METHODS) + len(OTHERS)) * len(STOPS)
    assert frame.filter(order="Random")["judgments"].null_count() == len(STOPS)
    assert frame.filter(order="MoffatC")["judgments"].to_list() == [100, 200, 300, 400]
    assert contenders(results()).filter(order="DepthFirst").rows() == [
        ("DepthFirst", 0, 1),
        ("DepthFirst", 100, 0),
    ]


def test_every_file_is_there_in_both_readings() -> None:
    names = set(frames(results(), SETTING))
    both = {
        f"{kind}{n}" for kind, last in (("table", 5), ("figure", 3)) for n in range(1, last + 1)
    }
    both = both - {"table1"} | {"variants", "projected"}
    assert names == both | {f"{name}_ours" for name in both} | {"ties", "certainty", "contenders"}


def test_variants_have_what_they_found_and_the_residual_of_the_best() -> None:
    frame = variants(results(), "paper")
    assert frame["order"].to_list() == list(VARIANTS)
    assert frame.row(1) == (VARIANTS[1], 1000, 301, 1100, 1000, pytest.approx(0.1))


def test_the_two_projected_scores_are_told_apart() -> None:
    frame = projected_both(results(), "ours")
    first = frame.row(0, named=True)
    # Of means: .25 + .5 * .25 / .5.
    assert (first["judgments"], first["run"]) == (1000, "x")
    assert first["of_means"] == pytest.approx(0.5)
    assert first["mean"] == pytest.approx(0.375)
