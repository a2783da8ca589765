"""Orders by a measure's name in the place of p."""

import pytest

from leadline.judging.order import orders
from tests.collections import Small

LISTS = {"x": {"1": ["a", "b"], "2": ["c", "d"]}, "y": {"1": ["e", "f"], "2": ["g", "h"]}}
RUNS = Small(LISTS, {"1": {}, "2": {}}, 1).tables()[0]


@pytest.mark.parametrize("kind", ["MoffatA", "MoffatB", "MoffatC", "DepthFirst"])
def test_a_measure_by_name_weighs_ranks(kind: str) -> None:
    def asked(parameter: str) -> list[int]:
        stepper, found = orders.parse(f"{kind}({parameter})").start(RUNS), []
        while chosen := stepper.next():
            found.append(chosen[0].pair)
            stepper.tell(chosen[0].pair, chosen[0].pair % 2)
        return found

    assert asked("measure='RBP(p=0.5)'") == asked("p=0.5")
    # Weights that are all multiplied by a number order as before: what is open at the start too.
    assert asked("measure='nDCG@2'") == asked("measure='SDCG@2'")
    with pytest.raises(ValueError, match="one of them"):
        orders.parse(f"{kind}(p=0.5, measure='nDCG@2')")


def test_a_depth_ends_the_methods_and_not_the_pool() -> None:
    first = {"a", "c", "e", "g"}
    for kind, docs in (("MoffatC", first), ("DepthFirst", {*first, "b", "d", "f", "h"})):
        chosen = orders.parse(f"{kind}(measure='P@1')").start(RUNS).next(9)
        assert {RUNS.pairs.name(choice.pair)[1] for choice in chosen} == docs
