"""The page of an audit: verdict, findings, favour, and all figures."""

import sys

import polars as pl
import pytest

from leadline.views.audit_page import MEANS, audit_page

SCHEMA = ["section", "item", "value", "ci_lower", "ci_upper", "n"]
ALWAYS = [
    ("sample", "pairs judged by both", 400.0, None, None, None),
    ("sample", "topics with pairs judged by both", 23.0, None, None, None),
    ("sample", "sampled at random", 1.0, None, None, None),
    ("agreement", "same grade", 0.512, 0.46, 0.56, 400),
    ("agreement", "kappa", 0.34, 0.28, 0.4, 400),
    ("confusion", "people 0, judge 0", 0.5, 0.4, 0.6, 200),
    ("confusion", "people 0, judge 1", 0.25, 0.2, 0.3, 100),
    ("calibration", "grade 0", 0.04, 0.02, 0.06, 200),
]
WITH_RUNS = [
    ("bias by run", "a<b>", 0.031, 0.01, 0.05, 90),
    ("favour by run", "a<b>", 0.02, -0.01, 0.05, 90),
    ("favour by group", "ours", 0.052, 0.021, 0.083, 31),
    ("favoured", "group ours", 0.052, 0.021, 0.083, 31),
    ("score by people", "a<b>", 0.6, 0.55, 0.65, 90),
    ("score by judge", "a<b>", 0.7, None, None, None),
    *(("score by people", run, 0.61, 0.55, 0.65, 90) for run in "cde"),
    *(("score by judge", run, 0.5, None, None, None) for run in "cde"),
    ("order", "tau", 0.87, None, None, 63),
    ("order", "drop in rank of the labels' top run", 3.0, None, None, 63),
    ("verdicts", "all pairs: false alarms", 104.0, None, None, 1953),
    ("more", "standard error of a difference of the best 20", 0.025, None, None, 400),
    ("more", "more human judgments that would halve it", 812.0, None, None, 400),
    ("bias by rank", "ranks 1 to 3", 0.05, 0.03, 0.07, 120),
]


def made(rows: list[tuple[object, ...]], choice: str = "drawn") -> str:
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return audit_page("gpt", "P@5", choice, frame, {"ours": ("a<b>", "c")}, ["a notice"])


def test_findings_figures_and_notices_are_there_and_names_are_escaped() -> None:
    page = made(ALWAYS + WITH_RUNS)
    for text in (
        "Audit of gpt",
        "400 pairs of 23 topics",
        "The labels favour group ours (runs a&lt;b&gt;, c): they raise its score by 0.052 "
        "(0.021 to 0.083)",
        "people is 0.87",
        "has rank 4 in the human ranking",
        "812 more human judgments",
        "104 (5%)",
        "50.0%",
        "a notice",
        "<svg",
    ):
        assert text in page, text
    assert "a<b>" not in page
    one = [row for row in WITH_RUNS if "score" not in str(row[0]) or row[1] not in ("d", "e")]
    assert "has rank 2 in the human ranking" in made(ALWAYS + one)


def test_what_is_undefined_is_said_to_be() -> None:
    undefined = [
        (*row[:2], None, *row[3:]) if row[1] in ("tau", "kappa") else row
        for row in ALWAYS + WITH_RUNS
    ]
    page = made(undefined)
    assert "kappa undefined" in page
    assert "people is undefined" in page


def test_only_those_named_are_marked() -> None:
    """A run that has the name of a favoured group is not."""
    rows = [*ALWAYS, *WITH_RUNS, ("favour by run", "ours", 0.01, -0.02, 0.04, 9)]
    assert made(rows).count('class="off"') == 1


@pytest.mark.parametrize("choice", ["drawn", "complete", "chosen"])
def test_what_may_be_concluded_stands_there(choice: str) -> None:
    page = made(ALWAYS, choice)
    assert MEANS[choice][1][:60].replace("'", "&#x27;") in page
    assert "Favour" not in page, "there are no runs"


def test_a_judge_that_favours_nobody_is_said_to() -> None:
    rows = [row for row in ALWAYS + WITH_RUNS if row[0] != "favoured"]
    assert "No group or run is significantly favoured" in made(rows)
    assert "No group or run is significantly favoured" not in made(rows, "chosen")


def test_without_the_extra_charts_they_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    text = made(ALWAYS + WITH_RUNS)
    assert "Favour by run, in units of the score (not drawn: needs leadline[charts])" in text
