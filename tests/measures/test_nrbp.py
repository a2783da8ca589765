"""Novelty- and rank-biased precision goes on past the list's end."""

import pytest

from leadline.measures.measure import parse_measure
from tests.measures.completions import check_ends


def test_the_ends_allow_for_what_stands_past_the_end() -> None:
    check_ends("NRBP", tails=("", " ".join(["a,b"] * 70), " ".join(["a"] * 70)))


def test_ranks_that_weigh_nothing_are_not_looked_at() -> None:
    assert parse_measure("NRBP(beta=0.0)").last_rank == 1
    last = parse_measure("NRBP(beta=0.5)").last_rank
    assert 0.5**last < 1e-20 < 0.5 ** (last - 3)


@pytest.mark.parametrize("name", ["NRBP(beta=1.0)", "nNRBP(beta=1.0)", "nNRBP(alpha=2.0)"])
def test_what_is_no_probability_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        parse_measure(name)
