"""The tables hold what they promise, and refuse what they cannot hold."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.tables import lists as lists_module
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.pairs import Pairs
from leadline.tables.pool import Pool
from leadline.tables.runs import Runs
from leadline.tables.scores import Scores
from leadline.tables.subtopics import Subtopics
from leadline.tables.topic_order import topic_order
from tests.collections import Small, small_collections

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=3)


@given(st.lists(st.tuples(names, names), max_size=30))
def test_pairs_are_sorted_distinct_and_found_again(rows: list[tuple[str, str]]) -> None:
    topic, doc = [row[0] for row in rows], [row[1] for row in rows]
    pairs = Pairs.of(topic, doc)
    assert len(pairs) == len(set(rows))
    assert [pairs.name(at) for at in pairs.find(topic, doc)] == rows
    assert pairs.find(["no such topic"], ["no such doc"]).tolist() == [-1]
    order = [(pairs.topics.index(t), d.encode()) for t, d in map(pairs.name, range(len(pairs)))]
    assert order == sorted(order)


@given(st.lists(names | st.integers(0, 2000).map(str)), st.randoms())
def test_topics_come_in_one_order(topics: list[str], random: object) -> None:
    shuffled = list(topics)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert topic_order(topics) == topic_order(shuffled)


@given(small_collections())
@settings(deadline=None)
def test_tables_are_frozen(small: Small) -> None:
    runs, judgments = small.tables()
    for array in (runs.pair, runs.start, judgments.judged, judgments.grade, runs.pairs.topic):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        runs.names = ()  # type: ignore[misc]


@given(small_collections())
@settings(deadline=None)
def test_ranks_count_from_one_in_every_list(small: Small) -> None:
    runs, _ = small.tables()
    for r, lists in enumerate(small.runs.values()):
        for t, topic in enumerate(runs.pairs.topics):
            part = slice(runs.start[r, t], runs.stop[r, t])
            assert runs.entries.rank[part].tolist() == list(range(1, len(lists[topic]) + 1))
            assert [runs.pairs.name(at)[1] for at in runs.pair[part]] == lists[topic]


PAIRS = Pairs.of(["1", "1", "2"], ["a", "b", "a"])


def runs_of(**changes: object) -> Runs:
    values = {
        "names": ("x",),
        "pair": np.array([1, 0, 2]),
        "start": np.array([[0, 2]]),
        "stop": np.array([[2, 3]]),
    }
    return Runs(PAIRS, **{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ("x", "y")}, "shape"),
        ({"pair": np.array([0, 0, 2])}, "twice"),
        ({"pair": np.array([0, 2, 1])}, "another topic"),
        ({"pair": np.array([0, 1, 7])}, "not one of the pairs"),
        ({"stop": np.array([[2, 4]])}, "one after the other"),
        ({"start": np.array([[0, 1]])}, "one after the other"),
        ({"stop": np.array([[1, 3]])}, "one after the other"),
        ({"group": ("g", "h")}, "groups"),
    ],
)
def test_runs_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    assert len(runs_of().pair) == 3
    with pytest.raises(ValueError, match=message):
        runs_of(**changes)


def judgments_of(**changes: object) -> Judgments:
    values = {"judged": [True, False, True], "grade": [2, 0, 0]}
    return Judgments(PAIRS, **{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"grade": [2, 1, 0]}, "not judged has a grade"),
        ({"grade": [-1, 0, 0]}, "negative"),
        ({"judged": [True]}, "shape"),
        ({"max_grade": 1}, "above the scale"),
        ({"pooled": [False, True, True]}, "not marked pooled"),
        ({"inclusion": [0.0, 0.5, 1.0]}, "inclusion"),
    ],
)
def test_judgments_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    assert judgments_of().max_grade == 2
    with pytest.raises(ValueError, match=message):
        judgments_of(**changes)


def test_a_pool_withdraws_what_is_outside_it() -> None:
    pool = Pool(PAIRS, [False, True, True], [0, 1, 0.5], [-1, 0, 1], "by hand")
    assert len(pool) == 2
    kept = pool.restrict(judgments_of())
    assert kept.judged.tolist() == [False, False, True]
    assert kept.grade.tolist() == [0, 0, 0]
    assert kept.max_grade == 2, "the scale does not shrink with the judgments"
    assert kept.pooled is not None
    assert kept.pooled.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("inclusion", "stratum"),
    [([0, 0, 1], [-1, 0, 0]), ([0, 1, 1], [-1, -1, 0]), ([0, 2, 1], [0] * 3)],
)
def test_a_member_of_a_pool_needs_a_probability_and_a_stratum(
    inclusion: list[float], stratum: list[int]
) -> None:
    with pytest.raises(ValueError, match="inclusion"):
        Pool(PAIRS, [False, True, True], inclusion, stratum, "by hand")


@given(small_collections(n_runs=4), st.integers(1, 40))
@settings(deadline=None)
def test_blocks_hold_every_list_once_whatever_their_size(small: Small, cells: int) -> None:
    lists = small.lists()
    before, lists_module.CELLS = lists_module.CELLS, cells
    try:
        for depth in (None, 1, 3):
            seen = []
            for block in lists.blocks(depth):
                seen += block.row.tolist()
                for i, row in enumerate(block.row):
                    r, t = divmod(int(row), len(lists.topics))
                    part = slice(lists.start[r, t], lists.stop[r, t])
                    n = block.length[i]
                    assert n == min(part.stop - part.start, depth or 99)
                    assert block.judged[i, :n].tolist() == lists.judged[part][:n].tolist()
                    assert block.grade[i, :n].tolist() == lists.grade[part][:n].tolist()
                    assert not block.judged[i, n:].any()
                    assert not block.unjudged[i, n:].any()
                    assert block.counts[i].tolist() == lists.counts[t].tolist()
            assert sorted(seen) == list(range(lists.start.size))
    finally:
        lists_module.CELLS = before


@given(small_collections())
@settings(deadline=None)
def test_condensed_lists_hold_the_judged_documents_in_order(small: Small) -> None:
    lists = small.lists()
    condensed = lists.condensed()
    assert condensed.judged.all()
    for r, t in np.ndindex(lists.start.shape):
        part = slice(lists.start[r, t], lists.stop[r, t])
        kept = lists.grade[part][lists.judged[part]]
        assert (
            condensed.grade[condensed.start[r, t] : condensed.stop[r, t]].tolist() == kept.tolist()
        )


def test_runs_and_judgments_must_be_over_the_same_pairs() -> None:
    other = Pairs.of(["1", "1", "2"], ["a", "b", "a"])
    judgments = Judgments(other, [True, False, True], [1, 0, 0])
    with pytest.raises(ValueError, match="same pairs"):
        Lists.of(runs_of(), judgments)


def scores_of(**changes: object) -> Scores:
    values: dict[str, object] = {
        "value": [[0.2, np.nan]],
        "lower": [[0.1, np.nan]],
        "upper": [[0.6, np.nan]],
        "judged": [[0.5, 1.0]],
    }
    return Scores(("x",), ("1", "2"), "M", **{**values, **changes})  # type: ignore[arg-type]


def test_undefined_topics_are_left_out_of_means() -> None:
    scores = scores_of()
    assert scores.mean().tolist() == [0.2]
    assert scores.mean_upper().tolist() == [0.6]
    frame = scores.frame(per_topic=True)
    assert frame["topic"].to_list() == ["1", "2", "all"]
    assert frame["value"].to_list() == [0.2, None, 0.2]
    assert frame["judged"].to_list() == [0.5, 1.0, 0.75]


def test_the_interval_of_a_mean_allows_for_topics_that_come_to_count() -> None:
    """Undefined now, worth 0.9 or nothing once a relevant document is found."""
    scores = scores_of(lower=[[0.1, 0.0]], upper=[[0.6, 0.9]])
    assert scores.mean().tolist() == [0.2]
    assert scores.mean_upper().tolist() == [0.75]
    assert scores.mean_lower().tolist() == [0.05]


def test_a_score_outside_its_interval_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        scores_of(upper=[[0.15, np.nan]])


def test_midpoint_and_projection() -> None:
    scores = scores_of(value=[[0.2, 0.0]], lower=[[0.2, 0.0]], upper=[[0.6, 1.0]])
    assert scores.midpoint().tolist() == [[0.4, 0.5]]
    assert abs(scores.projected()[0, 0] - (0.2 + 0.4 * 0.2 / 0.6)) < 1e-12
    assert np.isnan(scores.projected()[0, 1]), "nothing judged, nothing to project from"


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: pl.concat([frame, frame]),
        lambda frame: frame.with_columns(grade=-pl.col("grade")),
        lambda frame: frame.drop("subtopic"),
    ],
)
def test_subtopic_judgments_that_make_no_sense_are_refused(
    change: Callable[[pl.DataFrame], pl.DataFrame],
) -> None:
    frame = pl.DataFrame(
        {"topic": ["1", "1"], "subtopic": ["1", "2"], "doc": ["a", "a"], "grade": [1, 2]},
        schema_overrides={"grade": pl.Int16},
    )
    assert Subtopics(frame).documents()["grade"].to_list() == [2]
    with pytest.raises(ValueError, match=r"twice|negative|columns"):
        Subtopics(change(frame))
