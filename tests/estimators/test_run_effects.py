"""Effects of runs and of lists, and what chance makes of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.estimators.run_effects import ListEffects
from tests.collections import Small, small_collections
from tests.estimators.test_logistic import level


@given(small_collections(n_docs=6, n_runs=3, n_topics=2, judged=0.7), st.integers(0, 10))
def test_effects_of_lists_are_where_the_slope_is_nought(small: Small, seed: int) -> None:
    runs, judgments = small.tables()
    logit = np.random.default_rng(seed).normal(0, 2, len(runs.pairs))
    relevant = judgments.grade >= 1
    found = ListEffects.of(runs, judgments, logit, relevant)
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
        for at, topic in enumerate(runs.pairs.topics):
            more = level([(z + of_run, y) for z, y in known[topic]], 0.5, 1.0)
            ours = found.effect[run * len(runs.pairs.topics) + at]
            assert ours == pytest.approx(of_run + more, abs=1e-8)


def test_drawn_effects_follow_the_names_of_the_runs() -> None:
    effects = ListEffects(np.zeros(6), np.ones(6))
    names = ("b", "a", "c")
    one = effects.drawn(names, np.random.default_rng(3)).reshape(3, 2)
    two = effects.drawn(tuple(sorted(names)), np.random.default_rng(3)).reshape(3, 2)
    assert (one == two[[1, 0, 2]]).all()
    assert len(np.unique(one)) == 6
