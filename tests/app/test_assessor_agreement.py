"""How far assessors agree, against the book."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.app.quality import (
    AssessorAgreement,
    agreement_of_pairs,
    graded,
    krippendorff_alpha,
)
from leadline.judging.merge import Vote


def plain_kappa(first: list[int], second: list[int]) -> float | None:
    """Cohen's kappa by the book, from two lists of grades."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum((first.count(g) / n) * (second.count(g) / n) for g in {*first, *second})
    return None if chance >= 1 else (observed - chance) / (1 - chance)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_kappa_of_a_table_is_kappa_of_the_lists(both: list[tuple[int, int]]) -> None:
    votes = {at: {"a": Vote("a", x), "b": Vote("b", y)} for at, (x, y) in enumerate(both)}
    (agreement,) = agreement_of_pairs(graded(votes, ["person"]), (0, 1, 2, 3))
    expected = plain_kappa([x for x, _ in both], [y for _, y in both])
    assert agreement.n == len(both)
    assert (agreement.kappa is None) == (expected is None)
    if expected is not None:
        assert agreement.kappa == pytest.approx(expected)
    assert agreement.same == sum(x == y for x, y in both) / len(both)


def test_kappa_without_judgments_is_nothing() -> None:
    assert AssessorAgreement("a", "b", (0, 1), ((0, 0), (0, 0))).kappa is None


def test_alpha_is_one_where_all_agree_and_leaves_machines_out() -> None:
    votes = {
        1: {"a": Vote("a", 0), "b": Vote("b", 0), "m": Vote("m", 3, "machine")},
        2: {"a": Vote("a", 2), "b": Vote("b", 2), "m": Vote("m", 0, "machine")},
        3: {"a": Vote("a", None), "b": Vote("b", 1)},
    }
    assert krippendorff_alpha(graded(votes, ["person"])) == pytest.approx(1.0)
    mixed = krippendorff_alpha(graded(votes, ["person", "machine"]))
    assert mixed is not None
    assert mixed < 0
    assert krippendorff_alpha({}) is None


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcd"), st.sampled_from([0, 1, 2, 5]), max_size=4),
        max_size=12,
    )
)
def test_alpha_is_that_of_the_package_of_its_name(said: list[dict[str, int]]) -> None:
    import krippendorff

    ours = krippendorff_alpha(dict(enumerate(said)))
    several = [unit for unit in said if len(unit) > 1]
    values = sorted({grade for unit in several for grade in unit.values()})
    if len(values) < 2:
        assert ours is None
        return
    counts = [[list(unit.values()).count(value) for value in values] for unit in several]
    theirs = krippendorff.alpha(
        value_counts=counts, value_domain=values, level_of_measurement="ordinal"
    )
    assert ours == pytest.approx(theirs)
