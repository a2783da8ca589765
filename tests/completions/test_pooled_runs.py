"""The runs that teach: in the order of their names, whole or for some pairs only."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.estimator import PooledRuns
from tests.collections import Small, small_collections


@given(small=small_collections(n_docs=8, n_runs=4), seed=st.integers(0, 99))
def test_postings_are_the_ranks_in_the_runs_of_the_mask(small: Small, seed: int) -> None:
    runs, _ = small.tables()
    random = np.random.default_rng(seed)
    turned = runs.only(random.permutation(len(runs.names)))
    mask = random.random(len(runs.names)) < 0.6
    mask[random.integers(len(mask))] = True
    pooled = PooledRuns(turned, mask)
    names = sorted(name for name, chosen in zip(turned.names, mask, strict=True) if chosen)
    assert list(pooled.runs.names) == names
    assert len(pooled) == len(names)
    some = np.flatnonzero(random.random(len(runs.pairs)) < 0.5)
    restricted = pooled.postings_of(some)
    table = pooled.ranks_of(some)
    for row, pair in enumerate(some.tolist()):
        topic, doc = runs.pairs.name(pair)
        ranks = []
        for run, name in enumerate(names):
            ranking = small.runs[name].get(topic, [])
            rank = ranking.index(doc) + 1 if doc in ranking else 0
            assert table[row, run] == rank
            if rank:
                ranks.append((run, rank))
        for postings, at in ((pooled.postings, pair), (restricted, row)):
            part = slice(postings.start[at], postings.start[at + 1])
            listed = zip(postings.run[part].tolist(), postings.rank[part].tolist(), strict=True)
            assert list(listed) == ranks
