"""Small evidence is a pool of some runs, all of it judged and nothing else."""

import numpy as np

from leadline.contracts.collections import (
    POOL,
    SAMPLED_POOL,
    bias_of,
    evidence_of,
    small_collections,
)
from leadline.measures.precision import P


def test_what_is_pooled_is_judged() -> None:
    for small in small_collections(8):
        for strategy in (POOL, SAMPLED_POOL):
            evidence = evidence_of(P(k=3), small, strategy)
            assert evidence.pool is not None
            assert np.array_equal(evidence.judgments.judged, evidence.pool.member)


def test_runs_that_do_not_contribute_bring_nothing() -> None:
    for small in small_collections(8, n_runs=5):
        mask = np.arange(len(small.runs)) == 0
        evidence = evidence_of(P(k=3), small, contributing=mask)
        top = evidence.runs.only(mask, depth=2).pair
        assert set(np.flatnonzero(evidence.judgments.judged)) == set(top)


def test_new_runs_are_judged_where_pooled_ones_reach() -> None:
    for small in small_collections(8, n_runs=5):
        new = list(small.runs)[-1:]
        if len(small.runs) < 2:
            continue
        evidence = bias_of(P(k=3), small, new)
        assert evidence.new_names == tuple(new)
        top = evidence.runs.only(np.array([run not in new for run in small.runs]), depth=2).pair
        assert set(np.flatnonzero(evidence.judgments.judged)) == set(top)
        assert evidence.reference is not None
        assert evidence.reference.judged.all()
