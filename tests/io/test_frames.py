"""Tables that users already have score as the plain file does; faulty ones say what is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ir_measures import Qrel, ScoredDoc

import leadline
from leadline.io.problems import InputError
from leadline.io.tabular import from_nested, from_records, to_frame
from tests.io.plain_files import (
    MEASURES,
    QRELS_DICT,
    RUN,
    RUN_DICT,
    Rows,
    nested,
    rows,
    scores,
)


def columns(topic: str, doc: str, value: str, table: dict[str, dict[str, Any]]) -> dict[str, Any]:
    flat = [(t, d, v) for t, inner in table.items() for d, v in inner.items()]
    names = (topic, doc, value)
    return {name: [row[at] for row in flat] for at, name in enumerate(names)}


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas, shuffled": lambda made: pd.DataFrame(made).sample(frac=1, random_state=7),
    "polars": pl.DataFrame,
    "Arrow": pa.table,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
@pytest.mark.parametrize(
    ("topic", "doc", "grade"),
    [
        ("qid", "docno", "label"),
        ("query_id", "doc_id", "relevance"),
        ("topic", "docid", "rel"),
        ("topic", "docid", "grade"),
    ],
)
def test_a_table_scores_as_the_plain_file(
    plain: tuple[Path, Path, Rows],
    make: Callable[[dict[str, Any]], Any],
    topic: str,
    doc: str,
    grade: str,
) -> None:
    expected = plain[2]
    qrels = make(columns(topic, doc, grade, QRELS_DICT))
    run = make(columns(topic, doc, "score", RUN_DICT))
    assert scores(qrels, run) == expected


def test_topics_of_a_table_may_be_numbers(plain: tuple[Path, Path, Rows]) -> None:
    qrels = pd.DataFrame(columns("qid", "docno", "label", QRELS_DICT)).astype({"qid": int})
    run = pl.DataFrame(columns("qid", "docno", "score", RUN_DICT)).cast({"qid": pl.Int32})
    assert scores(qrels, run) == plain[2]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_table_without_scores_is_ordered_by_its_ranks(
    plain: tuple[Path, Path, Rows], make: Callable[[dict[str, Any]], Any]
) -> None:
    ranks = nested(RUN, 3, int)
    run = make(columns("qid", "docno", "rank", ranks))
    assert scores(plain[0], run) == plain[2]


def test_a_table_with_scores_and_ranks_is_ordered_by_its_scores(
    plain: tuple[Path, Path, Rows],
) -> None:
    made = columns("qid", "docno", "score", RUN_DICT)
    run = pd.DataFrame({"rank": range(len(RUN), 0, -1), **made})
    assert scores(plain[0], run) == plain[2]


def test_dicts_score_as_the_plain_file(plain: tuple[Path, Path, Rows]) -> None:
    assert scores(QRELS_DICT, RUN_DICT) == plain[2]


def test_the_tuples_of_ir_measures_score_as_the_plain_file(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    judged = list(ir_measures.read_trec_qrels(str(qrels)))
    listed = list(ir_measures.read_trec_run(str(run)))
    assert scores(judged, listed) == expected
    # Also when they can be walked through only once, as ir_measures hands them out.
    once = ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    assert scores(*once) == expected


def test_paths_may_be_text_or_path_and_mix_with_tables(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    assert scores(str(qrels), str(run)) == expected
    assert scores(qrels, [run]) == expected
    assert scores(str(qrels), RUN_DICT) == expected
    assert scores(QRELS_DICT, run) == expected


def test_several_runs_come_by_name(plain: tuple[Path, Path, Rows]) -> None:
    qrels, run, expected = plain
    frames = {
        "a": RUN_DICT,
        "b": pd.DataFrame(columns("qid", "docno", "score", RUN_DICT)),
        "c": run,
    }
    got = leadline.evaluate(qrels, frames, MEASURES, per_topic=True)
    assert got["run"].unique().sort().to_list() == ["a", "b", "c"]
    for name in frames:
        assert rows(got.filter(pl.col("run") == name)) == expected


def test_judgments_per_subtopic_may_be_nested_dicts() -> None:
    judged = {"1": {"x": {"a": 1, "b": 0}, "y": {"b": 2}}, "2": {"x": {"c": 1}}}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"c": 1.0}}
    found = leadline.evaluate(judged, run, ["StRec@1", "P@2"], per_topic=True)
    assert found["value"].to_list() == [0.5, 1.0, 0.75, 1.0, 0.5, 0.75]


BAD_TABLES = {
    "a NaN score": ({"1": {"d1": 1}}, {"1": {"d1": float("nan")}}, "score"),
    "a text score": ({"1": {"d1": 1}}, {"1": {"d1": "high"}}, "score"),
    "a missing score": ({"1": {"d1": 1}}, {"1": {"d1": None}}, "score"),
    "a fractional grade": ({"1": {"d1": 0.5}}, {"1": {"d1": 1.0}}, "whole number"),
    "no topic in common": ({"1": {"d1": 1}}, {"2": {"d1": 1.0}}, "topic in common"),
    "no judgments": ({}, {"1": {"d1": 1.0}}, "empty"),
    "no documents": ({"1": {"d1": 1}}, [], "no runs"),
    "a document twice": (
        {"1": {"d1": 1}},
        [ScoredDoc("1", "d1", 2.0), ScoredDoc("1", "d1", 1.0)],
        "twice",
    ),
    "a conflicting duplicate judgment": (
        [Qrel("1", "d1", 1), Qrel("1", "d1", 0)],
        {"1": {"d1": 1.0}},
        "d1",
    ),
    "a frame without scores": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": ["d1"]}),
        "score",
    ),
    "a frame with a missing docno": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": [None], "score": [1.0]}),
        "doc",
    ),
    "a frame with a score in Arabic digits": (
        {"1": {"d1": 1}},
        pd.DataFrame({"qid": ["1"], "docno": ["d1"], "score": ["\u0661"]}),
        "score",
    ),
    "a number instead of a run": ({"1": {"d1": 1}}, 5, "run"),
}


@pytest.mark.parametrize(("qrels", "runs", "says"), BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_python_gets_a_value_error_for(qrels: object, runs: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        leadline.evaluate(qrels, runs, "P@2")


@pytest.mark.parametrize(
    "judged",
    [{"1": {"s": {"a": 1}}, "2": {"x": 1}}, {"1": {"s": {"a": 1}}, "2": 3}],
)
def test_judgments_that_are_nested_differently_are_refused(judged: object) -> None:
    with pytest.raises(ValueError, match=r"expected \{topic: \{doc: number\}\}"):
        leadline.evaluate(judged, {"1": {"a": 1.0}}, "StRec@2")


class Row(NamedTuple):
    """A row with names of its own."""

    qid: str
    docno: str
    score: float


@pytest.mark.parametrize(
    ("records", "columns_", "first"),
    [
        ([("1", "a", 2.0)], ["topic", "doc", "value"], ("1", "a", 2.0)),
        ([["1", "a", 2]], ["topic", "doc", "value"], ("1", "a", 2)),
        ([Row("1", "a", 2.0)], ["qid", "docno", "score"], ("1", "a", 2.0)),
        ([{"x": 1}, {"y": "b"}], ["x", "y"], (1, None)),
    ],
)
def test_rows_have_the_columns_that_they_name(
    records: list[Any], columns_: list[str], first: tuple[Any, ...]
) -> None:
    found = from_records(iter(records), "r")
    assert found.columns == columns_
    assert found.row(0) == first


def test_nested_dicts_have_two_levels_three_or_rankings() -> None:
    assert from_nested({1: {"a": 2}}, "x").rows() == [("1", "a", 2)]
    three = from_nested({"1": {"s": {"a": 1}, "t": {"a": 0}}}, "x")
    assert three.select("topic", "subtopic", "doc", "value").rows() == [
        ("1", "s", "a", 1),
        ("1", "t", "a", 0),
    ]
    assert from_nested({"1": ["b", "a"]}, "x").rows() == [("1", "b", 1), ("1", "a", 2)]
    scored = from_nested({"1": [("b", 2.5), ("a", 1.5)]}, "x")
    assert scored.columns == ["topic", "doc", "value"]
    assert scored["value"].to_list() == [2.5, 1.5]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ([], "is empty"),
        ([("1", "a", 1.0), ("1", "a")], "row 2: expected"),
        ([("1", "a", 1.0), 5], "row 2: expected .* found 5"),
        ({"1": 3}, "found 3 for topic '1'"),
    ],
)
def test_what_is_no_table_is_shown(what: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        to_frame(what, "x")


def test_numbers_stay_numbers_and_a_mixture_becomes_text() -> None:
    table = pd.DataFrame({"i": [1, 2], "f": [1.5, float("nan")], "m": [1, "x"]})
    found = to_frame(table, "x")
    assert found.schema == {"i": pl.Int64, "f": pl.Float64, "m": pl.String}
    assert found["m"].to_list() == ["1", "x"]
    beyond = from_records([{"n": 10**30}], "x")
    assert beyond["n"].to_list() == [str(10**30)]


def test_frames_and_results_are_taken_as_they_are() -> None:
    frame = pl.DataFrame({"a": [1]})
    assert to_frame(frame, "x") is frame
    assert to_frame(frame.lazy(), "x").equals(frame)
    result = leadline.evaluate(QRELS_DICT, RUN_DICT, "P@1")
    assert to_frame(result, "x").equals(result.frame)


def test_a_data_set_of_huggingface_is_a_table() -> None:
    datasets = pytest.importorskip("datasets", reason="HuggingFace's datasets is not installed")
    judged = {"query-id": ["1", "2"], "corpus-id": ["d1", "d3"], "score": [1, 1]}
    qrels = datasets.Dataset.from_dict(judged)
    ranked = {"qid": ["1", "1", "2"], "docno": ["d2", "d1", "d3"], "score": [3.0, 2.0, 1.0]}
    run = datasets.Dataset.from_dict(ranked)
    assert leadline.evaluate(qrels, run, "RR")["value"].to_list() == [0.75]
    with pytest.raises(InputError, match="has several splits: give one of train, test"):
        to_frame(datasets.DatasetDict({"train": qrels, "test": qrels}), "qrels")
