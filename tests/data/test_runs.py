"""Runs hold ranked lists, and refuse what is none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.pairs import Pairs
from leadline.data.runs import UNRANKED, Runs
from tests.collections import Small, small_collections
from tests.tries import tries


@given(small_collections())
def test_tables_are_frozen(small: Small) -> None:
    runs, judgments = small.tables()
    for array in (runs.pair, runs.start, judgments.judged, judgments.grade, runs.pairs.topic):
        assert not array.flags.writeable
    with pytest.raises(AttributeError):
        runs.names = ()  # type: ignore[misc]


@given(small_collections())
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


@given(small_collections(n_runs=4))
@tries(15)
def test_postings_and_best_ranks_are_the_lists_turned_round(small: Small) -> None:
    runs, _ = small.tables()
    postings = runs.postings
    for pair in range(len(runs.pairs)):
        topic, doc = runs.pairs.name(pair)
        expected = [
            (run, lists[topic].index(doc) + 1)
            for run, lists in enumerate(small.runs.values())
            if doc in lists[topic]
        ]
        part = slice(postings.start[pair], postings.start[pair + 1])
        found = list(zip(postings.run[part].tolist(), postings.rank[part].tolist(), strict=True))
        assert found == expected
        assert runs.best_rank[pair] == min((rank for _, rank in expected), default=UNRANKED)


@given(small_collections(n_runs=4), st.integers(1, 9), st.integers(0, 15))
@tries(15)
def test_some_runs_cut_to_a_depth(small: Small, depth: int, mask: int) -> None:
    runs, _ = small.tables()
    kept = np.array([bool(mask >> run & 1) for run in range(len(runs.names))])
    part = runs.only(kept, depth)
    assert part.names == tuple(name for name, keep in zip(runs.names, kept, strict=True) if keep)
    for r, name in enumerate(part.names):
        for t, topic in enumerate(part.pairs.topics):
            pair = part.pair[part.start[r, t] : part.stop[r, t]]
            docs = [part.pairs.name(int(each))[1] for each in pair]
            assert docs == small.runs[name][topic][:depth]
    assert runs.cut(1000) is runs


@given(small_collections(n_runs=4), st.integers(0, 99))
def test_runs_by_name_are_the_same_in_any_order(small: Small, seed: int) -> None:
    runs, _ = small.tables()
    turned = runs.only(np.random.default_rng(seed).permutation(len(runs.names)))
    one, two = runs.by_name, turned.by_name
    assert one.names == two.names == tuple(sorted(runs.names))
    assert (one.pair == two.pair).all()
    assert (one.start == two.start).all()
    assert one.by_name is one


def test_groups_are_numbered_as_they_first_occur() -> None:
    runs, _ = Small({"a": {"1": ["x"]}, "b": {"1": ["x"]}, "c": {"1": []}}, {"1": {}}, 1).tables()
    grouped = Runs(runs.pairs, runs.names, runs.pair, runs.start, runs.stop, ("U", "T", "U"))
    assert grouped.groups == ("U", "T")
    assert grouped.group_number.tolist() == [0, 1, 0]
