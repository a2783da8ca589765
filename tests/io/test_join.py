"""The hash join equals a join by name, also where hashes collide."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.pairs import KeyTable
from leadline.io.join import JudgedIndex, join
from leadline.io.qrels import Qrels
from leadline.io.rows import Rows, rank

Line = tuple[str, str, float]

topics = st.sampled_from(["1", "2", "10"])
docs = st.sampled_from([f"d{number}" for number in range(9)])
scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.5, -3.0, 1e30, float("inf")])
runs = st.lists(st.tuples(topics, docs, scores), min_size=1, max_size=25, unique_by=lambda x: x[:2])
judged = st.dictionaries(st.tuples(topics, docs), st.integers(0, 3), min_size=1, max_size=15)


def rows_of(lines: Sequence[Line]) -> Rows:
    return Rows.of_frame(
        pl.DataFrame(list(lines), schema=["topic", "doc", "run_score"], orient="row")
    )


def topic_of(rows: Rows, row: int) -> str:
    return rows.topic[int(rows.stretch_of(np.array([row]))[0])]


def qrels_of(grades: dict[tuple[str, str], int]) -> Qrels:
    table = [(topic, doc, grade, None) for (topic, doc), grade in grades.items()]
    schema = {"topic": pl.String, "doc": pl.String, "grade": pl.Int16, "inclusion": pl.Float64}
    return Qrels.of_frame(pl.DataFrame(table, schema=schema, orient="row"))


def plainly_ranked(lines: Sequence[Line], topic: str) -> list[str]:
    mine = [(np.float32(score), doc) for t, doc, score in lines if t == topic]
    return [doc for _, doc in sorted(mine, key=lambda item: (item[0], item[1]), reverse=True)]


def check_join(rows: Rows, lines: list[Line], grades: dict[tuple[str, str], int]) -> None:
    index = JudgedIndex.of(qrels_of(grades))
    lists = join(["x"], rows, rank(rows), index)
    for t, topic in enumerate(lists.topics):
        part = slice(lists.start[0, t], lists.stop[0, t])
        expected = [grades.get((topic, doc)) for doc in plainly_ranked(lines, topic)]
        found = zip(lists.judged[part].tolist(), lists.grade[part].tolist(), strict=True)
        assert [grade if known else None for known, grade in found] == expected
        by_grade = [sum(g == k and at[0] == topic for at, g in grades.items()) for k in range(4)]
        assert lists.counts[t].tolist() == by_grade[: lists.max_grade + 1]


@given(runs, judged)
def test_the_join_finds_every_judgment_and_no_other(
    lines: list[Line], grades: dict[tuple[str, str], int]
) -> None:
    check_join(rows_of(lines), lines, grades)


@given(runs, judged)
def test_colliding_hashes_change_nothing(
    lines: list[Line], grades: dict[tuple[str, str], int]
) -> None:
    """With a hash of two bits nearly everything collides, and names must decide."""
    rows = rows_of(lines)
    rows = replace(rows, pair_key=rows.pair_key & np.uint64(3 << 62))
    index = JudgedIndex.of(qrels_of(grades))
    few = np.sort(index.table.key[:-1] & np.uint64(3 << 62))
    poor = replace(index, table=KeyTable(few), distinct=False)
    row, at = poor.find(rows)
    found = {
        (topic_of(rows, int(r)), rows.doc[int(r)]): int(index.grade[a])
        for r, a in zip(row, at, strict=True)
    }
    pairs = {line[:2] for line in lines}
    assert found == {pair: grade for pair, grade in grades.items() if pair in pairs}
