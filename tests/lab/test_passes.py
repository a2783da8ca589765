"""Passes over an order: what is asked for, and DepthFirst as the paper may have done it."""

import numpy as np
from hypothesis import given

from leadline.lab.papers.moffat07_plan import DepthFirstByRun
from tests.collections import Small, small_collections
from tests.reference import orders as plain


@given(small_collections(n_docs=7, n_runs=4))
def test_pooling_by_run_takes_the_first_run_then_the_topic(small: Small) -> None:
    runs, _ = small.tables()
    chosen = DepthFirstByRun(p=0.8).start(runs).next(len(runs.pairs))
    twin = plain.simulate(plain.DepthFirst(list(small.runs.values()), 0.8), {})
    assert [runs.pairs.name(choice.pair) for choice in chosen] == [pair for pair, _, _ in twin]


@given(small_collections(n_docs=7, n_runs=4))
def test_places_stand_for_another_order_of_the_runs(small: Small) -> None:
    runs, _ = small.tables()
    place = np.random.default_rng(len(runs.pair)).permutation(len(runs.names))
    chosen = DepthFirstByRun(p=0.8, place=tuple(place.tolist())).start(runs).next(len(runs.pairs))
    lists = list(small.runs.values())
    twin = plain.DepthFirst([lists[run] for run in np.argsort(place)], 0.8)
    expected = [pair for pair, _, _ in plain.simulate(twin, {})]
    assert [runs.pairs.name(choice.pair) for choice in chosen] == expected
