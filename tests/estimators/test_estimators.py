"""What all estimators promise, on random small collections, and what bad input does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.estimators.contributed_entries import judged_depth
from leadline.estimators.coverage import coverage, gamma
from leadline.estimators.estimator import Estimator, estimated_scores, estimators
from leadline.measures.measure import measures
from leadline.measures.rbp import RBP
from leadline.measures.weighted import Weighted
from leadline.pools.depth import Depth
from leadline.pools.stratified import TwoStrata
from leadline.tables.judgments import Judgments
from leadline.tables.lists import Lists
from leadline.tables.runs import Runs
from tests.collections import Small, small_collections

NAMES = [name for name in estimators.classes() if name not in ("InfRBP", "Regression")]
NAMES.append("Regression(bootstrap=2)")
MEASURES = [
    "RBP(p=0.8)",
    "RBP(p=0.9, gains=grade)@5",
    "SDCG@6",
    "P@4",
    "DCG@5",
    "RBP(p=0.5, rel=2)",
]


def weighted(name: str) -> Weighted:
    measure = measures.parse(name)
    assert isinstance(measure, Weighted)
    return measure


def named(name: str) -> Estimator:
    return estimators.parse(name)


@pytest.mark.parametrize("name", [*NAMES, "Lb(grouping=runs)", "La(theta=0.1)"])
@given(
    small=small_collections(n_docs=9, n_runs=4),
    measure=st.sampled_from(MEASURES),
    d=st.integers(1, 4),
)
@settings(max_examples=12)
def test_gains_are_possible_and_judged_documents_keep_theirs(
    name: str, small: Small, measure: str, d: int
) -> None:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    judgments = pool.restrict(everything)
    by = weighted(measure)
    found = named(name).gains(by, runs, judgments, pool)
    table = by.gain(judgments.max_grade)
    assert found.gain.shape == runs.pair.shape
    assert (found.gain >= 0).all()
    assert (found.gain <= table.max()).all()
    judged = judgments.judged[runs.pair]
    assert (found.gain[judged] == table[judgments.grade[runs.pair[judged]]]).all()
    scores = estimated_scores(by, runs, judgments, found, name)
    assert (scores.lower <= scores.value + 1e-12).all()
    assert (scores.value <= scores.upper + 1e-12).all()


@given(small_collections(n_docs=9, n_runs=4), st.sampled_from(MEASURES))
def test_bounds_are_the_ends_and_the_middle(small: Small, measure: str) -> None:
    runs, judgments = small.tables()
    by = weighted(measure)
    certain = by.score(Lists.of(runs, judgments))
    for name, wanted in (
        ("LB", certain.lower),
        ("UB", certain.upper),
        ("Midpoint", certain.midpoint()),
    ):
        found = named(name).gains(by, runs, judgments)
        scores = estimated_scores(by, runs, judgments, found, name)
        assert scores.value == pytest.approx(wanted, abs=1e-12)


@given(small_collections(n_docs=9, n_runs=4))
def test_interpolation_is_the_projected_score(small: Small) -> None:
    runs, judgments = small.tables()
    by = RBP(p=0.8)
    certain = by.score(Lists.of(runs, judgments))
    found = named("RM").gains(by, runs, judgments)
    value = estimated_scores(by, runs, judgments, found, "RM").value
    known = certain.projected()
    some = ~np.isnan(known)
    assert value[some] == pytest.approx(known[some], abs=1e-9)
    judged = judgments.judged
    rate = float((judgments.grade[judged] >= 1).mean()) if judged.any() else 0.0
    assert value[~some] == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("name", ["Linear", "Weibull", "Uniform", "La", "Lb", "Lb(grouping=runs)"])
@given(small=small_collections(n_docs=9, n_runs=4), theta=st.sampled_from([0.05, 0.2, 5.0]))
@settings(max_examples=8)
def test_theta_leaves_some_topics_alone(name: str, small: Small, theta: float) -> None:
    runs, everything = small.tables()
    pool = Depth(2).pool(runs)
    judgments = pool.restrict(everything)
    by = RBP(p=0.8)
    inside = name.rstrip(")").partition("(")[2]
    whole = f"{name.partition('(')[0]}({f'{inside}, ' if inside else ''}theta={theta})"

    def value(which: str) -> np.ndarray:
        found = named(which).gains(by, runs, judgments, pool)
        return estimated_scores(by, runs, judgments, found, which).value

    uneven = gamma(runs, judgments, 2)
    mixed = np.where(uneven > theta, value(name), value("LB"))
    assert value(whole) == pytest.approx(mixed, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(small=small_collections(n_docs=9, n_runs=4))
@settings(max_examples=8)
def test_a_run_that_did_not_contribute_teaches_nothing(name: str, small: Small) -> None:
    """What the others gain is the same with or without it."""
    runs, everything = small.tables()
    if len(runs.names) < 2:
        return
    others = np.arange(len(runs.names)) > 0
    part = runs.only(others)
    pool = Depth(2).pool(part)
    judgments = pool.restrict(everything)
    by = RBP(p=0.8)
    one = named(name).gains(by, runs, judgments, pool, others)
    two = named(name).gains(by, part, judgments, pool)
    mine = estimated_scores(by, runs, judgments, one, name).value[others]
    theirs = estimated_scores(by, part, judgments, two, name).value
    assert mine == pytest.approx(theirs, abs=1e-9)


def build(
    lists: dict[str, dict[str, list[str]]], grades: dict[str, dict[str, int]], top: int = 1
) -> tuple[Runs, Judgments]:
    return Small(lists, grades, top).tables()


BAD = {
    "a topic without judgments": (
        {"a": {"1": ["x", "y"], "2": ["z"]}},
        {"1": {"x": 1}, "2": {}},
        1,
    ),
    "a topic without relevant documents": ({"a": {"1": ["x", "y"]}}, {"1": {"x": 0}}, 1),
    "a single run": ({"a": {"1": ["x", "y", "z"]}}, {"1": {"x": 1}}, 1),
    "runs shorter than the depth": (
        {"a": {"1": ["x"]}, "b": {"1": ["y"]}},
        {"1": {"x": 1, "y": 0}},
        1,
    ),
    "a run that returns nothing": ({"a": {"1": ["x", "y"]}, "b": {"1": []}}, {"1": {"x": 1}}, 1),
    "graded and binary judgments mixed": (
        {"a": {"1": ["x", "y"], "2": ["x", "y"]}, "b": {"1": ["y", "z"], "2": ["z", "x"]}},
        {"1": {"x": 1, "y": 0, "z": 1}, "2": {"x": 3, "z": 2}},
        3,
    ),
    "everything relevant": (
        {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "x"]}},
        {"1": {"x": 1, "y": 1}},
        1,
    ),
}


@pytest.mark.parametrize("name", [*NAMES, "Lb(grouping=runs)", "La(theta=0.018)"])
@pytest.mark.parametrize("what", BAD)
def test_odd_input_gives_scores_inside_the_interval(name: str, what: str) -> None:
    runs, everything = build(*BAD[what])
    for depth in (1, 5):
        pool = Depth(depth).pool(runs)
        judgments = pool.restrict(everything)
        for measure in ("RBP(p=0.8)", "RBP(p=0.9, gains=grade)", "SDCG@3"):
            by = weighted(measure)
            found = named(name).gains(by, runs, judgments, pool)
            assert np.isfinite(found.gain).all()
            assert np.isfinite(found.tail).all()
            estimated_scores(by, runs, judgments, found, name)


def test_gamma_of_the_papers_example() -> None:
    """One relevant document occurs once, one three times: R=2, C=4, gamma^2 = 1/3."""
    lists = {
        "a": {"1": ["r", "s"]},
        "b": {"1": ["r", "x"]},
        "c": {"1": ["r", "y"]},
        "d": {"1": ["z", "w"]},
    }
    grades = {"1": {"r": 1, "s": 1, "x": 0, "y": 0, "z": 0, "w": 0}}
    runs, judgments = build(lists, grades)
    assert gamma(runs, judgments, 2) == pytest.approx([np.sqrt(1 / 3) / 4])
    listing = coverage(runs, judgments, 2, 0.1)
    assert listing.row(0)[:4] == ("1", 2, 4, 1)
    assert listing["adjusted"].to_list() == [True]
    assert "2.0 of 4 runs" in listing["why"][0]


def test_gamma_is_0_where_every_relevant_document_occurs_once() -> None:
    runs, judgments = build({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1, "y": 1}})
    assert gamma(runs, judgments, 1).tolist() == [0.0]


def test_the_depth_is_the_pools_or_is_found() -> None:
    lists = {"a": {"1": ["p", "q", "r"]}, "b": {"1": ["q", "p", "s"]}}
    runs, judgments = build(lists, {"1": {"p": 1, "q": 0}})
    assert judged_depth(runs, judgments, None) == 2
    assert judged_depth(runs, judgments, Depth(1).pool(runs)) == 1
    assert judged_depth(runs, judgments, TwoStrata(d=1, deep=3, rate=0.5).pool(runs)) == 1
    runs, judgments = build(lists, {"1": {"r": 1}})
    with pytest.raises(ValueError, match="depth of the pool"):
        judged_depth(runs, judgments, None)


def test_inferred_rbp_by_hand() -> None:
    """d is sampled and relevant, c and e were not drawn: their gain is that of the sample."""
    lists = {"a": {"1": ["p", "c", "d", "e"]}}
    runs, everything = build(lists, {"1": {"p": 0, "c": 1, "d": 1, "e": 0}})
    inclusion = np.array([0.5, 0.5, 0.5, 1.0])
    names = [runs.pairs.name(at)[1] for at in range(4)]
    assert names == ["c", "d", "e", "p"]
    judged = np.array([False, True, False, True])
    judgments = Judgments(
        runs.pairs, judged, np.where(judged, everything.grade, 0), np.ones(4, bool), inclusion
    )
    found = named("InfRBP").gains(RBP(p=0.5), runs, judgments)
    assert found.gain == pytest.approx([0.0, 1.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="sampled"):
        named("InfRBP").gains(RBP(p=0.5), runs, everything)


@given(small_collections(n_docs=9, n_runs=4), st.integers(0, 5))
def test_inferred_rbp_of_everything_sampled_is_rbp(small: Small, seed: int) -> None:
    runs, everything = small.tables()
    pool = TwoStrata(d=1, deep=9, rate=0.6).pool(runs, seed)
    judgments = pool.restrict(everything)
    if not ((pool.inclusion < 1) & (pool.inclusion > 0) & ~judgments.judged).any():
        return
    by = RBP(p=0.8, k=9)
    found = named("InfRBP").gains(by, runs, judgments, pool)
    assert found.standard_error is not None
    closed = ~(judgments.judged[runs.pair] | ~pool.member[runs.pair])
    assert (found.gain[closed] >= 0).all()
