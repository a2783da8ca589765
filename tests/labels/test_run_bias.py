"""Bias by run: the formula where all is judged, and an estimate without bias from a sample."""

import numpy as np
import pytest

from leadline.labels.run_bias import bias_rows, means_of, score_rows
from tests.labels.small_world import (
    audited,
    drawn_evenly,
    noisy,
    scores_of,
    small_runs,
    with_labels,
)
from tests.reference import auditing as plain


def test_bias_is_that_of_the_plain_twin() -> None:
    runs, judgments = small_runs()
    label = noisy(judgments)
    scores = scores_of(runs, audited(judgments, label))
    pair = scores.weights.pair
    # The twin knows only pairs that are looked at: let the labels of all others be missing.
    inside = np.zeros(len(label), bool)
    inside[pair] = True
    some = scores_of(runs, audited(judgments, label, "complete", inside))
    weights = some.weights.matrix.toarray().tolist()
    expected = plain.bias(weights, label[pair].tolist(), (judgments.grade[pair] / 3).tolist())
    value, error, n = some.combined(np.eye(len(runs.names)))
    np.testing.assert_allclose(value, expected, atol=1e-12)
    assert (error > 0).all()
    assert n.tolist() == [50.0] * 8


def test_scores_are_sums_of_weights_and_gains() -> None:
    runs, judgments = small_runs()
    label = noisy(judgments, missing=0.2)
    scores = scores_of(runs, audited(judgments, label))
    matrix, pair = scores.weights.matrix.toarray(), scores.weights.pair
    np.testing.assert_allclose(scores.people, matrix @ (judgments.grade[pair] / 3))
    np.testing.assert_allclose(scores.published, matrix @ (np.maximum(label[pair], 0) / 3))
    np.testing.assert_allclose(scores.people_by_topic.mean(axis=1), scores.people)
    np.testing.assert_allclose(scores.published_by_topic.mean(axis=1), scores.published)


def test_a_sample_tells_the_bias_of_all_pairs() -> None:
    runs, judgments = small_runs(n_docs=60)
    label = noisy(judgments)
    truth = scores_of(runs, audited(judgments, label)).people
    labelled = with_labels(runs, label)
    errors, held = [], []
    for seed in range(40):
        sample = drawn_evenly(judgments, label, 0.5, seed)
        sample = type(sample)(
            type(sample.human)(
                labelled.pairs,
                sample.human.judged,
                sample.human.grade,
                inclusion=sample.human.inclusion,
                max_grade=3,
            ),
            label,
            3,
            "drawn",
        )
        scores = scores_of(labelled, sample)
        value, error, _ = scores.combined(np.eye(len(runs.names)))
        real = scores.weights.scores(scores._calibrated) - truth
        errors.append(value - real)
        held.append(np.abs(value - real) <= 1.96 * error)
    mean, sd = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert (np.abs(mean) < 3.5 * sd / 40**0.5).all()
    assert 0.88 <= np.mean(held) <= 0.99


def test_without_chances_only_what_people_judged_counts() -> None:
    runs, judgments = small_runs()
    kept = np.arange(len(judgments.grade)) % 2 == 0
    rows = bias_rows(scores_of(runs, audited(judgments, noisy(judgments), "chosen", kept)), ())
    assert {row.section for row in rows} == {"bias by run", "bias by group"}
    assert all(row.ci_lower is None for row in rows)


def test_families_and_groups_are_means_of_their_runs() -> None:
    names, mix = means_of(("x", None, "y", "x"))
    assert names == ("x", "y")
    assert mix.tolist() == [[0.5, 0, 0, 0.5], [0, 0, 1, 0]]
    runs, judgments = small_runs()
    scores = scores_of(runs, audited(judgments, noisy(judgments)))
    family = ("m",) * 4 + (None,) * 4
    rows = {(row.section, row.item): row.value for row in bias_rows(scores, family)}
    by_run = [rows["bias by run", name] for name in runs.names[:4]]
    assert rows["bias by family", "m"] == pytest.approx(np.mean(by_run))


def test_runs_come_by_people_best_first() -> None:
    runs, judgments = small_runs()
    rows = score_rows(scores_of(runs, audited(judgments, noisy(judgments))))
    people = [row.value for row in rows if row.section == "score by people"]
    assert people == sorted(people, reverse=True)
    assert [row.n for row in rows if row.section == "score by people"] == [50] * 8
    assert len([row for row in rows if row.section == "score by judge"]) == 8
