"""Caveats: each alone, and none of them without cause."""

import numpy as np
import pytest

from leadline.completions.bounds import Joint
from leadline.stats.pairwise import CAVEATS, FEW, FEW_TOPICS, FLIP, SHORT, THIRD, caveats
from tests.stats.compared import small


def test_each_caveat_alone() -> None:
    topics = [str(number) for number in range(30)]

    def said(a: str, b: str, judged: dict[str, int], name: str, n: int = 30) -> str:
        runs = {
            "a": dict.fromkeys(topics[:n], a.split()),
            "b": dict.fromkeys(topics[:n], b.split()),
        }
        return small(runs, dict.fromkeys(topics[:n], judged), name).caveats[0]

    assert said("x y", "z y", {"x": 1, "y": 0, "z": 0}, "P@2") == ""
    assert said("x y", "z y", {"x": 1, "y": 0, "z": 0}, "P@2", n=24) == FEW
    # y is open in both at the same rank: it can change neither sign nor difference.
    assert said("x y", "z y", {"x": 1, "z": 0}, "RBP(p=0.2)@2") == ""
    assert said("x y", "z y", {"x": 1, "z": 0}, "P@2") == THIRD
    assert said("x y", "z y", {"x": 1, "z": 0, "y": 0}, "RBP(p=0.9)") == SHORT
    # u is heavier than the difference, but moves both runs alike.
    assert said("x y u", "y x u", {"x": 1, "y": 0}, "RBP(p=0.8)@3") == ""
    assert said("x y v w", "x y w u", {"x": 1, "y": 1, "w": 1}, "P@4") == FLIP


def joint(lower: float, upper: float) -> Joint:
    """Two runs, of which the difference can lie between two ends; nothing else is in doubt."""
    ends = np.array([[0.0, lower], [-upper, 0.0]]), np.array([[0.0, upper], [-lower, 0.0]])
    nothing = np.zeros(2)
    return Joint(*ends, nothing, nothing)


def told(lower: float, difference: float, upper: float) -> tuple[str, ...]:
    pair = np.array([0]), np.array([1])
    return caveats(joint(lower, upper), *pair, np.array([difference]), np.array([FEW_TOPICS]))


@pytest.mark.parametrize(
    ("lower", "difference", "upper", "flips"),
    [
        (0.1, 0.2, 0.3, False),
        (-0.1, 0.2, 0.3, True),
        (-0.3, -0.2, -0.1, False),
        (-0.3, -0.2, 0.1, True),
        (0.0, 0.0, 0.0, False),
        (0.0, 0.0, 0.1, True),
        (-0.1, 0.0, 0.0, True),
        (np.nan, 0.2, np.nan, False),
    ],
)
def test_a_sign_flips_where_an_end_lies_beyond_0(
    lower: float, difference: float, upper: float, flips: bool
) -> None:
    assert told(lower, difference, upper) == ((FLIP if flips else ""),)


def test_caveats_are_all_different() -> None:
    assert len(set(CAVEATS)) == len(CAVEATS)
