"""Errors that are told are checked by pooled groups, each taken for new as if never judged."""

import numpy as np
import pytest
from hypothesis import given, settings

from leadline.adjusters.calibration import GroupsInTurn
from leadline.adjusters.prediction import Prediction
from leadline.adjusters.told_errors import (
    FURTHEST,
    PooledGroup,
    ToldErrors,
    _left_out,
    unseen_weight,
)
from tests.adjusters.last_is_new import pool_bias
from tests.collections import Small, small_collections
from tests.reference import adjusters as plain_adjusters
from tests.reference import regression as plain


@given(small_collections(n_docs=7, n_runs=4, n_topics=3))
@settings(deadline=None, max_examples=25)
def test_a_group_is_as_far_off_as_the_twin(small: Small) -> None:
    """Every run is a group; what it alone has in its first two is summed by hand."""
    evidence = pool_bias(small, "P@2", 2)
    evidence = evidence.but(contributing=np.ones(len(small.runs), np.bool_))
    groups, topics = GroupsInTurn.of(evidence), list(small.grades)
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
        model = plain.fit(list(others.values()), left)
        own = 2 * model.own_level(mine, left)
        lost = [(t, d) for t in topics for d in gone[t] if d in small.grades[t]]
        found = _left_out(groups, number)
        if not lost:
            assert found is None
            continue
        off = sum(model.gain(t, d, own) - (small.grades[t][d] >= 1) for t, d in lost)
        evidence_left, among = groups.new(number)
        told = Prediction.of(evidence_left, among=among).covariance(np.random.default_rng(0))
        assert found is not None
        unseen = [d for t, d in lost if not any(d in run.get(t, []) for run in others.values())]
        assert found.unseen == pytest.approx(len(unseen) / 2 / len(topics))
        square = (off / 2 / len(topics)) ** 2
        assert found.square * told[0, 0] == pytest.approx(square, rel=1e-5, abs=1e-9)


def test_errors_grow_with_what_groups_show_and_never_shrink() -> None:
    def factor(square: float, n: int) -> float:
        return ToldErrors([PooledGroup(square, 0.1)] * n).factor

    assert factor(0.1, 10) == 1.0
    assert factor(4.0, 1000) == pytest.approx(2.0, rel=0.01)
    assert factor(1.0, 4) > factor(1.0, 20) > 1.0
    assert factor(1e9, 5) == factor(FURTHEST**2, 5)


def test_a_run_unlike_every_pooled_one_is_in_doubt() -> None:
    shown = ToldErrors([PooledGroup(1.0, unseen) for unseen in (0.1, 0.2, 0.3)])
    assert shown.doubts(0.3) == shown.doubts(0.0) == []
    (doubt,) = shown.doubts(0.4)
    assert "(0.400) than in any run's of 3 pooled groups" in doubt
    (few,) = ToldErrors([PooledGroup(1.0, 0.1)] * 2).doubts(0.05)
    assert few.startswith("only 2 pooled groups brought documents of their own")
    assert ToldErrors([]).words() == [
        "no other group brought documents of its own, so nothing checks its error"
    ]
    assert "1.00 times as far off" in shown.words()[0]


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
    shown = ToldErrors.of(pool_bias(Small(runs, grades, 1), "P@2", 1))
    assert len(shown.groups) == 20
    assert shown == ToldErrors.of(pool_bias(Small(runs, grades, 1), "P@2", 1))
