"""What -o writes is read again, whatever its suffix."""

from pathlib import Path

import pytest

import leadline
from leadline.io.score_table import written_table

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 0}}
RUNS = {
    "one": {"1": {"a": 9.5, "z": 7.0}, "2": {"c": 3.0, "d": 2.0}},
    "two": {"1": {"z": 9.5, "a": 7.0}, "2": {"d": 3.0, "c": 2.0}},
}
SUFFIXES = (".csv", ".tsv", ".json", ".parquet")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_scores_and_pools_come_back(tmp_path: Path, suffix: str) -> None:
    scores, pool = tmp_path / f"scores{suffix}", tmp_path / f"pool{suffix}"
    evaluation = leadline.evaluate(QRELS, RUNS, "P@1")
    evaluation.write(scores)
    drawn = leadline.pool(QRELS, RUNS, "Depth(d=1)")
    drawn.write(pool)
    name, table = written_table(scores)
    assert name == str(scores)
    assert table["run"].to_list() == evaluation["run"].to_list()
    assert leadline.correlate(scores, evaluation).statistics["kendall_tau_b"] == 1.0
    by_file = leadline.evaluate(QRELS, RUNS, "P@2", pool=pool)
    assert by_file.frame.equals(leadline.evaluate(QRELS, RUNS, "P@2", pool=drawn).frame)
