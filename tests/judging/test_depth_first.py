"""DepthFirst: by best rank, whose turn it is drawn by the seed."""

import numpy as np
import pytest

from leadline.judging.order import by_best_rank, orders
from tests.collections import Small
from tests.judging.twins import Twin, asked, check_twin
from tests.reference import orders as plain

TWINS: dict[str, Twin] = {
    "DepthFirst(p=0.8)": lambda runs: plain.DepthFirst(runs, 0.8, 0),
    "DepthFirst(p=0.8, seed=5)": lambda runs: plain.DepthFirst(runs, 0.8, 5),
}


@pytest.mark.parametrize("name", TWINS)
def test_every_step_is_the_twins(name: str) -> None:
    check_twin(name, TWINS[name])


def test_first_come_everybodys_first_documents() -> None:
    rankings = {"x": ["a", "b", "c"], "y": ["d", "a", "e"]}
    found = asked("DepthFirst(p=0.5)", rankings, {}, 9)
    # a is first somewhere; of b no list has it higher than second.
    assert set(found[:2]) == {"a", "d"}
    assert found[2] == "b"
    assert set(found[3:]) == {"c", "e"}


def test_weights_are_those_of_the_best_rank() -> None:
    runs = Small({"x": {"1": ["a", "b"]}, "y": {"1": ["b"]}}, {"1": {}}, 1).tables()[0]
    chosen = orders.parse("DepthFirst(p=0.5)").start(runs).next(9)
    assert [choice.weight for choice in chosen] == [0.5, 0.5]


def test_pooling_gives_every_run_a_turn_and_every_seed_another_order() -> None:
    docs = [f"d{number}" for number in range(60)]
    lists = {f"run{n}": {str(t): [docs[6 * n + t]] for t in range(6)} for n in range(10)}
    runs = Small(lists, {str(t): {} for t in range(6)}, 1).tables()[0]
    first = [
        [each.pair for each in orders.parse(f"DepthFirst(p=0.5, seed={seed})").start(runs).next(10)]
        for seed in range(20)
    ]
    assert len(set(map(tuple, first))) == 20
    # Ten of the sixty first documents: not those of one or two runs, whatever the seed.
    holder = np.repeat(runs.postings.run, np.diff(runs.postings.start))
    assert min(len(set(holder[pairs].tolist())) for pairs in first) > 3


def test_a_list_with_the_lower_turn_gives_first() -> None:
    runs = Small({"x": {"1": ["a"]}, "y": {"1": ["b"]}}, {"1": {}}, 1).tables()[0]
    for turns in ([[0.1], [0.9]], [[0.9], [0.1]]):
        pairs = by_best_rank(runs, np.array(turns))
        first = runs.pairs.name(int(pairs[0]))[1]
        assert first == ("a" if turns[0][0] < turns[1][0] else "b")


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_persistence_without_sense_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p must"):
        orders.parse(f"DepthFirst(p={p})")
