"""Estimates given as csv, and how they order the runs."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import leadline
from leadline.demo import COLLECTION
from leadline.files.problems import Notices
from leadline.presentation.pages.read_estimates import (
    Estimate,
    agreement,
    estimates_of,
    read_estimates,
)
from leadline.verbs.report import make_report
from tests.presentation.test_page import data_of

HEAD = "run,topic,measure,estimator,value,standard_error,lower,upper\n"


def test_a_file_of_estimate_is_read_by_estimator(tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(
        HEAD + "a,1,AP,LB,0.9,,,\na,all,AP,LB,0.25,,,\nb,all,AP,LB,0.5,,,\na,all,AP,UB,,,,\n"
        "b,all,P@5,UB,1,,,\n"
    )
    table = read_estimates(file)
    notices = Notices()
    low, high = estimates_of(table, "AP", ("a", "b"), notices)
    assert (low.name, low.value.tolist()) == ("LB", [0.25, 0.5])
    assert (high.name, np.isnan(high.value).tolist()) == ("UB", [True, True])
    assert "has no estimate of AP for 2 of 2 runs" in notices.lines()[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run,value\na,1\n", "has no column measure"),
        ("run,measure,value\na,AP,high\n", "must be a number, found 'high'"),
        ("", "is no csv"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "e.csv"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_estimates(file)


def test_the_page_holds_places_and_agreement(tmp_path: Path) -> None:
    scores = leadline.evaluate(COLLECTION, measures="P@5")
    turned = tmp_path / "turned.csv"
    scores.with_columns(value=1 - pl.col("value")).write_csv(turned)
    same = tmp_path / "same.csv"
    scores.write_csv(same)
    made = make_report(COLLECTION, None, ["P@5", "P@10"], estimates=[same, turned])
    first, second = data_of(made.page)["measures"]
    assert "orderings" not in second
    names = [each["name"] for each in first["orderings"]]
    assert names == ["score", "same", "turned"]
    score, again, other = (each["place"] for each in first["orderings"])
    assert score == again
    assert other[score.index(1)] > 20
    assert "No estimates of P@10 were given" in made.page
    table = pl.concat([read_estimates(same), read_estimates(turned)])
    one, two = estimates_of(table, "P@5", tuple(scores["run"]), Notices())
    assert agreement(one, one)["kendall_tau_b"] == pytest.approx(1)
    assert agreement(one, two)["kendall_tau_b"] == pytest.approx(-1)
    assert agreement(Estimate("none", np.full(24, np.nan)), one) == {}
    assert ">-1.0000<" in made.page


def test_estimates_of_other_runs_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "e.csv"
    file.write_text(HEAD + "somebody,all,P@5,LB,0.5,,,\n")
    with pytest.raises(ValueError, match="for none of these runs"):
        make_report(COLLECTION, None, ["P@5"], estimates=file)
