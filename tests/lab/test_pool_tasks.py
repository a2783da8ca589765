"""Questions from pools: what is judged is the pool and nothing else."""

import numpy as np

from leadline.completions.adjuster import UnpooledRuns
from leadline.lab.benchmark.tasks import LeftOutGroup, Shallow
from leadline.measures.measure import parse_measure
from leadline.pooling.strategies import Depth
from tests.lab.asked import part, question


def test_the_pool_of_all_runs_is_judged() -> None:
    asked = question("shallow", 5)
    assert (asked.known.judged == Depth(5).pool(asked.runs).member).all()


def test_a_measure_that_looks_no_deeper_is_not_asked_about() -> None:
    assert not list(Shallow().questions(part(), parse_measure("P@10"), 10))
    assert list(Shallow().questions(part(), parse_measure("P@10"), 5))


def test_a_newcomer_has_no_part_in_the_pool() -> None:
    several = list(LeftOutGroup().questions(part(), parse_measure("P@10"), 5))
    assert len(several) == LeftOutGroup.n_groups
    for asked in several:
        assert asked.asked is not None
        assert len({g for g, new in zip(asked.runs.group, asked.asked, strict=True) if new}) == 1
        others = Depth(5).pool(asked.runs.only(~asked.asked))
        assert (asked.known.judged == others.member).all()
        assert isinstance(asked.evidence, UnpooledRuns)
        assert (asked.evidence.new == asked.asked).all()
    assert len({tuple(np.flatnonzero(each.asked)) for each in several}) == len(several)
