"""Standings: what is kept current equals what is made late; who may still be best."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.lists import Lists
from leadline.data.runs import Runs
from leadline.judging.standings import Standings
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections
from tests.tries import tries

PERSISTENCE = st.sampled_from([0.5, 0.8])


@given(small=small_collections(n_docs=6, n_runs=4), p=PERSISTENCE)
def test_a_standing_made_late_equals_one_that_was_kept_current(small: Small, p: float) -> None:
    runs, known = small.tables()
    late, current = Standings(runs, RBP(p=p)), Standings(runs, RBP(p=p))
    assert current.scores is not None
    assert current.contest is not None
    references = range(len(runs.names))
    assert all(len(current.upper_against(run)) for run in references)
    for pair in known.judged.nonzero()[0].tolist():
        for each in (late, current):
            each.tell(pair, int(known.grade[pair] > 0))
            each.tell(pair, 1)  # A pair counts once.
    np.testing.assert_allclose(late.residuals, current.residuals, atol=1e-12)
    np.testing.assert_allclose(late.base, current.base, atol=1e-12)
    np.testing.assert_allclose(late.base, late.base, atol=1e-12)
    for run in references:
        kept = current.upper_against(run)
        np.testing.assert_allclose(late.upper_against(run), kept, atol=1e-12)


def test_a_measure_with_a_depth_has_no_tail_and_no_ranks_beyond_it() -> None:
    small = Small({"a": {"1": ["x", "y", "z"]}, "b": {"1": ["z"]}}, {"1": {}}, 1)
    runs, _ = small.tables()
    standing = Standings(runs, P(k=2))
    assert standing.upper.tolist() == pytest.approx([1.0, 0.5])
    standing.tell(int(runs.pairs.find(["1"], ["x"])[0]), 1)
    assert standing.residual.tolist() == pytest.approx([0.5, 0.5])


def test_a_long_list_is_cut_where_it_weighs_nothing() -> None:
    small = Small({"a": {"1": [f"d{i}" for i in range(300)]}, "b": {"1": ["d1"]}}, {"1": {}}, 1)
    runs, _ = small.tables()
    standing = Standings(runs, RBP(p=0.8))
    assert 150 < len(standing.scores.runs.pair) < 200
    for pair in range(len(runs.pairs)):
        standing.tell(pair, 1)
    assert standing.upper.tolist() == pytest.approx([1.0, 1.0], abs=1e-12)
    assert standing.base.tolist() == pytest.approx([1.0, 0.2], abs=1e-12)
    assert Standings(runs, P(k=300)).scores.runs is runs


@tries(15)
@given(small=small_collections(n_docs=5, max_grade=1), p=PERSISTENCE)
def test_own_intervals_are_those_of_the_measure(small: Small, p: float) -> None:
    runs, known = small.tables()
    standings, scores = Standings(runs, RBP(p=p), known), RBP(p=p).score(Lists.of(runs, known))
    assert standings.base == pytest.approx(scores.lower.mean(axis=1))
    assert standings.upper == pytest.approx(scores.upper.mean(axis=1))
    assert standings.residuals == pytest.approx(scores.upper - scores.lower)


@tries(15)
@given(small=small_collections(n_docs=5, n_runs=4), p=PERSISTENCE)
def test_what_is_taken_back_was_never_said(small: Small, p: float) -> None:
    runs, known = small.tables()
    standings = Standings(runs, RBP(p=p))
    before = standings.base.copy(), standings.upper.copy(), standings.contest.upper.copy()
    pairs = known.judged.nonzero()[0].tolist()
    for pair in pairs:
        standings.tell(pair, int(known.grade[pair]))
    for pair in pairs:
        standings.retract(pair)
    after = standings.base, standings.upper, standings.contest.upper
    for mine, theirs in zip(before, after, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)
    assert len(standings.judged) == 0


def three() -> Runs:
    lists = {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}, "c": {"1": ["z"]}}
    return Small(lists, {"1": {}}, 1).tables()[0]


def pair(runs: Runs, doc: str) -> int:
    return runs.pairs.number("1", doc)


def test_who_cannot_pass_the_leader_is_out() -> None:
    runs = three()
    standings = Standings(runs, P(k=2))
    assert standings.leader == 0
    assert sorted(standings.may_be_best.tolist()) == [0, 2]
    standings.tell(pair(runs, "x"), 1)
    # a and b hold the same two, whatever y is; c can draw level at most.
    assert standings.may_be_best.tolist() == [0]
    best = standings.by_joint_intervals()
    assert best is not None
    assert best.tolist() == [True, False, False]
    # By its own interval b can reach 1, and c half of it.
    assert standings.by_own_intervals() is None
    assert standings.gap() == pytest.approx(0.5)


def test_a_tail_leaves_it_short_of_certain() -> None:
    runs = three()
    standings = Standings(runs, RBP(p=0.5))
    standings.tell(pair(runs, "x"), 1)
    standings.tell(pair(runs, "z"), 0)
    # With y, b draws level with a, and passes it by its tail; with all of its own c draws level.
    assert standings.tail.tolist() == pytest.approx([0.25, 0.25, 0.5])
    assert standings.short_of_certain.tolist() == [1]


def test_the_projection_takes_what_is_open_for_as_good_as_what_is_judged() -> None:
    runs = three()
    standings = Standings(runs, P(k=2))
    assert np.isnan(standings.projected[:2]).all()
    standings.tell(pair(runs, "x"), 1)
    # Of a and b half is judged, and all of that relevant; the rank that c does not fill is closed.
    assert standings.projected.tolist() == pytest.approx([1.0, 1.0, 0.0])


def test_references_that_nobody_asks_for_any_more_are_let_go() -> None:
    runs = three()
    standings = Standings(runs, RBP(p=0.5))
    once = standings.upper_against(1, most=1).copy()
    standings.upper_against(2, most=1)
    assert list(standings._rivals) == [2]
    assert standings.upper_against(1).tolist() == pytest.approx(once.tolist())
    # Against itself a run cannot gain, and against another no more than it can score.
    assert once[1] == pytest.approx(0.0)
    assert (once <= standings.upper + 1e-12).all()
