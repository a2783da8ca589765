"""Samplings count what was drawn by topic, stratum and grade."""

import numpy as np
import pytest

from leadline.data.sampling import MOST_STRATA, Sampling


def sampling(**changes: object) -> Sampling:
    """Topic 0 has two strata, topic 1 one of them; a document of each kind was not drawn."""
    values: dict[str, object] = {
        "topic": [0, 0, 0, 0, 1, 1],
        "pooled": [True] * 6,
        "judged": [True, True, True, False, True, False],
        "grade": [2, 0, 1, 0, 1, 0],
        "inclusion": [1.0, 1.0, 0.5, 0.5, 0.5, 0.5],
        "stratum": [0, 0, 1, 1, 1, 1],
    }
    return Sampling(2, 2, **{**values, **changes})  # type: ignore[arg-type]


def test_strata_count_what_could_be_drawn_and_what_was_judged() -> None:
    strata = sampling().strata
    assert strata.size.tolist() == [[2, 2], [0, 2]]
    assert strata.counts.tolist() == [[[1, 0, 1], [0, 1, 0]], [[0, 0, 0], [0, 1, 0]]]
    assert strata.n_judged.tolist() == [[2, 1], [0, 1]]
    assert strata.rate.tolist() == [[1.0, 0.5], [1.0, 0.5]], "1 where there is nothing"
    assert strata.of_row.tolist() == [0, 0, 1, 1, 1, 1, -1]


def test_merged_strata_are_one() -> None:
    merged = sampling().strata.merged()
    assert merged.size.tolist() == [[4], [2]]
    assert merged.counts.tolist() == [[[1, 1, 1]], [[0, 1, 0]]]


def test_without_strata_documents_of_equal_inclusion_form_one() -> None:
    assert sampling(stratum=None).strata.size.sum(axis=0).tolist() == [4, 2]


def test_without_inclusion_the_share_judged_is_taken_for_it() -> None:
    found = sampling(inclusion=None).probability
    assert found.tolist() == [1.0, 1.0, 0.5, 1.0, 0.5, 1.0, 1.0]


def test_totals_and_their_variance_are_sums_over_the_judged() -> None:
    """1 / pi and (1 - pi) / pi^2, by hand."""
    assert sampling().ht_total.tolist() == [[1.0, 2.0, 1.0], [0.0, 2.0, 0.0]]
    assert sampling().ht_variance.tolist() == [[0.0, 2.0, 0.0], [0.0, 2.0, 0.0]]


def test_a_complete_sampling_has_every_document_of_the_counts() -> None:
    complete = Sampling.complete(np.array([[1, 2], [0, 1]]))
    assert complete.topic.tolist() == [0, 0, 0, 1]
    assert complete.grade.tolist() == [0, 1, 1, 1]
    assert complete.ht_total.tolist() == [[1.0, 2.0], [0.0, 1.0]]
    assert not complete.ht_variance.any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"inclusion": [0.0] * 6}, "must be in"),
        ({"stratum": [-1] * 6}, "has no stratum"),
        ({"judged": [True]}, "shape"),
    ],
)
def test_samplings_that_make_no_sense_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sampling(**changes)


def test_a_sample_without_what_was_not_drawn_is_refused_by_those_who_count_it() -> None:
    lost = sampling(pooled=[True, True, True, False, True, False])
    with pytest.raises(ValueError, match="were not drawn are missing"):
        _ = lost.strata
    assert lost.ht_total.sum() == 6, "who counts only the judged goes on"


def test_probabilities_of_their_own_are_no_strata() -> None:
    n = MOST_STRATA + 1
    many = Sampling(
        1,
        1,
        np.zeros(n, np.int32),
        np.ones(n, np.bool_),
        np.arange(n) > 0,
        np.zeros(n, np.int16),
        np.linspace(0.1, 0.9, n),
    )
    with pytest.raises(ValueError, match="statAP or HorvitzThompson"):
        _ = many.strata
