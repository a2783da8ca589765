"""Gains of grades: by rule or by hand, never falling, never below nothing."""

import numpy as np
import pytest

from leadline.measures.measure import STEEPEST, at_least, check_gains, gain_table, scale

RULES = {
    "binary": lambda g, top: 1.0,
    "grade": lambda g, top: float(g),
    "exp2": lambda g, top: 2.0**g - 1,
    "linear": lambda g, top: g / top,
    "exp2_scaled": lambda g, top: (2.0**g - 1) / 2.0**top,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("top", [1, 3, 4])
def test_a_rule_gives_every_grade_from_rel_on_its_gain(rule: str, rel: int, top: int) -> None:
    expected = [RULES[rule](g, top) if g >= rel and g > 0 else 0.0 for g in range(top + 1)]
    assert gain_table(rule, rel, top).tolist() == expected  # type: ignore[arg-type]


def test_gains_by_hand_hold_until_the_next_grade() -> None:
    assert gain_table(((2, 0.5), (4, 2.0)), 1, 5).tolist() == [0, 0, 0.5, 0.5, 2, 2]
    assert gain_table(((1, 0.5), (2, 1.0)), 2, 2).tolist() == [0, 0, 1], "rel comes first"


@pytest.mark.parametrize(
    "gains", [(), ((1, 1.0), (1, 2.0)), ((0, 1.0),), ((1, 2.0), (2, 1.0)), ((1, -1.0),)]
)
def test_gains_that_make_no_sense_are_refused(gains: tuple[tuple[int, float], ...]) -> None:
    with pytest.raises(ValueError, match="gains"):
        check_gains(gains)
    check_gains("binary")


def test_the_scale_reaches_what_is_known_and_what_counts() -> None:
    assert scale(None, 3, 1) == 3
    assert scale(None, 1, 2) == 2, "an unjudged document may be the first that is relevant"
    assert scale(4, 3, 1) == 4
    with pytest.raises(ValueError, match="go up to 3"):
        scale(2, 3, 1)


def test_documents_of_a_grade_or_better() -> None:
    counts = np.array([[5, 1, 2], [0, 0, 1]])
    assert at_least(counts, 3).tolist() == [[8, 3, 2, 0], [1, 1, 1, 0]]


@pytest.mark.parametrize("rule", ["exp2", "exp2_scaled"])
def test_exponential_gains_end_before_numbers_do(rule: str) -> None:
    table = gain_table(rule, 1, STEEPEST)  # type: ignore[arg-type]
    assert np.isfinite((table * table).sum())
    for grade in (STEEPEST + 1, 1024, 10**9):
        with pytest.raises(ValueError, match=f"grade {grade} .*map_grades.*gains=linear"):
            gain_table(rule, 1, grade)  # type: ignore[arg-type]
