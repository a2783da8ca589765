"""Tables of draws and of cells, and the manifest."""

from typing import Any

import numpy as np
import pytest

from leadline.lab.benchmark.play import BenchmarkCell, BenchmarkSetting, benchmark_cells
from leadline.lab.benchmark.tables import (
    CELL,
    PROMISED,
    cell_table,
    draw_table,
    manifest,
    refusals,
)

SETTING = BenchmarkSetting(("simulated/mixed",), ("shallow",), ("P@10",), draws=2)


def played() -> tuple[list[BenchmarkCell], dict[str, Any]]:
    cells = [c for c in benchmark_cells(SETTING) if c.entrant.title in ("Regression", "Zipf")]
    results: dict[str, Any] = {}
    for cell in cells:
        row = {"budget": 5, "rmse": 0.03 + 0.01 * cell.draw, "bias": 0.01, "judgments": 7}
        results[cell.key] = [row]
    results[cells[-1].key] = [{"budget": 5, "why": "cannot\nbe"}]
    return cells, results


def test_cells_have_the_promised_columns_first() -> None:
    table = cell_table(draw_table(*played()))
    assert tuple(table.columns[:14]) == (*CELL, *PROMISED)
    assert ",".join(table.columns[:14]) == (
        "task,collection,seen,measure,method,budget,rmse,bias,tau,coverage,width,regret,"
        "judgments,seconds"
    )


def test_errors_of_draws_are_squared_before_they_are_averaged() -> None:
    table = cell_table(draw_table(*played()))
    row = table.filter(method="Regression").row(0, named=True)
    assert row["rmse"] == pytest.approx(np.sqrt((0.03**2 + 0.04**2) / 2))
    assert row["draws"] == 2
    assert row["collection"] == "simulated/mixed"
    assert row["tau"] is None


def test_who_did_not_answer_is_named_with_the_reason() -> None:
    cells, results = played()
    assert len(draw_table(cells, results)) == 3
    told = refusals(cells, results).rows()
    assert told == [("shallow", "P@10", "Zipf", "cannot")]


def test_the_manifest_tells_who_was_made_on_what() -> None:
    told = manifest(SETTING)
    assert told["collections"] == [{"name": "simulated/mixed", "digest": "simulated/mixed"}]
    assert "trec8_adhoc" in told["entrants"]["Regression"]["developed_on"]
    assert told["entrants"]["Zipf"]["developed_on"] == []
