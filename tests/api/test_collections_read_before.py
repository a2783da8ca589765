"""A collection that was read once serves every verb, and gives what files give."""

from pathlib import Path

import polars as pl
import pytest

import leadline
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUNS = {"one": {"1": {"a": 9.5, "z": 7.0}, "2": {"c": 3.0}}, "two": {"1": {"z": 1.0}}}
MEASURES = ["RBP(p=0.8)", "AP", "nDCG@10", "infAP", "P(judged_only=true)@5", "bpref"]


@pytest.fixture(scope="module")
def sea() -> Collection:
    return leadline.read(COLLECTION)


def test_evaluate_gives_the_same_from_files_and_from_a_collection(sea: Collection) -> None:
    for options in (
        {},
        {"pool": leadline.pool(sea, strategy="Depth(d=3)", all_runs=True)},
        {"topics": ["3"]},
    ):
        ours = leadline.evaluate(sea, measures=MEASURES, per_topic=True, **options)
        files = leadline.evaluate(COLLECTION, measures=MEASURES, per_topic=True, **options)
        assert ours.frame.equals(files.frame)


def test_missing_topics_count_the_same() -> None:
    for way in ("lowest", "skip"):
        ours = leadline.evaluate(
            leadline.read(QRELS, RUNS), measures=["AP", "P@2"], missing_topics=way
        )
        assert ours.equals(leadline.evaluate(QRELS, RUNS, ["AP", "P@2"], missing_topics=way))


def test_diversity_gives_the_same_from_files_and_from_a_collection() -> None:
    names = ["alpha_nDCG@20", "ERR_IA@20", "StRec@5", "DELTArb@5"]
    sea = leadline.read(COLLECTION, subtopics=True)
    ours = leadline.evaluate(sea, measures=names, topics=["1", "2"])
    assert ours.frame.equals(leadline.evaluate(COLLECTION, measures=names, topics=["1", "2"]).frame)
    told = leadline.explain(sea, run="farlight-hand", topic="2", measure="DELTArb@5", words=3)
    files = leadline.explain(
        COLLECTION, run="farlight-hand", topic="2", measure="DELTArb@5", words=3
    )
    assert told.frame.equals(files.frame)
    with pytest.raises(ValueError, match="subtopics=True"):
        leadline.evaluate(leadline.read(COLLECTION), measures="StRec@5")


def test_every_verb_takes_it(sea: Collection) -> None:
    few = leadline.read(sea, topics=["1", "2", "3"])
    asked = {"measures": "P@5"}
    assert leadline.compare(few, **asked).equals(
        leadline.compare(COLLECTION, topics=["1", "2", "3"], **asked)
    )
    assert leadline.pool(few).equals(leadline.pool(COLLECTION, topics=["1", "2", "3"]))
    assert leadline.next(few, use_judgments=False, budget=3).equals(
        leadline.next(COLLECTION, topics=["1", "2", "3"], use_judgments=False, budget=3)
    )
    assert leadline.estimate(few, estimators="ListMean", **asked).equals(
        leadline.estimate(COLLECTION, estimators="ListMean", topics=["1", "2", "3"], **asked)
    )
    assert leadline.adjust(
        few, new="farlight-hand", method="WebberSystems", pool_depth=5, **asked
    ).equals(
        leadline.adjust(
            COLLECTION,
            new="farlight-hand",
            method="WebberSystems",
            pool_depth=5,
            topics=["1", "2", "3"],
            **asked,
        )
    )
    assert "farlight-hand" in leadline.report(few, **asked).page


def test_topics_without_judgment_in_the_pool_are_left_out_by_every_verb() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 0}}
    lists = {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 3.0, "d": 2.0}}
    runs, pool = {"x": lists, "y": lists}, pl.DataFrame({"topic": ["1"], "doc": ["a"]})
    one = leadline.evaluate(qrels, runs, "P@2", per_topic=True, pool=pool)
    assert set(one["topic"]) == {"1", "all"}
    again = leadline.evaluate(leadline.read(qrels, runs), None, "P@2", per_topic=True, pool=pool)
    assert again.frame.equals(one.frame)
    estimated = leadline.estimate(qrels, runs, "P@2", "LowerBound", per_topic=True, pool=pool)
    assert estimated["value"].to_list() == one["value"].to_list()
    pairs = leadline.compare(qrels, runs, "P@2", pool=pool).pairs["P@2"]
    assert pairs.scores.topics == ("1",)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"runs": RUNS}, ValueError, "give `runs` to leadline.read"),
        ({"ties": "file-order"}, ValueError, "give `ties` to leadline.read"),
        ({"map_grades": {1: 2}}, ValueError, "give `map_grades` to leadline.read"),
        ({"unjudged_topics": "include"}, ValueError, "no topics without judgments"),
        ({"ties": "sideways"}, ValueError, "`ties` must be one of float32, float64, file-order"),
    ],
)
def test_what_comes_too_late_is_refused(
    options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        leadline.evaluate(leadline.read(QRELS, RUNS), **options)


@pytest.mark.parametrize("verb", ["evaluate", "compare", "pool", "next", "report"])
def test_none_and_the_word_none_stand_for_no_judgments(verb: str) -> None:
    results = [getattr(leadline, verb)(qrels, RUNS) for qrels in (None, "none")]
    frames = [pl.DataFrame(result) for result in results]
    assert frames[0].equals(frames[1])


def test_a_folder_without_qrels_is_evaluated_with_everything_unjudged(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "x.run").write_text("1 Q0 a 1 1.0 t\n")
    row = leadline.evaluate(tmp_path, measures="P@1").row(0, named=True)
    assert (row["value"], row["lower"], row["upper"], row["judged"]) == (0.0, 0.0, 1.0, 0.0)


def test_neither_runs_nor_a_collection_is_told_in_python_words() -> None:
    with pytest.raises(TypeError, match="without `runs`, `qrels` must be a collection folder"):
        leadline.evaluate(QRELS)
