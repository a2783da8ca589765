"""benchmark: tables as promised, the same for any number of workers, nothing played twice."""

import json
import re
from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.lab.benchmark.benchmark import Benchmark
from leadline.simulate import NAME
from tests.views.charts.drawn import svg

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "benchmark.md"
SMALL = {"measures": ["P@10"], "budgets": [20], "draws": 2, "share": 0.25, "runs": 12}
FEW = ["MaxMean", "FirstRanks", "depth pool, as judged"]


@pytest.fixture(scope="module")
def outsider(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The entrant of the page, as a file of somebody else."""
    (text,) = re.findall(r"^```python\n(# my_method.*?)^```", PAGE.read_text(), re.M | re.S)
    assert len([line for line in text.splitlines() if line.strip()]) <= 20
    file = tmp_path_factory.mktemp("theirs") / "my_method.py"
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("benchmark")


@pytest.fixture(scope="module")
def played(folder: Path, outsider: Path) -> Benchmark:
    task = ["best", "scores"]
    return leadline.benchmark(
        COLLECTION, task=task, methods=FEW, entrant=outsider, folder=folder, **SMALL
    )


def test_an_outsider_is_on_the_board(played: Benchmark, folder: Path) -> None:
    assert "FirstRanks" in played.frame["method"].to_list()
    assert "FirstRanks" in (folder / "benchmark.html").read_text()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["entrants"]["FirstRanks"]["version"] == "1"
    assert list(manifest["files"]) == ["my_method.py"]


def test_it_has_a_picture_of_the_tiers(played: Benchmark) -> None:
    drawn = svg(played.chart())
    assert "MaxMean" in drawn
    assert "regret, more than the best" in drawn


def test_the_columns_are_those_promised(folder: Path, played: Benchmark) -> None:
    head = (folder / "benchmark.csv").read_text().splitlines()[0]
    assert head.startswith(
        "task,collection,seen,measure,method,budget,rmse,bias,tau,coverage,width,regret,"
        "judgments,seconds,"
    )
    assert len(pl.read_csv(folder / "draws.csv")) == 2 * len(pl.read_csv(folder / "benchmark.csv"))


def test_the_second_time_nothing_is_played(played: Benchmark, folder: Path, outsider: Path) -> None:
    before = (folder / NAME).read_bytes(), (folder / "benchmark.csv").read_bytes()
    again = leadline.benchmark(
        COLLECTION,
        task=["best", "scores"],
        methods=FEW,
        entrant=outsider,
        folder=folder,
        **SMALL,
    )
    assert ((folder / NAME).read_bytes(), (folder / "benchmark.csv").read_bytes()) == before
    assert again.frame.equals(played.frame)
    assert again.history is not None
    assert played.history is not None
    assert again.history.equals(played.history), "the same is written once"


def test_an_entrant_that_was_changed_is_played_again(folder: Path, outsider: Path) -> None:
    from leadline.lab.benchmark.question import load_entrants

    before = len((folder / NAME).read_text().splitlines())
    outsider.write_text(outsider.read_text() + "\n# another\n")
    load_entrants.cache_clear()
    leadline.benchmark(
        COLLECTION, task="best", methods=FEW, entrant=outsider, folder=folder, **SMALL
    )
    # One entrant, one measure, two draws.
    assert len((folder / NAME).read_text().splitlines()) == before + 2


def test_who_cannot_answer_is_named(played: Benchmark) -> None:
    refused = leadline.benchmark(
        COLLECTION,
        task="c",
        measures=["AP"],
        budgets=[20],
        methods=["even sample + Horvitz-Thompson", "MaxMean"],
        draws=1,
        share=0.25,
        runs=12,
    ).refused
    assert refused["method"].to_list() == ["even sample + Horvitz-Thompson"]
    assert "no sum of weights and gains" in refused["why"][0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"task": "x"}, "no task named x"),
        ({"draws": 0}, "`draws` must be between 1 and 10,000, not 0"),
        ({"draws": 10**9}, "`draws` must be between 1 and 10,000"),
        ({"workers": 0}, "`workers` must be at least 1"),
        ({"budgets": [0]}, "`budgets` must be at least 1"),
        ({"methods": ["Nobody"]}, "no method named Nobody takes part"),
        ({"task": "labels"}, "labels needs"),
        ({"share": 0.0}, "share must lie above 0"),
        ({"task": "c", "budgets": [10**6]}, "nobody could answer"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object], said: str) -> None:
    asked = {"task": "best", "measures": ["P@10"], "draws": 1, "share": 0.25, **given}
    with pytest.raises(ValueError, match=said):
        leadline.benchmark(COLLECTION, **asked)


def test_collections_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="choose one of simulated/mixed"):
        leadline.benchmark("simulated/nothing")
    with pytest.raises(ValueError, match="at least one collection"):
        leadline.benchmark([])
    with pytest.raises(InputError):
        leadline.benchmark(tmp_path / "none")
