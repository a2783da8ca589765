"""Documents that one owner alone returns, and contrasts of them."""

import numpy as np

from leadline.auditing.owned_documents import OwnedDocuments, bands
from leadline.estimators.pair_weights import PairWeights
from leadline.measures.measure import parse_numerator
from tests.auditing.small_world import MEASURE, noisy, small_runs
from tests.reference import auditing as plain


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
    assert made.tested.all()


def test_runs_without_a_family_are_owners_that_nobody_names() -> None:
    made, weights = owned(("m", "m", "n", "n", None, None, None, None))
    assert made.names == ("m", "n")
    by_group, _ = owned()
    shared_by_rest = (weights.matrix.toarray()[4:] > 0).any(axis=0)
    assert not (made.member & shared_by_rest).any()
    assert (made.n_owners >= by_group.n_owners).all()


def test_contrasts_are_those_of_the_plain_twin() -> None:
    made, weights = owned()
    _, judgments = small_runs()
    label = noisy(judgments)[weights.pair] / 3
    pair = np.arange(len(weights.pair))[::2]
    grade = judgments.grade[weights.pair[pair]].astype(np.int64)
    chance = np.linspace(0.2, 0.8, len(pair))
    contrasts = made.contrasts(pair, grade, chance, by_label=True)
    stratum = (grade * 3 + bands(made.n_owners[pair])).tolist()
    for at in range(len(made.names)):
        expected = plain.contrast(
            made.member[at, pair].tolist(),
            (made.weight[at, pair] / chance).tolist(),
            float(made.weight[at].sum()),
            (1 / chance).tolist(),
            stratum,
            label[pair].tolist(),
        )
        np.testing.assert_allclose(contrasts.values(label[pair])[at], expected, atol=1e-12)


def test_bands_tell_one_few_and_many() -> None:
    assert bands(np.array([1, 2, 3, 4, 40])).tolist() == [0, 1, 1, 2, 2]
