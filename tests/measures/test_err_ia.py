"""Intent-aware expected reciprocal rank, as ndeval has it and as it is printed."""

import pytest

from leadline.measures.measure import parse_measure
from tests.measures.completions import check_ends


@pytest.mark.parametrize("name", ["ERR_IA@3", "ERR_IA(norm=false)@4", "ERR_IA(alpha=0.2)@3"])
def test_the_ends_are_the_least_and_the_most_over_all_completions(name: str) -> None:
    check_ends(name)


def test_graded_err_ia_is_as_chapelle_prints_it() -> None:
    # max grade 2: R = 1/4 for grade 1, 3/4 for grade 2.
    name = "ERR_IA(gains=exp2_scaled, norm=false)@2"
    value = 0.75 + 0.25 * 0.25 / 2
    assert parse_measure(name).sketch("a:2 a:1").startswith(f"{value:.4f}")
