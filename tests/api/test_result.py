"""A Result behaves like its frame, is written by suffix, and says what there is to say."""

import copy
import json
import logging
import pickle
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import leadline
import leadline.api
from leadline.api.evaluate import Evaluation
from leadline.api.result import SUFFIXES, PlainResult, Result, kind_of_file
from leadline.io.problems import Notices

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUNS = {
    "one": {"1": {"a": 9.5, "z": 7.0}, "2": {"c": 3.0}},
    "two": {"1": {"z": 9.5, "a": 7.0}, "2": {"c": 3.0}},
}


@pytest.fixture
def scores() -> Evaluation:
    return leadline.evaluate(QRELS, RUNS, ["P@2", "AP"])


def test_polars_pandas_and_arrow_take_it_for_a_table(scores: Evaluation) -> None:
    assert pl.DataFrame(scores).equals(scores.frame)
    assert pa.table(scores).column_names == scores.columns
    for table in (pd.DataFrame(scores), scores.to_pandas()):
        assert list(table.columns) == scores.columns
        assert table["value"].tolist() == scores["value"].to_list()
    assert scores.to_arrow().num_rows == len(scores)


def test_what_a_frame_can_do_it_can(scores: Evaluation) -> None:
    frame = scores.frame
    assert scores.columns == frame.columns
    assert scores.select("run", "value").rows() == frame.select("run", "value").rows()
    assert scores.filter(pl.col("measure") == "AP").height == 2
    assert scores["upper"].to_list() == frame["upper"].to_list()
    assert scores[0, "run"] == "one"
    assert len(scores) == frame.height
    assert "value" in scores
    assert repr(scores) == repr(frame)
    assert "filter" in dir(scores)
    assert "wide" in dir(scores)


def test_rows_come_with_names(scores: Evaluation) -> None:
    first = next(iter(scores))
    assert tuple(first) == scores.frame.row(0)
    assert (first.run, first.measure) == ("one", "P@2")


def test_rows_are_those_of_the_frame_and_need_no_polars() -> None:
    code = """
import sys, leadline
qrels, runs = {"1": {"a": 1}, "2": {"b": 0}}, {"one": {"1": {"a": 1.0, "c": 0.5}, "2": {"b": 1.0}}}
result = leadline.evaluate(qrels, runs, ["AP", "P@2", "infAP"], per_topic=True)
sys.modules["polars"], kept = None, sys.modules.pop("polars", None)
rows = [tuple(row) for row in result]
sys.modules["polars"] = kept
assert rows == result.frame.rows(), (rows, result.frame.rows())
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_meet_each_other_as_frames_do(scores: Evaluation) -> None:
    again = leadline.evaluate(QRELS, RUNS, ["P@2", "AP"])
    assert scores.equals(again)
    joined = scores.join(again, on=["run", "measure"], suffix="_again")
    assert joined["value"].to_list() == joined["value_again"].to_list()


def test_what_neither_has_is_said_so(scores: Evaluation) -> None:
    with pytest.raises(AttributeError, match="neither Evaluation nor its polars frame has 'filtr'"):
        scores.filtr  # noqa: B018


def test_it_can_be_copied_and_pickled(scores: Evaluation) -> None:
    for again in (copy.copy(scores), copy.deepcopy(scores), pickle.loads(pickle.dumps(scores))):
        assert again.frame.equals(scores.frame)


def test_wide_has_a_row_for_each_run_and_a_column_for_each_measure(scores: Evaluation) -> None:
    wide = scores.wide()
    assert wide.columns == ["run", "P@2", "AP"]
    assert wide.rows() == [("one", 0.5, 1.0), ("two", 0.5, 0.75)]
    by_topic = leadline.evaluate(QRELS, RUNS, ["P@2", "AP"], per_topic=True).wide()
    assert by_topic.columns == ["run", "topic", "P@2", "AP"]
    assert len(by_topic) == 2 * 3
    with pytest.raises(TypeError, match="is not wide"):
        leadline.list("pools").wide()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_is_written_by_its_suffix(scores: Evaluation, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    scores.write(path)
    readers = {
        ".csv": pl.read_csv,
        ".tsv": lambda path: pl.read_csv(path, separator="\t"),
        ".parquet": pl.read_parquet,
        ".json": lambda path: pl.DataFrame(json.loads(path.read_text())),
    }
    if suffix in readers:
        assert readers[suffix](path).equals(scores.frame)
    else:
        text = path.read_text()
        assert "one" in text
        assert "1.0000" in text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["scores.xls", "scores", "scores.csv.gz"])
def test_other_suffixes_are_refused_with_those_that_are_known(
    scores: Evaluation, tmp_path: Path, name: str
) -> None:
    with pytest.raises(ValueError, match=r"\.csv \.tsv \.json \.parquet \.md \.tex"):
        scores.write(tmp_path / name)
    assert not list(tmp_path.iterdir())
    assert kind_of_file("SCORES.CSV") == "csv"


def test_csv_without_polars_is_what_polars_writes() -> None:
    odd = {'a,"b"\n': {"1": {"a": 1.0}}, "plain": {"1": {"b": 1.0}}}
    for per_topic in (False, True):
        result = leadline.evaluate(QRELS, odd, ["RBP(p=0.5, norm=true)@3", "NumRel"])
        assert result.encoded("csv").decode() == result.frame.write_csv(), per_topic


def test_notices_go_to_the_log_once_and_stay(caplog: pytest.LogCaptureFixture) -> None:
    odd = {"x": {"1": {"a": 1.0}, "9": {"a": 1.0}}}
    with caplog.at_level(logging.INFO, "leadline"):
        result = leadline.evaluate(QRELS, odd, "P@2")
    levels = {record.getMessage(): record.levelno for record in caplog.records}
    assert len(levels) == len(caplog.records) == len(result.notices.problems) == 2
    assert sorted(levels.values()) == [logging.INFO, logging.WARNING]
    collection = leadline.read(QRELS, odd)
    caplog.clear()
    with caplog.at_level(logging.INFO, "leadline"):
        first = leadline.evaluate(collection, measures="P@2")
        second = leadline.evaluate(collection, measures="AP")
    assert [str(each) for each in first.notices.problems] == [
        str(each) for each in result.notices.problems
    ]
    # What was said when the collection was read is not said again, nor by one verb for another.
    assert not caplog.records
    assert len(second.notices.problems) == len(collection.notices.problems) == 2


def test_a_table_of_rows_alone() -> None:
    rows = PlainResult(pl.DataFrame({"a": [1, 2]}), Notices())
    assert [row.a for row in rows] == [1, 2]
    with pytest.raises(TypeError, match="no picture"):
        rows.chart()
    assert "<td>2</td>" in rows._repr_html_()


NO_PICTURE = {"Registered", "Demo", "Reproduction"}
"""Names of what there is, and what is written to a folder with a page that has the pictures."""

PARTS = {
    *("PlainResult", "RoundedResult", "WideScores", "Tiers", "Differences", "NewDifferences"),
    *("Coverage", "DocumentEffects", "ForPaper", "StratifiedPools", "SelfTest"),
}
"""What is no verb's result but a part of one."""


def test_the_result_of_every_verb_has_a_picture() -> None:
    for module in pkgutil.iter_modules(leadline.api.__path__):
        import_module(f"leadline.api.{module.name}")
    import_module("leadline.lab.reproduce")
    found, missing = list(Result.__subclasses__()), set()
    while found:
        cls = found.pop()
        found += cls.__subclasses__()
        if cls.chart is Result.chart and cls.__module__.startswith("leadline."):
            missing.add(cls.__name__)
    assert missing == NO_PICTURE | PARTS
