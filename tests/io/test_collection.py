"""What a collection says of itself: pooled runs, depth of the pool, some topics, some judgments."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.io.problems import InputError
from leadline.io.read import read
from leadline.pooling.strategies import Depth

QRELS = {"1": {"a": 1, "b": 0, "z": 2}, "2": {"c": 1, "d": 0}}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "e": 1.0}, "2": {"c": 1.0}},
    "y": {"1": {"e": 2.0, "a": 1.0}, "2": {"f": 2.0, "c": 1.0}},
}


@pytest.fixture
def collection() -> Collection:
    return read(QRELS, RUNS)


def marked(collection: Collection, *marks: bool | None) -> Collection:
    return replace(collection, groups=collection.groups.with_columns(pooled=pl.Series(marks)))


def test_marked_runs_are_pooled_and_all_where_none_is(collection: Collection) -> None:
    assert collection.pooled.tolist() == [True, True]
    assert marked(collection, True, False).pooled.tolist() == [True, False]
    assert marked(collection, None, True).pooled.tolist() == [False, True]
    assert marked(collection, False, None).pooled.tolist() == [True, True]


def test_the_pool_is_as_deep_as_what_pooled_runs_return_is_judged(collection: Collection) -> None:
    assert collection.pool_depth is None
    assert marked(collection, True, False).pool_depth == 2
    assert read(COLLECTION).pool_depth == 50


def test_some_topics_are_as_if_only_they_had_been_read(collection: Collection) -> None:
    part, alone = collection.on(["2"]), read({"2": QRELS["2"]}, RUNS)
    assert part.runs.pairs.frame().equals(alone.runs.pairs.frame())
    for column in ("pair", "start", "stop"):
        assert getattr(part.runs, column).tolist() == getattr(alone.runs, column).tolist()
    assert part.judgments.grade.tolist() == alone.judgments.grade.tolist()
    assert part.judgments.max_grade == 2
    assert collection.on(["1", "2"]) is collection


def test_only_judgments_inside_a_pool_count(collection: Collection, tmp_path: Path) -> None:
    pool = Depth(1).pool(collection.runs)
    inside = collection.inside(pool)
    names = inside.runs.pairs.frame(np.flatnonzero(inside.judgments.judged))
    assert names.select("topic", "doc").rows() == [("1", "a"), ("2", "c")]
    assert inside.judgments.max_grade == collection.judgments.max_grade
    path = tmp_path / "pool.csv"
    path.write_text("topic,doc\n1,a\n1,e\n2,f\n2,c\n")
    assert collection.inside(path).judgments.judged.tolist() == inside.judgments.judged.tolist()
    path.write_text("topic,doc\n1,e\n")
    with pytest.raises(InputError, match="no judgment inside the pool"):
        collection.inside(path)


def test_a_topic_without_judgment_in_the_pool_is_left_out(
    collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "pool.csv"
    path.write_text("topic,doc\n1,a\n1,e\n2,f\n")
    inside = collection.inside(path)
    assert inside.runs.pairs.topics == ("1",)
    assert inside.pool is not None
    assert inside.pool.pairs is inside.runs.pairs
    assert len(inside.pool) == 2
    assert [each.code for each in inside.notices.problems] == ["unjudged-topic"]
    assert not collection.notices.problems


def test_groups_may_come_from_another_table(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "teams.tsv"
    path.write_text("run\tteam\nx\tA\ny\tB\n")
    told = collection.with_groups(path)
    assert told.runs.group == ("A", "B")
    assert told.groups["group"].to_list() == ["A", "B"]


def test_documents_are_those_of_the_folder(collection: Collection) -> None:
    assert collection.texts is None
    texts = read(COLLECTION).texts
    assert texts is not None
    assert len(texts.find(["sea-001"])) == 1


def test_it_tells_what_each_run_returns(collection: Collection) -> None:
    assert collection.overview.rows() == [
        ("x", "x", True, 2, 4, 0.75),
        ("y", "y", True, 2, 4, 0.5),
    ]
    assert repr(collection) == (
        "Collection of 2 runs (2 pooled), 2 topics, 5 judgments with grades 0 to 2"
    )


def test_tables_are_told_in_a_line(collection: Collection) -> None:
    assert repr(collection.runs) == "Runs(2 runs, 2 topics, 8 entries)"
    assert repr(collection.runs.pairs) == "Pairs(7 pairs, 2 topics)"
    assert repr(collection.judgments) == "Judgments(5 of 7 pairs, grades 0 to 2)"
    assert repr(Depth(1).pool(collection.runs)) == "Pool(Depth(d=1): 4 of 7 pairs)"


def test_names_cannot_become_markup() -> None:
    html = read(QRELS, {"<b>": RUNS["x"]})._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
