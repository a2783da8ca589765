"""alpha_DCG has exact ends; as a share of the ideal it has none."""

import math

import pytest

from leadline.measures.measure import parse_measure
from tests.measures.completions import check_ends


@pytest.mark.parametrize(
    "name", ["alpha_DCG@3", "alpha_DCG(norm=false)@3", "alpha_DCG(alpha=0.8)@4"]
)
def test_the_ends_are_the_least_and_the_most_over_all_completions(name: str) -> None:
    check_ends(name)


def test_a_repeat_is_worth_less() -> None:
    # 1 and then half of it at rank 2, of the 1.5 and more that two new subtopics would earn.
    repeat = 1 + 0.5 / math.log2(3)
    assert parse_measure("alpha_DCG(norm=false)@2").sketch("a a").startswith(f"{repeat:.4f}")


def test_of_equal_documents_the_ideal_takes_either() -> None:
    ideal = 1 + 1 / math.log2(3)
    repeat = 1 + 0.5 / math.log2(3)
    assert parse_measure("alpha_nDCG@2").sketch("a a", elsewhere="b") == f"{repeat / ideal:.4f}"
