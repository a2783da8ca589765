"""How far levels of new runs lie from what is told is learnt from pooled groups taken for new."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.adjuster import GroupsInTurn
from leadline.completions.level_spread import (
    DEGREES,
    LEVELS,
    MISFIT_SCALE,
    MISFITS,
    LevelSpread,
    PooledGroup,
    _left_out,
    unseen_weight,
)
from leadline.completions.prediction import Prediction
from leadline.completions.run_effects import NEW_RUN_MISFIT
from tests.collections import Small, small_collections
from tests.completions.last_is_new import pool_bias
from tests.reference import adjusters as plain_adjusters
from tests.reference import new_runs as plain
from tests.reference import regression as plain_regression
from tests.tries import tries

NOTHING = np.zeros(len(MISFITS))


@given(small_collections(n_docs=7, n_runs=4, n_topics=3), st.sampled_from(["P@2", "RBP(p=0.8)@2"]))
@tries(6)
def test_misfits_are_as_likely_as_the_twin_says(small: Small, measure: str) -> None:
    """Every run is a group; what it alone has in its first two is found by hand."""
    evidence = pool_bias(small, measure, 2)
    evidence = evidence.but(contributing=np.ones(len(small.runs), np.bool_))
    groups, topics = GroupsInTurn.of(evidence), list(small.grades)
    weight = evidence.weighted.weights(2).tolist()
    found, twins = [], []
    for number, name in enumerate(sorted(small.runs) if len(small.runs) > 1 else []):
        others = {other: run for other, run in small.runs.items() if other != name}
        mine = small.runs[name]
        gone = {
            topic: set(mine.get(topic, [])[:2])
            - plain_adjusters.pooled_docs(others.values(), topic, 2)
            for topic in topics
        }
        left = {
            topic: {doc: grade for doc, grade in judged.items() if doc not in gone[topic]}
            for topic, judged in small.grades.items()
        }
        known = [grade >= 1 for judged in left.values() for grade in judged.values()]
        if not any(known) or all(known):
            continue
        model = plain_regression.fit(list(others.values()), left)
        own = 2 * model.own_level(mine, left)
        lost = [(t, d) for t in topics for d in gone[t] if d in small.grades[t]]
        group = _left_out(groups, number)
        if not lost:
            assert group is None
            continue
        assert group is not None
        evidence_left, among = groups.new(number)
        ((_, error),) = Prediction.of(evidence_left, among=among).levels
        docs = [
            (weight[mine[t].index(d)], model.logit(t, d) + own, small.grades[t][d] >= 1)
            for t, d in lost
        ]
        found.append(group)
        twins.append([(float(error[0]), docs)])
        unseen = [
            weight[mine[t].index(d)]
            for t, d in lost
            if not any(d in run.get(t, []) for run in others.values())
        ]
        assert group.unseen == pytest.approx(sum(unseen) / len(topics))
    twin = plain.misfit_probabilities(
        twins, MISFITS.tolist(), LEVELS.tolist(), DEGREES, NEW_RUN_MISFIT, MISFIT_SCALE
    )
    np.testing.assert_allclose(LevelSpread(found).probability, twin, rtol=1e-4, atol=1e-9)


def test_runs_of_a_group_count_as_one() -> None:
    runs = {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}, "c": {"1": ["w", "y"]}}
    small = Small({**runs, "new": {"1": ["u"]}}, {"1": {"w": 0, "x": 1, "y": 0, "z": 0}}, 1)
    evidence = pool_bias(small, "P@2", 2)
    told = {}
    for group in (("a", "b", "c", "new"), ("a", "two", "two", "new")):
        pooled = replace(evidence.runs, group=group)
        told[group[1]] = _left_out(GroupsInTurn.of(evidence.but(runs=pooled)), 1)
    alone, both = told["b"], told["two"]
    assert alone is not None
    assert both is not None
    # Of two runs the mean, not the sum: of the second two documents were withdrawn, not one.
    spread = np.ptp(both.likelihood) / np.ptp(alone.likelihood)
    assert 0.5 < spread < 2.0


def test_every_grade_has_its_share() -> None:
    """Where the gain is the grade, a step a grade: each is what a binary measure says."""
    runs = {"a": {"1": ["v", "x"]}, "b": {"1": ["y", "z"]}, "c": {"1": ["z", "w"]}}
    small = Small({**runs, "new": {"1": ["u"]}}, {"1": {"v": 0, "w": 2, "x": 1, "y": 2, "z": 0}}, 2)
    of = [
        LevelSpread.of(pool_bias(small, f"RBP(p=0.8, {gains})@2", 2)).groups[0].likelihood
        for gains in ("gains=linear", "rel=1", "rel=2")
    ]
    graded, first, second = (each - each[0] for each in of)
    np.testing.assert_allclose(graded, (first + second) / 2, rtol=1e-6, atol=1e-9)


def test_misfits_grow_with_what_groups_show() -> None:
    def misfit(level: float, n: int) -> float:
        likely = -((np.log(MISFITS) - np.log(level)) ** 2)
        return LevelSpread([PooledGroup(likely, 0.1)] * n).misfit

    nothing = LevelSpread([]).misfit
    assert misfit(0.1, 10) < nothing < misfit(2.0, 10)
    assert misfit(2.0, 20) == pytest.approx(2.0, rel=0.15)
    drawn = LevelSpread([]).drawn(4000, np.random.default_rng(0))
    assert np.median(drawn) == pytest.approx(NEW_RUN_MISFIT, rel=0.1)
    assert np.log(drawn).std() == pytest.approx(MISFIT_SCALE, rel=0.1)


def test_a_group_that_held_all_that_is_relevant_says_nothing() -> None:
    runs = {"a": {"1": ["x", "y"]}, "b": {"1": ["y", "z"]}, "new": {"1": ["u"]}}
    small = Small(runs, {"1": {"x": 1, "y": 0, "z": 0}}, 1)
    first, second = LevelSpread.of(pool_bias(small, "P@2", 2)).groups
    assert np.ptp(first.likelihood) == 0.0 < np.ptp(second.likelihood)


def test_a_run_unlike_every_pooled_one_is_in_doubt() -> None:
    shown = LevelSpread([PooledGroup(NOTHING, unseen) for unseen in (0.1, 0.2, 0.3)])
    assert shown.doubts(0.3) == shown.doubts(0.0) == []
    (doubt,) = shown.doubts(0.4)
    assert "(0.400) than in any run's of 3 pooled groups" in doubt
    (few,) = LevelSpread([PooledGroup(NOTHING, 0.1)] * 2).doubts(0.05)
    assert few.startswith("only 2 pooled groups brought documents of their own")
    assert LevelSpread([]).words() == [
        "no other group brought documents of its own, so nothing checks its error"
    ]
    assert (
        "taken to lie 0.50 from what is told of them, in logits, by 3 pooled groups"
        in shown.words()[0]
    )


def test_unseen_is_what_no_pooled_run_returns_down_to_the_pools_depth() -> None:
    runs = {"a": {"1": ["x", "y", "v"]}, "new": {"1": ["z", "v", "u"]}}
    small = Small(runs, {"1": {"x": 1, "y": 0}}, 1)
    for depth, weight in ((2, 1 / 3), (3, 2 / 3)):
        evidence = pool_bias(small, "P@3", depth)
        unjudged = ~evidence.judgments.judged
        assert unseen_weight(evidence, unjudged).tolist() == pytest.approx([weight])
        assert unseen_weight(evidence, ~unjudged).tolist() == [0.0]


def test_of_many_groups_some_are_taken() -> None:
    runs = {f"r{at:02}": {"1": [f"d{at}", "x"]} for at in range(30)}
    grades = {"1": {f"d{at}": at % 2 for at in range(29)} | {"x": 1}}
    shown = LevelSpread.of(pool_bias(Small(runs, grades, 1), "P@2", 1))
    assert len(shown.groups) == 20
    again = LevelSpread.of(pool_bias(Small(runs, grades, 1), "P@2", 1))
    assert shown.probability.tolist() == again.probability.tolist()
