"""Tracking: what is logged of a result, to a file and to the real packages where installed."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.io.tracking import metrics_of, tracking_name

QRELS = {"1": {"a": 1}, "2": {"b": 1}}
RUNS = {"old": {"1": {"a": 2.0}, "2": {"c": 1.0}}, "new": {"1": {"b": 1.0}, "2": {"b": 1.0}}}


def test_a_file_gets_a_line_for_each_result(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    scores = leadline.evaluate(QRELS, RUNS, ["P@1", "AP"], per_topic=True)
    scores.log_to(path, commit="abc")
    gate = leadline.gate(COLLECTION, baseline="anstey-bm25", new="corran-lsa60")
    gate.log_to(path)
    first, second = map(json.loads, path.read_text().splitlines())
    assert first["kind"] == "evaluation"
    assert first["commit"] == "abc"
    assert first["metrics"]["old/P@1/value"] == 0.5
    # Means only: topics are in the table.
    assert len(first["metrics"]) == 2 * 2 * 4
    assert (second["kind"], second["verdict"], second["unjudged_as"]) == (
        "gate",
        "not_worse",
        None,
    )
    assert second["metrics"]["nDCG@10/all/difference"] == gate.rows[0].difference


def test_only_numbers_that_are_known_are_metrics() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], "value": [None, 1], "verdict": ["x", "y"]})
    assert metrics_of(frame) == {"b/value": 1.0}
    assert tracking_name("a b/nDCG@10/value") == "a b/nDCG_at_10/value"


def test_a_word_that_is_no_service_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="log to mlflow, wandb, or a file"):
        leadline.evaluate(QRELS, RUNS, "P@1").log_to("neptune")


def test_without_the_package_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mlflow", "wandb"):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ValueError, match=f"pip install {name}"):
            leadline.evaluate(QRELS, RUNS, "P@1").log_to(name)


SCRIPT = """
import leadline
scores = leadline.evaluate({"1": {"a": 1}}, {"new run": {"1": {"a": 2.0}}}, ["P@1", "RBP(p=0.8)"])
scores.log_to("%s")
"""


def run_script(service: str, folder: Path, **env: str) -> None:
    command = [sys.executable, "-c", SCRIPT % service]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(find_spec("mlflow") is None, reason="needs pip install mlflow-skinny")
def test_mlflow_gets_metrics_tags_and_the_table(tmp_path: Path) -> None:
    store = tmp_path / "mlruns"
    env = {"MLFLOW_TRACKING_URI": store.as_uri(), "MLFLOW_ALLOW_FILE_STORE": "true"}
    run_script("mlflow", tmp_path, **env)
    assert list(store.rglob("metrics/new run/*/*"))
    (value,) = store.rglob("P_at_1/value")
    assert value.read_text().split()[1] == "1.0"
    (table,) = store.rglob("leadline/evaluation.csv")
    head, row = table.read_text().splitlines()[:2]
    assert head.startswith("run,topic,measure,value")
    assert row.startswith("new run,all,P@1,1.0")
    assert next(store.rglob("tags/leadline.leadline")).read_text() == leadline.__version__


@pytest.mark.skipif(find_spec("wandb") is None, reason="needs pip install wandb")
def test_wandb_gets_a_summary_and_the_table(tmp_path: Path) -> None:
    env = {"WANDB_MODE": "offline", "WANDB_DIR": str(tmp_path), "WANDB_SILENT": "true"}
    run_script("wandb", tmp_path, **env)
    (table,) = tmp_path.rglob("*.table.json")
    assert json.loads(table.read_text())["columns"][:3] == ["run", "topic", "measure"]
    (log,) = tmp_path.rglob("*.wandb")
    assert b"new run/P@1/value" in log.read_bytes()
