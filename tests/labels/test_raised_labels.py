"""The likelihood that labels of one owner were raised, against its plain twin and by simulation."""

import numpy as np
import pytest

from leadline.labels.favour import ROUGHLY, TILTS, RaisedLabels, levels
from tests.reference import auditing as plain

BY_GRADE = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.05, 0.25, 0.7]])
GAIN = np.array([0.0, 0.5, 1.0])


def drawn(raised: float, seed: int, n: int = 1200, chance: float = 0.3) -> tuple[np.ndarray, ...]:
    """Two owners, the first with 150 documents and poorer than the other; its labels raised."""
    random = np.random.default_rng(seed)
    owner = np.where(np.arange(n) < 150, 0, 1)
    good = np.where(owner == 0, 0.15, 0.3)
    grade = (random.random(n) < good).astype(int) + (random.random(n) < good)
    label = (random.random(n)[:, None] > BY_GRADE[grade].cumsum(axis=1)).sum(axis=1)
    up = (owner == 0) & (random.random(n) < raised) & (label < 2)
    member = owner == np.arange(2)[:, None]
    one_band = np.zeros(n, np.int64)
    return member, label + up, grade, random.random(n) < chance, np.full(n, chance), one_band


def test_the_likelihood_is_that_of_the_plain_twin() -> None:
    made = RaisedLabels.of(*drawn(0.4, 1))
    table = made.favours(GAIN)[0].likelihood
    for at in (10, 24, 34, 45):
        expected = plain.raised_likelihood(
            made.labelled[0].tolist(), made.graded[0].tolist(), float(TILTS[at])
        ) - plain.raised_likelihood(made.labelled[0].tolist(), made.graded[0].tolist(), 0.0)
        assert table[at] == pytest.approx(expected, abs=0.05)


def test_a_raised_share_is_found_with_its_gain_whoever_is_better() -> None:
    inside = 0
    for seed in range(20):
        member, label, grade, judged, chance, band = drawn(0.35, seed)
        _, honest, *_ = drawn(0.0, seed)
        gained = float((GAIN[label] - GAIN[honest])[member[0]].mean())
        value, lower, upper = (
            RaisedLabels.of(member, label, grade, judged, chance, band)
            .favours(GAIN)[0]
            .interval(2.0, 2.0)
        )
        inside += lower <= gained <= upper
        assert abs(value - gained) < 0.16
    assert inside >= 16


def test_the_likelihood_ratio_of_honest_labels_is_that_of_chance() -> None:
    ratio = []
    for seed in range(40):
        favour = RaisedLabels.of(*drawn(0.0, seed)).favours(GAIN)[0]
        ratio.append(2 * favour.likelihood.max())
    # Chi-square with one degree of freedom: 1 in the mean, beyond 3.84 in one of twenty.
    assert 0.5 < np.mean(ratio) < 1.6
    assert np.mean(np.array(ratio) > 3.84) <= 0.175


def test_labels_of_what_nobody_judged_tell_more() -> None:
    member, label, grade, judged, chance, band = drawn(0.35, 3, chance=0.15)
    whole = RaisedLabels.of(member, label, grade, judged, chance, band).favours(GAIN)[0]
    kept = RaisedLabels.of(
        member[:, judged],
        label[judged],
        grade[judged],
        judged[judged],
        chance[judged],
        band[judged],
    ).favours(GAIN)[0]
    assert whole.likelihood.max() > 2 * kept.likelihood.max()
    assert np.diff(whole.interval(2.0, 2.0)[1:]) < np.diff(kept.interval(2.0, 2.0)[1:])


def test_a_few_tilts_tell_roughly_what_all_do() -> None:
    made = RaisedLabels.of(*drawn(0.35, 4))
    all_, few = made.favours(GAIN), made.favours(GAIN, ROUGHLY)
    for added in (0.05, 0.1, 0.15):
        assert few[0].likelihood_of(added) == pytest.approx(all_[0].likelihood_of(added), abs=0.5)
    assert all_[0].likelihood_of(0.1) > 0 > all_[1].likelihood_of(0.1)
    assert all_[0].likelihood_of(9.0) == pytest.approx(all_[0].likelihood[-1])


def test_unequal_chances_count_as_fewer() -> None:
    member, label, grade, judged, chance, band = drawn(0.0, 5)
    even = RaisedLabels.of(member, label, grade, judged, chance, band)
    unequal = np.where(np.arange(1200) % 2, 0.9, 0.1)
    odd = RaisedLabels.of(member, label, grade, judged, unequal, band)
    assert (odd.graded.sum(axis=2) <= even.graded.sum(axis=2) + 1e-9).all()
    np.testing.assert_allclose(even.graded[0, 0].sum(), (member[0] & judged).sum())


def test_levels_keep_their_order() -> None:
    many = levels(np.arange(50))
    assert many.max() == 5
    assert (np.diff(many) >= 0).all()
    assert levels(np.array([3, 1, 1])).tolist() == [1, 0, 0]
    assert levels(np.array([], np.int64)).tolist() == []


@pytest.mark.parametrize("chance", [0.1, 0.3, 0.9])
def test_errors_are_roughly_how_far_off_favour_is_told(chance: float) -> None:
    value, error = [], []
    for seed in range(40):
        made = RaisedLabels.of(*drawn(0.0, seed, chance=chance))
        value.append(made.favours(GAIN)[0].interval(2.0, 2.0)[0])
        error.append(made.errors(GAIN)[0])
    spread = float(np.sqrt(np.mean(np.square(value))))
    assert np.std(error) < 0.3 * np.mean(error)
    assert 0.7 * spread < np.mean(error) < 1.5 * spread


def test_errors_vanish_where_labels_do_not_err_and_grow_with_fewer_documents() -> None:
    member, _, grade, judged, chance, band = drawn(0.0, 3)
    assert (RaisedLabels.of(member, grade, grade, judged, chance, band).errors(GAIN) < 0.02).all()
    small = member.copy()
    small[0, 40:] = False
    _, label, *_ = drawn(0.0, 3)
    few, many = (
        RaisedLabels.of(m, label, grade, judged, chance, band).errors(GAIN)[0]
        for m in (small, member)
    )
    assert few > 1.3 * many


def test_errors_vanish_where_all_labels_are_worth_the_same() -> None:
    """Variances of a constant gain round to less than 0 in some of these draws."""
    for seed in range(40):
        assert RaisedLabels.of(*drawn(0.4, seed, n=200)).errors(np.full(3, 0.7)) == pytest.approx(
            [0, 0], abs=1e-6
        )


def test_others_are_counted_as_often_in_each_band_as_the_owner() -> None:
    """Against a plain loop; counts add up to as many as would tell as much."""
    member, label, grade, judged, chance, _ = drawn(0.2, 6, n=300)
    band = np.random.default_rng(1).integers(0, 3, 300) * (np.arange(300) % 4 > 0)
    made = RaisedLabels.of(member, label, grade, judged, chance, band)
    for owner in range(2):
        weight = np.zeros(300)
        for pair in np.flatnonzero(~member[owner]):
            same = band == band[pair]
            weight[pair] = (same & member[owner]).sum() / (same & ~member[owner]).sum()
        assert sum(weight) == pytest.approx(member[owner].sum())
        alike = sum(weight) / sum(each**2 for each in weight)
        for y in range(3):
            expected = sum(weight[label == y]) * alike
            assert made.labelled[owner, 1, y] == pytest.approx(expected)
            assert made.labelled[owner, 0, y] == (member[owner] & (label == y)).sum()
            seen = (label == y) & judged
            few = sum(weight[seen]) ** 2 / sum(each**2 for each in weight[seen])
            assert made.graded[owner, 1, :, y].sum() == pytest.approx(min(few, expected))
            share = sum(weight[seen & (grade == 0)]) / sum(weight[seen])
            assert made.graded[owner, 1, 0, y] == pytest.approx(share * min(few, expected))


def test_labels_that_follow_rank_are_no_favour() -> None:
    """The owner's documents rank high, and the judge labels by grade and rank alone."""
    named = {True: 0, False: 0}
    for seed in range(40):
        random = np.random.default_rng(seed)
        owner = (np.arange(1500) >= 200).astype(int)
        band = (random.random(1500)[:, None] > np.array([[0.1, 0.3], [0.5, 0.8]])[owner]).sum(
            axis=1
        )
        grade = (random.random(1500) < 0.3).astype(int)
        label = (random.random(1500) < 0.15 + 0.4 * grade + 0.15 * band).astype(int)
        member = owner == np.arange(2)[:, None]
        judged = random.random(1500) < 0.3
        for matched in (True, False):
            bands = band if matched else np.zeros_like(band)
            given = member, label, grade, judged, np.full(1500, 0.3), bands
            favour = RaisedLabels.of(*given).favours(np.array([0.0, 1.0]))[0]
            named[matched] += favour.interval(1.96, 1.96)[1] > 0
    # One in forty is expected to be named, with a standard deviation of 1; without bands most are.
    assert named[True] <= 4
    assert named[False] >= 20
