"""How far two judges agree, against plain counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.judgments import Judgments
from leadline.stats.agreement import Agreement
from tests.collections import Small

DOCS = ["a", "b", "c", "d"]
PAIRS = Small({"r": {"1": DOCS, "2": DOCS}}, {"1": {}, "2": {}}, 1).tables()[0].pairs


def judged(grades: dict[tuple[str, str], int]) -> Judgments:
    names = [PAIRS.name(pair) for pair in range(len(PAIRS))]
    mask = [name in grades for name in names]
    return Judgments(PAIRS, mask, [grades.get(name, 0) for name in names], max_grade=2)


FIRST = judged({("1", "a"): 1, ("1", "b"): 0, ("2", "a"): 2})
SECOND = judged({("1", "a"): 1, ("1", "b"): 2, ("1", "c"): 1, ("2", "a"): 2})


def test_only_what_both_judged_is_counted() -> None:
    found = Agreement.of(FIRST, SECOND)
    assert found.n == 3
    assert found.count.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1]]
    assert found.observed() == pytest.approx(2 / 3)
    some = Agreement.of(FIRST, SECOND, np.array([PAIRS.topics.index("1")]))
    assert some.n == 2
    assert some.frame().filter(first=0, second=2)["documents"].to_list() == [1]
    assert some.frame()["documents"].sum() == 2


def test_judgments_over_other_pairs_are_refused() -> None:
    other = Small({"r": {"1": DOCS}}, {"1": {}}, 1).tables()[1]
    with pytest.raises(ValueError, match="over the same pairs"):
        Agreement.of(FIRST, other)


counts = st.lists(st.integers(0, 5), min_size=9, max_size=9).map(
    lambda cells: Agreement(np.array(cells).reshape(3, 3))
)


@given(counts, st.booleans())
def test_kappa_is_agreement_beyond_chance(found: Agreement, weighted: bool) -> None:
    if not found.n:
        assert np.isnan(found.kappa(weighted))
        assert np.isnan(found.observed())
        return
    pairs = [(a, b) for a in range(3) for b in range(3) for _ in range(int(found.count[a, b]))]

    def apart(a: int, b: int) -> int:
        return (a - b) ** 2 if weighted else a != b

    seen = sum(apart(a, b) for a, b in pairs) / len(pairs)
    chance = sum(apart(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    expected = 1.0 if chance == 0 else 1 - seen / chance
    assert found.kappa(weighted) == pytest.approx(expected)
    turned = Agreement(found.count.T)
    assert turned.kappa(weighted) == pytest.approx(found.kappa(weighted))
