"""The demo works from what is in the package, and its intervals hold what its judgments know."""

import gzip
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.api.demo import Demo, copy_collection, demo
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import DEFAULT_MEASURES as MEASURES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    return demo(tmp_path_factory.mktemp("demo") / "out")


def folder(made: Demo) -> Path:
    return made.files[0].parent


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


def test_every_interval_holds_the_score_of_the_complete_judgments(made: Demo) -> None:
    both = made.frame
    assert len(both) == 24 * len(MEASURES)
    inside = pl.col("truth").is_between(pl.col("lower") - 1e-12, pl.col("upper") + 1e-12)
    assert both.select(inside.all()).item()
    wide = both.filter(measure=MEASURES[0]).select((pl.col("upper") - pl.col("lower")).min())
    assert wide.item() > 0.05, "they are visible"
    assert all(path.is_file() for path in made.files)


def test_the_pool_that_it_writes_gives_its_scores_again(made: Demo) -> None:
    again = leadline.evaluate(COLLECTION, measures=list(MEASURES), pool=folder(made) / "pool.csv")
    first = made.scores.sort("measure", "run")
    assert first["upper"].to_list() == again.sort("measure", "run")["upper"].to_list()
    assert first["value"].to_list() == again.sort("measure", "run")["value"].to_list()


def test_the_audit_is_that_of_the_labels_that_it_writes(made: Demo) -> None:
    path = folder(made) / "labels.csv"
    labels = pl.read_csv(path, schema_overrides={"topic": pl.String})
    pooled = leadline.pool(COLLECTION, strategy="Depth(d=5)", all_runs=True).frame.select(
        "topic", "doc"
    )
    assert sorted(labels.select("topic", "doc").rows()) == sorted(pooled.rows())
    answers = COLLECTION / "qrels.txt.gz"
    measure = made.audited.measure
    again = leadline.audit(path, COLLECTION, reference=answers, measure=measure)
    assert again.frame.equals(made.audited.frame)
    lines = gzip.decompress(answers.read_bytes()).decode().splitlines()
    people = {(topic, doc): int(grade) for topic, _, doc, grade in map(str.split, lines)}
    said = labels.select("topic", "doc", "grade").rows()
    same = made.audited.filter(section="agreement", item="same grade")["value"].item()
    assert same == pytest.approx(sum(people[t, d] == g for t, d, g in said) / len(said))
    assert "Audit of bm25" in (folder(made) / "audit.html").read_text(encoding="utf-8")


def test_without_the_extra_charts_its_pages_are_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    names = {path.name for path in demo(tmp_path).files}
    assert {"audit.html", "report.html"} <= names
    assert "ranges.html" not in names


def test_the_pages_need_no_network(made: Demo) -> None:
    pages = [path for path in made.files if path.suffix == ".html"]
    assert len(pages) == 3
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert "farlight-hand" in text


def test_the_collection_is_copied_where_nothing_is_yet(tmp_path: Path) -> None:
    sea = copy_collection(tmp_path / "sea")
    assert (sea / "qrels.txt.gz").read_bytes() == (COLLECTION / "qrels.txt.gz").read_bytes()
    assert len(list((sea / "runs").iterdir())) == 24
    with pytest.raises(ValueError, match="is there already"):
        copy_collection(sea)
