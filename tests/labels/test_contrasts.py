"""Contrasts against documents of the same stratum: values, errors, how large by chance."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from leadline.labels.audited_pairs import Contrasts
from tests.reference import auditing as plain


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    n, k = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    member = random.random((k, n)) < 0.4
    stratum = random.integers(0, 3, n)
    stratum = np.unique(stratum, return_inverse=True)[1]
    share = random.random((k, n)) * member
    return member, share, random.random(k), random.random(n), stratum, random.random(n)


@given(cases())
def test_values_are_those_of_the_plain_twin(case: tuple[np.ndarray, ...]) -> None:
    member, share, total, other, stratum, label = case
    made = Contrasts.of(member, share, total, other, stratum).values(label)
    for at in range(len(member)):
        expected = plain.contrast(member[at], share[at], total[at], other, stratum, label)
        np.testing.assert_allclose(made[at], expected, atol=1e-12)


@given(cases())
def test_labels_that_depend_on_the_stratum_alone_make_no_contrast(
    case: tuple[np.ndarray, ...],
) -> None:
    member, share, total, other, stratum, _ = case
    made = Contrasts.of(member, share, total, other, stratum)
    np.testing.assert_allclose(made.values(stratum.astype(float)), 0, atol=1e-12)


def example(seed: int = 0) -> tuple[Contrasts, np.ndarray]:
    random = np.random.default_rng(seed)
    member = random.random((4, 60)) < 0.3
    stratum = random.integers(0, 3, 60)
    made = Contrasts.of(member, member * 1.0, np.ones(4), np.ones(60), stratum)
    return made, random.choice([0.0, 0.5, 1.0], 60)


def test_errors_are_those_of_labels_permuted_inside_strata() -> None:
    made, label = example()
    random = np.random.default_rng(1)
    values = []
    for _ in range(4000):
        permuted = label.copy()
        for stratum in range(3):
            rows = np.flatnonzero(made.stratum == stratum)
            permuted[rows] = random.permutation(permuted[rows])
        values.append(made.values(permuted))
    np.testing.assert_allclose(made.errors(label), np.std(values, axis=0), rtol=0.05)
    largest = np.abs(np.array(values) / made.errors(label)).max(axis=1)
    by_hand = np.quantile(largest, 0.95)
    assert abs(made.critical(label, 0.05, 0) - by_hand) < 0.15


def test_the_largest_of_honest_contrasts_exceeds_it_as_often_as_it_says() -> None:
    random = np.random.default_rng(2)
    made, _label = example()
    accused = 0
    for draw in range(300):
        # Given the stratum, labels are drawn alike for all.
        label = (random.random(60) < np.array([0.2, 0.5, 0.7])[made.stratum]).astype(float)
        critical = made.critical(label, 0.1, draw, n=200)
        accused += bool((np.abs(made.standardised(label)) > critical).any())
    # 300 draws with a chance of .1: mean 30, standard deviation 5.2.
    assert 10 <= accused <= 46


def test_labels_that_are_all_alike_have_no_error() -> None:
    # The mean of three times .1 is not .1 in binary.
    member = np.array([[True, False, False]])
    made = Contrasts.of(member, member * 1.0, np.ones(1), np.ones(3), np.array([0, 0, 0]))
    label = np.full(3, 0.1)
    assert label.var() > 0
    assert made.errors(label).tolist() == [0.0]
    assert made.standardised(label).tolist() == [0.0]


def test_without_others_there_is_nothing_to_say() -> None:
    member = np.array([[True, True]])
    made = Contrasts.of(member, member * 1.0, np.ones(1), np.ones(2), np.array([0, 0]))
    assert made.n.tolist() == [0]
    assert made.values(np.array([1.0, 0.0])).tolist() == [0.0]
    assert made.critical(np.array([1.0, 0.0]), 0.05, 0) == np.inf
