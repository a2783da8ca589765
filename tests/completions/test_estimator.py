"""What all estimators promise, on random small collections, and what bad input does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.coverage import gamma
from leadline.completions.estimator import Estimator, TrainingData, estimators
from leadline.measures.measure import Weighted, measures
from leadline.measures.rbp import RBP
from leadline.pooling.strategies import Depth
from tests.collections import Small, small_collections
from tests.tries import tries

NAMES = [
    name
    for name, made in estimators.classes().items()
    # Those that need labels or texts have nothing to say of bare ranks.
    if name not in ("InfRBP", "Regression") and not (made.needs_labels or made().reads)
]
NAMES.append("Regression(draws=2)")
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


@pytest.mark.parametrize(
    "name", [*NAMES, "TwoStage(group_by=runs)", "TwoStage(fit=scores, theta=0.1)"]
)
@given(
    small=small_collections(n_docs=9, n_runs=4),
    measure=st.sampled_from(MEASURES),
    d=st.integers(1, 4),
)
@tries(6)
def test_gains_are_possible_and_judged_documents_keep_theirs(
    name: str, small: Small, measure: str, d: int
) -> None:
    runs, everything = small.tables()
    pool = Depth(d).pool(runs)
    judgments = pool.restrict(everything)
    by = weighted(measure)
    found = named(name).gains(TrainingData(by, runs, judgments, pool))
    table = by.gain(judgments.max_grade)
    assert found.gain.shape == runs.pair.shape
    assert (found.gain >= 0).all()
    assert (found.gain <= table.max()).all()
    judged = judgments.judged[runs.pair]
    assert (found.gain[judged] == table[judgments.grade[runs.pair[judged]]]).all()
    scores = found.scores(name)
    assert scores.obtained == name
    assert (scores.lower <= scores.value + 1e-12).all()
    assert (scores.value <= scores.upper + 1e-12).all()


@pytest.mark.parametrize(
    "name",
    ["Linear", "Weibull", "Uniform", "TwoStage(fit=scores)", "TwoStage", "TwoStage(group_by=runs)"],
)
@given(small=small_collections(n_docs=9, n_runs=4), theta=st.sampled_from([0.05, 0.2, 5.0]))
@tries(6)
def test_theta_leaves_some_topics_alone(name: str, small: Small, theta: float) -> None:
    runs, everything = small.tables()
    pool = Depth(2).pool(runs)
    judgments = pool.restrict(everything)
    by = RBP(p=0.8)
    inside = name.rstrip(")").partition("(")[2]
    whole = f"{name.partition('(')[0]}({f'{inside}, ' if inside else ''}theta={theta})"

    evidence = TrainingData(by, runs, judgments, pool)

    def value(which: str) -> np.ndarray:
        return named(which).gains(evidence).scores(which).value

    uneven = gamma(evidence)
    mixed = np.where(uneven > theta, value(name), value("LowerBound"))
    assert value(whole) == pytest.approx(mixed, abs=1e-12)


@pytest.mark.parametrize("name", NAMES[:-1])
@given(small=small_collections(n_docs=9, n_runs=4))
@tries(6)
def test_a_run_that_did_not_contribute_teaches_nothing(name: str, small: Small) -> None:
    """What the others gain is the same with or without it.

    Only Regression, the last name, draws documents that an unpooled run ranks highest anew.
    """
    runs, everything = small.tables()
    if len(runs.names) < 2:
        return
    others = np.arange(len(runs.names)) > 0
    part = runs.only(others)
    pool = Depth(2).pool(part)
    judgments = pool.restrict(everything)
    by = RBP(p=0.8)
    one = named(name).gains(TrainingData(by, runs, judgments, pool, others))
    two = named(name).gains(TrainingData(by, part, judgments, pool))
    mine, theirs = one.scores(name).value[others], two.scores(name).value
    assert mine == pytest.approx(theirs, abs=1e-9)


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


@pytest.mark.parametrize(
    "name", [*NAMES, "TwoStage(group_by=runs)", "TwoStage(fit=scores, theta=0.018)"]
)
@pytest.mark.parametrize("what", BAD)
def test_odd_input_gives_scores_inside_the_interval(name: str, what: str) -> None:
    runs, everything = Small(*BAD[what]).tables()
    for depth in (1, 5):
        pool = Depth(depth).pool(runs)
        judgments = pool.restrict(everything)
        for measure in ("RBP(p=0.8)", "RBP(p=0.9, gains=grade)", "SDCG@3"):
            by = weighted(measure)
            found = named(name).gains(TrainingData(by, runs, judgments, pool))
            assert np.isfinite(found.gain).all()
            assert np.isfinite(found.tail).all()
            found.scores(name)


@pytest.mark.parametrize("name", [*NAMES, "TwoStage(group_by=runs)"])
@given(small=small_collections(n_docs=9, n_runs=4), d=st.integers(1, 3), turn=st.integers(1, 3))
@tries(6)
def test_the_order_of_the_runs_changes_nothing(name: str, small: Small, d: int, turn: int) -> None:
    """Gains, tails and standard errors are the same to the last digit."""
    runs, everything = small.tables()
    order = np.roll(np.arange(len(runs.names)), turn)
    turned = runs.only(order)
    results = []
    for each in (runs, turned):
        pool = Depth(d).pool(each)
        evidence = TrainingData(RBP(p=0.8), each, pool.restrict(everything), pool)
        found = named(name).gains(evidence)
        assert evidence.pooled_runs.runs.names == tuple(sorted(each.names))
        results.append((found, found.scores(name)))
    (one, by_one), (two, by_two) = results
    assert (one.tail[order] == two.tail).all()
    assert (by_one.value[order] == by_two.value).all()
    if one.standard_error is not None and two.standard_error is not None:
        assert (one.standard_error[order] == two.standard_error).all()


def test_what_a_method_is_asked_about_itself() -> None:
    made = {name: named(name) for name in NAMES} | {
        "TwoStage(fit=scores)": named("TwoStage(fit=scores, theta=0.1)")
    }
    assert {name for name, each in made.items() if each.by_residual} == {
        "LowerBound",
        "Midpoint",
        "ListMean",
        "UpperBound",
    }
    thresholds = {name: each.theta for name, each in made.items() if each.theta is not None}
    assert set(thresholds) == {
        "TwoStage(fit=scores)",
        "TwoStage",
        "Linear",
        "Uniform",
        "Weibull",
        "Zipf",
    }
    assert thresholds["TwoStage(fit=scores)"] == 0.1
    assert not any(each.reads for each in made.values())
    assert named("Regression(text=true)").reads
