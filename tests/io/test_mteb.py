"""MTEB's predictions are runs; its scores are told apart from them."""

import json
from pathlib import Path

import pytest

import leadline
from leadline.io.problems import InputError

RANKINGS = {"1": {"a": 2.0, "b": 1.5}, "2": {"c": 0.5}}
QRELS = {"1": {"b": 1}, "2": {"c": 1}}


def test_predictions_of_one_split_are_a_run(tmp_path: Path) -> None:
    file = tmp_path / "SciFact_predictions.json"
    meta = {"name": "some/model", "revision": "1"}
    file.write_text(json.dumps({"mteb_model_meta": meta, "default": {"test": RANKINGS}}, indent=2))
    assert leadline.evaluate(QRELS, file, "RR")["value"].to_list() == [0.75]


def test_of_several_splits_one_is_to_be_kept(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    several = {"test": RANKINGS, "dev": RANKINGS}
    file.write_text(json.dumps({"mteb_model_meta": {}, "default": several}))
    with pytest.raises(InputError, match="expected one split of the task, found test, dev"):
        leadline.evaluate(QRELS, file, "RR")


def test_scores_are_no_rankings(tmp_path: Path) -> None:
    file = tmp_path / "SciFact.json"
    scores = {"test": [{"ndcg_at_10": 0.5}]}
    file.write_text(json.dumps({"task_name": "SciFact", "mteb_version": "2", "scores": scores}))
    with pytest.raises(InputError, match="MTEB's scores of a task, and no ranking"):
        leadline.evaluate(QRELS, file, "RR")
