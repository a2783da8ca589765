"""The share judged by run and rank, against plain loops."""

import numpy as np
from hypothesis import given

from leadline.io.validate_runs import judged_by_rank
from tests.collections import Small, small_collections
from tests.views.small import ranks_of


@given(small_collections(n_runs=3))
def test_shares_are_counted_as_by_hand(small: Small) -> None:
    runs, judgments = small.tables()
    told = judged_by_rank(runs, judgments)
    entries: dict[int, list[tuple[int, bool]]] = {run: [] for run in range(len(runs.names))}
    for pair, places in ranks_of(runs).items():
        for run, rank in places:
            entries[run].append((rank, bool(judgments.judged[pair])))
    for run, ranked in entries.items():
        for column, (first, last) in enumerate(zip(told.first, told.last, strict=True)):
            inside = [judged for rank, judged in ranked if first <= rank <= last]
            share = told.share[run, column]
            assert np.isnan(share) if not inside else share == np.mean(inside)
    deepest = max((rank for ranked in entries.values() for rank, _ in ranked), default=0)
    assert told.last.tolist()[-1:] == ([deepest] if deepest else [])
