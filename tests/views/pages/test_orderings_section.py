"""Estimates in the page: places and agreement."""

from pathlib import Path

import polars as pl

import leadline
from leadline.api.report import report
from leadline.io.datasets import COLLECTION
from tests.views.pages.test_collection_report import data_of


def test_the_page_holds_places_and_agreement(tmp_path: Path) -> None:
    scores = leadline.evaluate(COLLECTION, measures="P@5")
    turned = tmp_path / "turned.csv"
    scores.with_columns(value=1 - pl.col("value")).write_csv(turned)
    same = tmp_path / "same.csv"
    scores.write_csv(same)
    made = report(COLLECTION, None, ["P@5", "P@10"], estimates=[same, turned])
    first, second = data_of(made.page)["measures"]
    assert "orderings" not in second
    assert [each["name"] for each in first["orderings"]] == ["score", "same", "turned"]
    score, again, other = (each["place"] for each in first["orderings"])
    assert score == again
    assert other[score.index(1)] > 20
    assert "No estimates of P@10 were given" in made.page
    assert ">-1.0000<" in made.page
