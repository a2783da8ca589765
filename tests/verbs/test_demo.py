"""The demo works from what is in the package, and its intervals hold what its judgments know."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.demo import COLLECTION
from leadline.measures.measure import DEFAULT_MEASURES as MEASURES
from leadline.verbs.demo import copy_collection, demo

ROOT = Path(__file__).parents[2]


def test_the_collection_is_what_its_script_makes() -> None:
    script = ROOT / "scripts" / "make_demo.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_collection_is_small_and_complete() -> None:
    files = [path for path in COLLECTION.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 1_000_000
    read = leadline.read(COLLECTION)
    assert len(read.runs.names) == 24
    assert len(read.runs.pairs.topics) == 20
    assert read.groups["group"].n_unique() >= 6
    assert read.judgments.judged.all(), "every document of every topic is judged"
    per_topic = read.judgments.judged.reshape(20, -1).sum(axis=1)
    assert per_topic.min() >= 195


def test_every_interval_holds_the_score_of_the_complete_judgments(tmp_path: Path) -> None:
    result = demo(tmp_path / "out")
    both = result.frame
    assert len(both) == 24 * len(MEASURES)
    inside = pl.col("truth").is_between(pl.col("lower") - 1e-12, pl.col("upper") + 1e-12)
    assert both.select(inside.all()).item()
    wide = both.filter(measure=MEASURES[0]).select((pl.col("upper") - pl.col("lower")).min())
    assert wide.item() > 0.05, "they are visible"
    assert all(path.is_file() for path in result.files)


def test_the_pool_that_it_writes_gives_its_scores_again(tmp_path: Path) -> None:
    result = demo(tmp_path)
    again = leadline.evaluate(COLLECTION, measures=list(MEASURES), pool=tmp_path / "pool.csv")
    first = result.scores.sort("measure", "run")
    assert first["upper"].to_list() == again.sort("measure", "run")["upper"].to_list()
    assert first["value"].to_list() == again.sort("measure", "run")["value"].to_list()


def test_the_chart_needs_no_network(tmp_path: Path) -> None:
    page = next(path for path in demo(tmp_path).files if path.suffix == ".html")
    text = page.read_text(encoding="utf-8")
    assert 'src="http' not in text
    assert "farlight-hand" in text


def test_the_collection_is_copied_where_nothing_is_yet(tmp_path: Path) -> None:
    sea = copy_collection(tmp_path / "sea")
    assert (sea / "qrels.txt.gz").read_bytes() == (COLLECTION / "qrels.txt.gz").read_bytes()
    assert len(list((sea / "runs").iterdir())) == 24
    with pytest.raises(ValueError, match="is there already"):
        copy_collection(sea)
