"""Effects of runs and of lists, and what chance makes of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.run_effects import RUN_MISFIT, ListEffects
from tests.collections import Small, small_collections
from tests.completions.test_logistic import level


@given(small_collections(n_docs=6, n_runs=3, n_topics=2, judged=0.7), st.integers(0, 10))
def test_effects_of_lists_are_where_the_slope_is_nought(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    logit = np.random.default_rng(seed).normal(0, 2, len(runs.pairs))
    relevant = judgments.grade >= 1
    found = ListEffects.of(runs, judgments, logit, relevant, 100)
    number = {runs.pairs.name(pair): pair for pair in range(len(runs.pairs))}
    for run, name in enumerate(runs.names):
        known = {
            topic: [
                (float(logit[number[topic, doc]]), bool(relevant[number[topic, doc]]))
                for doc in small.runs[name].get(topic, [])
                if judgments.judged[number[topic, doc]]
            ]
            for topic in runs.pairs.topics
        }
        of_run = level([each for documents in known.values() for each in documents], 1.0, 1.0)
        topics = runs.pairs.topics
        more = [level([(z + of_run, y) for z, y in known[topic]], 0.5, 1.0) for topic in topics]
        ours = found.effect[run * len(topics) : (run + 1) * len(topics)]
        middle = sum(more) / len(topics)
        assert ours == pytest.approx([of_run + each - middle for each in more], abs=1e-8)


def test_runs_are_judged_by_what_they_brought_and_lists_by_all() -> None:
    small = Small({"a": {"1": ["x", "y"], "2": ["z"]}}, {"1": {"x": 1, "y": 0}, "2": {"z": 1}}, 1)
    runs, judgments = small.tables()
    found = ListEffects.of(runs, judgments, np.zeros(3), judgments.grade >= 1, 1)
    of_run = level([(0.0, True), (0.0, True)], 1.0, 1.0)
    first = level([(of_run, True), (of_run, False)], 0.5, 1.0)
    second = level([(of_run, True)], 0.5, 1.0)
    assert found.effect.mean() == pytest.approx(of_run, abs=1e-8)
    assert found.effect[1] - found.effect[0] == pytest.approx(second - first, abs=1e-8)


def test_drawn_effects_follow_the_names_of_the_runs() -> None:
    effects = ListEffects(np.zeros(6), np.ones(3), np.ones(6))
    names = ("b", "a", "c")
    one = effects.drawn(names, 4, np.random.default_rng(3)).reshape(4, 3, 2)
    two = effects.drawn(tuple(sorted(names)), 4, np.random.default_rng(3)).reshape(4, 3, 2)
    assert (one == two[:, [1, 0, 2]]).all()
    assert len(np.unique(one)) == 24


def test_what_a_run_is_off_moves_all_its_lists_alike() -> None:
    effects = ListEffects(np.zeros(6), np.array([1.0, 2.0, 0.0]), np.zeros(6))
    drawn = effects.drawn(("a", "b", "c"), 2000, np.random.default_rng(3)).reshape(2000, 3, 2)
    assert (drawn[:, :, 0] == drawn[:, :, 1]).all()
    assert drawn[:, :, 0].std(axis=0) == pytest.approx([1, 2, 0], rel=0.1)


def test_the_error_of_a_run_allows_for_documents_unlike_the_judged() -> None:
    small = Small({"a": {"1": ["x", "y"]}}, {"1": {"x": 1}}, 1)
    runs, judgments = small.tables()
    found = ListEffects.of(runs, judgments, np.zeros(2), judgments.grade >= 1, 100)
    p = 1 / (1 + np.exp(-level([(0.0, True)], 1.0, 1.0)))
    assert found.run_error**2 == pytest.approx([1 / (1 + p * (1 - p)) + RUN_MISFIT**2])
