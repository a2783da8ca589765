"""Documents that one owner alone returns, and contrasts of them."""

from dataclasses import replace

import numpy as np

from leadline.completions.pair_weights import PairWeights
from leadline.labels.favour import OwnedDocuments, bands
from leadline.measures.measure import parse_numerator
from tests.labels.small_world import MEASURE, noisy, small_runs


def owned(family: tuple[str | None, ...] | None = None) -> tuple[OwnedDocuments, PairWeights]:
    runs, _ = small_runs()
    weights = PairWeights.of(runs, parse_numerator(MEASURE))
    return OwnedDocuments.of(weights, runs.group if family is None else family), weights


def test_they_are_those_that_runs_of_one_group_alone_return() -> None:
    made, weights = owned()
    matrix, group = weights.matrix.toarray(), np.array(weights.runs.group)
    for at, name in enumerate(made.names):
        inside = (matrix[group == name] > 0).any(axis=0)
        outside = (matrix[group != name] > 0).any(axis=0)
        np.testing.assert_array_equal(made.member[at], inside & ~outside)
        expected = np.where(inside & ~outside, matrix[group == name].mean(axis=0), 0)
        np.testing.assert_allclose(made.weight[at], expected)
        weight = expected[inside & ~outside]
        square = sum((each - sum(weight) / len(weight)) ** 2 for each in weight)
        np.testing.assert_allclose(made.unevenness[at], square**0.5)
    assert made.tested.all()


def test_runs_without_a_family_are_owners_that_nobody_names() -> None:
    made, weights = owned(("m", "m", "n", "n", None, None, None, None))
    assert made.names == ("m", "n")
    by_group, _ = owned()
    shared_by_rest = (weights.matrix.toarray()[4:] > 0).any(axis=0)
    assert not (made.member & shared_by_rest).any()
    assert (made.n_owners >= by_group.n_owners).all()


def in_one_band() -> tuple[OwnedDocuments, PairWeights]:
    """All documents have the same fused score, so that others count once each."""
    made, weights = owned()
    return replace(made, fused=np.zeros(len(made.fused))), weights


def test_fused_scores_are_sums_of_reciprocal_ranks() -> None:
    made, weights = owned()
    runs = weights.runs
    for at in range(0, len(weights.pair), 17):
        rank = runs.entries.rank[runs.pair == weights.pair[at]]
        assert made.fused[at] == sum(1 / (60 + each) for each in rank.tolist())


def test_bands_have_about_as_many_and_equals_stay_together() -> None:
    assert bands(np.array([3.0, 1.0, 2.0, 5.0]), 4).tolist() == [2, 0, 1, 3]
    assert len(set(bands(np.array([1.0, 1.0, 1.0, 2.0]), 2)[:3].tolist())) == 1
    assert bands(np.zeros(0), 5).tolist() == []


def test_labels_are_counted_for_the_owner_and_for_other_single_owners() -> None:
    made, weights = in_one_band()
    _, judgments = small_runs()
    label = noisy(judgments, missing=0.1)[weights.pair].astype(np.int64)
    grade = judgments.grade[weights.pair].astype(np.int64)
    judged = np.arange(len(label)) % 3 == 0
    gain = np.array([0.0, 0.1, 0.4, 1.0])
    raised, of_level = made.raised(label, gain, grade, judged, np.full(len(label), 0.3))
    np.testing.assert_allclose(of_level, gain)
    single = made.member.any(axis=0)
    for at in range(len(made.names)):
        for side, there in enumerate((made.member[at], single & ~made.member[at])):
            for y in range(4):
                np.testing.assert_allclose(
                    raised.labelled[at, side, y], (there & (label == y)).sum()
                )
                for h in range(4):
                    both = there & judged & (label == y) & (grade == h)
                    np.testing.assert_allclose(raised.graded[at, side, h, y], both.sum())


def test_labels_of_many_kinds_are_put_together_with_their_mean_gain() -> None:
    made, weights = in_one_band()
    _, judgments = small_runs()
    grade = judgments.grade[weights.pair].astype(np.int64)
    label = (np.arange(len(grade)) * 7) % 100
    everywhere = np.ones(len(grade), np.bool_)
    gain = np.arange(100) / 99
    raised, of_level = made.raised(label, gain, grade, everywhere, np.ones(len(grade)))
    assert len(of_level) == raised.labelled.shape[2] <= 6
    assert (np.diff(of_level) > 0).all()
    single = made.member.any(axis=0)
    np.testing.assert_allclose(
        of_level @ raised.labelled[0].sum(axis=0), gain[label[single]].sum(), rtol=1e-9
    )


def test_others_count_as_often_in_each_band_of_fused_scores_as_the_owners_documents() -> None:
    made, weights = owned()
    _, judgments = small_runs()
    label = noisy(judgments)[weights.pair].astype(np.int64)
    grade = judgments.grade[weights.pair].astype(np.int64)
    everywhere = np.ones(len(label), np.bool_)
    raised, _ = made.raised(label, np.arange(4) / 3, grade, everywhere, np.ones(len(label)))
    used = np.flatnonzero(made.member.any(axis=0)).tolist()
    band = dict(zip(used, bands(made.fused[used], 5).tolist(), strict=True))
    assert len(set(band.values())) > 2
    for at in range(len(made.names)):
        mine = [pair for pair in used if made.member[at, pair]]
        others = [pair for pair in used if not made.member[at, pair]]
        share = {
            each: sum(band[pair] == each for pair in mine)
            / max(1, sum(band[pair] == each for pair in others))
            for each in range(5)
        }
        weight = {pair: share[band[pair]] for pair in others}
        # As many as would tell as much, if all counted alike.
        alike = sum(weight.values()) / sum(each**2 for each in weight.values())
        for y in range(4):
            told = alike * sum(each for pair, each in weight.items() if label[pair] == y)
            np.testing.assert_allclose(raised.labelled[at, 1, y], told)
