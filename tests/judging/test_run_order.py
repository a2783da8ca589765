"""Runs given in another order give the same orders: ties are settled by name or by seed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.judging.order import orders
from leadline.judging.session import Session
from tests.collections import Small, small_collections
from tests.tries import tries

ORDERS = [
    "DepthFirst(p=0.8)",
    "DepthFirst(p=0.8, seed=7)",
    "MoffatA(p=0.8)",
    "MoffatB(p=0.8)",
    "MoffatC(p=0.8)",
    "MoffatC(p=0.8, scope=topic)",
    "CertainWinner(p=0.8)",
    "MoveToFront",
    "MaxMean(rate=0.0)",
    "MaxMean(rate=1.0)",
    "Random",
    "LikelyWinner(measure='P@5', pilot=3, batch=3, audit=0.3)",
    "LikelyWinner(k=2, pilot=2, batch=4)",
]


def course(small: Small, name: str) -> tuple[list[tuple[str, str]], str, list[str]]:
    """The pairs asked for, the leader, and who may be best then."""
    runs, judgments = small.tables()
    session = Session(runs, orders.parse(name))
    asked = []
    for _ in range(len(runs.pairs) // 2 + 1):
        for choice in session.ask():
            asked.append(runs.pairs.name(choice.pair))
            session.tell(choice.pair, int(judgments.grade[choice.pair]))
    standing = session.standing
    may = [runs.names[run] for run in standing.may_be_best]
    return asked, runs.names[standing.leader], may


@pytest.mark.parametrize("name", ORDERS)
@tries(15)
@given(small=small_collections(n_docs=7, n_runs=5), seed=st.integers(0, 99))
def test_runs_in_another_order_are_asked_for_the_same(name: str, small: Small, seed: int) -> None:
    shuffled = list(small.runs.items())
    random.Random(seed).shuffle(shuffled)
    other = Small(dict(shuffled), small.grades, small.max_grade)
    assert course(other, name) == course(small, name)
