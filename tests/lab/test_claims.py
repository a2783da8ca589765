"""Our defaults are no worse than docs/benchmark.md says, in the short form of the benchmark."""

import os
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from leadline.lab.benchmark.tables import DEFAULTS
from tests.lab.short_form import PLAYED, played, tiers

PAGE = Path(__file__).parents[2] / "docs" / "benchmark.md"
CLAIM = re.compile(r"^\| `(\w+)` \| (\S+), (\d+) \| (.+) \| (.+) \| ([\d.]+) \|$", re.MULTILINE)
SLACK = 1.05
"""Another machine's linear algebra differs in the last digits, and a draw may then differ."""


def claims() -> dict[str, tuple[str, str, float]]:
    """By task: measure with budget, default, and the most that its figure may be."""
    found = CLAIM.findall(PAGE.read_text(encoding="utf-8"))
    return {
        task: (f"{measure}, {budget}", default, float(most))
        for task, measure, budget, default, _, most in found
    }


def test_the_page_claims_something_of_every_default() -> None:
    for task, (measure, budget) in PLAYED.items():
        played, default, _ = claims()[task]
        assert played == f"{measure}, {budget}"
        assert default == DEFAULTS[task]


@pytest.mark.parametrize("task", PLAYED)
def test_no_default_falls_behind_what_the_page_claims(task: str) -> None:
    """Times the error of the best other; for the best run, how much more regret."""
    (row,) = tiers(task).filter("default").iter_rows(named=True)
    most = claims()[task][2]
    assert row["to_best"] <= (SLACK * most if row["loss"] == "rmse" else most + 0.001)


@pytest.mark.slow
@pytest.mark.parametrize("task", ["shallow", "newcomer"])
def test_two_workers_find_what_one_finds(task: str, tmp_path: Path) -> None:
    two = played((task,), *PLAYED[task], 2)
    # As a command: linear algebra by several threads, as in this process, has other last digits.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.lab.short_form", task, str(tmp_path)]
    subprocess.run(command, env=environment, cwd=PAGE.parents[1], check=True)
    draws = pl.read_parquet(tmp_path / "draws.parquet")
    assert draws["collection"].n_unique() == 3
    assert draws["method"].n_unique() > 10
    assert draws.drop("seconds").equals(two.draws.drop("seconds"))
