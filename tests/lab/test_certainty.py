"""The trail of judgments agrees with the stopping rules, asked after every single judgment."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.io.datasets import COLLECTION
from leadline.judging.by_weight import MoffatC
from leadline.judging.certain_winner import CertainWinner
from leadline.judging.order import orders
from leadline.judging.standings import Standings
from leadline.judging.stops import stops
from leadline.lab.papers.moffat07_plan import (
    STOPS,
    BeforeJudging,
    Trail,
    first,
    handled,
    pass_setup,
)
from leadline.measures.rbp import RBP
from tests.collections import Small, small_collections
from tests.tries import tries


def by_asking(runs: object, pairs: np.ndarray, gain: np.ndarray, stop: str) -> int | None:
    standing = Standings(runs, RBP(p=0.8))  # type: ignore[arg-type]
    rule = stops.parse(stop)
    for n in range(len(pairs) + 1):
        if rule.reason(standing) is not None:
            return n
        if n < len(pairs):
            standing.tell(int(pairs[n]), int(gain[n]))
    return None


@tries(20)
@given(small_collections(n_docs=6, n_topics=2, n_runs=7, max_grade=1), st.randoms())
def test_bisection_finds_what_asking_after_every_judgment_finds(
    small: Small, random: object
) -> None:
    runs, judgments = small.tables()
    returned = np.flatnonzero(np.diff(runs.postings.start) > 0)
    order = list(returned)
    random.shuffle(order)  # type: ignore[attr-defined]
    pairs = np.array(order, np.int64)
    gain = (judgments.grade[pairs] >= 1).astype(np.float64)
    trail = Trail(BeforeJudging(runs, RBP(p=0.8)), pairs, gain)
    for stop, rule in STOPS.items():
        assert trail.judgments_until(*rule) == by_asking(runs, pairs, gain, stop), stop


@pytest.mark.parametrize("name", ["MoffatC(p=0.8)", "DepthFirst(p=0.8)", "MoveToFront"])
def test_the_same_on_the_demo(name: str) -> None:
    on = pass_setup(str(COLLECTION), "float32")
    pairs = handled(orders.parse(name), on, 1500, "nonrelevant")
    gain = (on.judgments.grade[pairs] >= 1).astype(np.float64)
    trail = Trail(BeforeJudging(on.runs, RBP(p=0.8)), pairs, gain)
    for stop, rule in STOPS.items():
        assert trail.judgments_until(*rule) == by_asking(on.runs, pairs, gain, stop), stop


def test_difference_ends_where_the_best_is_certain_and_method_c_goes_on() -> None:
    on = pass_setup(str(COLLECTION), "float32")
    alone = handled(CertainWinner(p=0.8), on, 4000, "nonrelevant")
    both = handled(CertainWinner(p=0.8), on, 1000, "nonrelevant", MoffatC(p=0.8))
    assert len(alone) < 1000 == len(both)
    assert (both[: len(alone)] == alone).all()
    assert len(set(both.tolist())) == 1000
    gain = (on.judgments.grade[both] >= 1).astype(np.float64)
    trail = Trail(BeforeJudging(on.runs, RBP(p=0.8)), both, gain)
    assert trail.judgments_until(1, True) == len(alone)
    assert not trail.contenders(len(alone)).any()
    assert trail.contenders(len(alone) - 1).any()


@given(st.integers(0, 60), st.integers(0, 50))
def test_bisection(threshold: int, last: int) -> None:
    expected = threshold if threshold <= last else None
    assert first(lambda n: n >= threshold, last) == expected
