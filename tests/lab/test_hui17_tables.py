"""The frames of hui17 hold what the cells gave, mean over splits."""

from typing import Any

import pytest

from leadline.lab.papers.hui17 import (
    err_ia,
    figure1,
    figure2,
    frames,
    table2,
    table3,
    ways_of,
)
from leadline.lab.papers.hui17_plan import PARTS, PERCENTS, READING, SHORT, names
from leadline.lab.papers.runner import Setting

WAYS = ("raw", "condensed", *map(str, READING), SHORT)
READ = [str(each) for each in READING]


def results() -> dict[str, Any]:
    """Three runs; by the last measure that reads they are the other way round."""
    scores: dict[str, list[float]] = {name: [0.3, 0.2, 0.1] for name in (*names(), *READ)}
    scores[READ[-1]] = [0.1, 0.2, 0.3]
    made: dict[str, Any] = {
        "everything": {
            "runs": ["x", "y", "z"],
            "n_topics": 2,
            "n_subtopics": 4,
            "n_judged": 10,
            "n_relevant": 5,
            "short": "DELTArb(mu=9)",
            "established": names(),
            "reading": READ,
            "percents": list(PERCENTS),
            "scores": scores,
            "notices": [],
        }
    }
    for percent in PERCENTS:
        made[f"judged {percent}%"] = {
            name: {
                way: [percent / 100 + at / 1000, 0.15, 0.8 if way == READ[0] else None]
                for at, way in enumerate(WAYS)
            }
            for name in names()
        }
    for number, tau in enumerate((0.2, 0.4)):
        made[f"split {number}"] = {
            f"{judged} {scored} {name} {each}": tau
            for judged in PARTS
            for scored in PARTS
            for name in names()
            for each in READ
        }
    return made


def test_figure_1_has_every_way_and_percentage() -> None:
    frame = figure1(results())
    assert len(frame) == len(names()) * len(WAYS) * len(PERCENTS)
    one = frame.filter(established=names()[0], method=WAYS[1], percent=7)
    assert one["tau"].item() == pytest.approx(0.071)
    assert one["sd"].item() == pytest.approx(0.15)
    assert ways_of(results()) == WAYS
    assert {"ABSnb@20", "DELTAnb@20"} < set(frame["method"])


def test_tables_1_and_2_are_means_over_splits() -> None:
    frame = table2(results())
    assert len(frame) == len(PARTS) ** 2 * len(names()) * len(READ)
    assert set(frame["tau"].round(9)) == {0.3}
    # Of .2 and .4, with n - 1 below.
    assert frame["sd"].to_list() == pytest.approx([0.02**0.5] * len(frame))
    first = frames(results(), Setting("sea"))["table1"]
    assert set(first["judged_on"]) == {"C"}
    assert set(first["scored_on"]) == {"B"}
    assert len(first) == len(names()) * len(READ)


def test_tables_3_and_4_compare_orders() -> None:
    assert set(table3(results())["tau"]) == {1.0}
    four = frames(results(), Setting("sea"))["table4"]
    assert set(four.filter(measure=READ[0])["tau"]) == {1.0}
    assert set(four.filter(measure=READ[-1])["tau"]) == {-1.0}


def test_figure_2_sets_places_against_those_by_err_ia() -> None:
    assert err_ia(names()) == "ERR_IA@20"
    frame = figure2(results()).filter(measure=READ[-1])
    assert frame.select("run", "rank_established", "rank_measure").rows() == [
        ("x", 1, 3),
        ("y", 2, 2),
        ("z", 3, 1),
    ]
