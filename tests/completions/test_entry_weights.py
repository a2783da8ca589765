"""Weights of entries by pair, against the lists themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.bounds import EntryWeights, weighty_heads, weighty_ranks
from leadline.measures.precision import P
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections


@given(small_collections(n_docs=6, n_runs=4), st.data())
def test_surplus_is_what_the_open_documents_of_each_run_weigh_beyond_those_of_another(
    small: Small, data: st.DataObject
) -> None:
    runs, _ = small.tables()
    weights = EntryWeights(runs, RBP(p=0.7))
    closed = np.array([data.draw(st.booleans()) for _ in range(len(runs.pairs))], np.bool_)
    weight = [
        {
            (topic, doc): 0.3 * 0.7**before
            for topic, docs in lists.items()
            for before, doc in enumerate(docs)
        }
        for lists in small.runs.values()
    ]
    for b, reference in enumerate(weight):
        found = weights.surplus(weights.of_run(b), closed)
        for a, own in enumerate(weight):
            expected = sum(
                max(0.0, own[pair] - reference.get(pair, 0.0))
                for pair in own
                if not closed[runs.pairs.number(*pair)]
            )
            assert found[a] == pytest.approx(expected / len(runs.pairs.topics), abs=1e-12)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_ranks_below_the_weighty_ones_weigh_nothing_together(p: float) -> None:
    measure, n = RBP(p=p), 2000
    kept = weighty_ranks(measure, n)
    assert measure.weights(n)[kept:].sum() < 1e-15
    assert measure.weights(n)[kept - 1 :].sum() >= 1e-15


def test_a_list_is_cut_only_where_that_changes_nothing() -> None:
    small = Small({"a": {"1": [f"d{i}" for i in range(300)]}, "b": {"1": ["d1"]}}, {"1": {}}, 1)
    runs, _ = small.tables()
    assert 150 < weighty_heads(runs, RBP(p=0.8)).length.max() < 200
    assert weighty_heads(runs, P(k=300)) is runs
    assert weighty_heads(runs, P(k=10)).length.tolist() == [[10], [1]]
