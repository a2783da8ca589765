"""Bias by rank, length, query terms and time: the parts, and what is told of each."""

import numpy as np
import pytest

from leadline.labels.audit import (
    NOWHERE,
    aspect_rows,
    length_parts,
    position_parts,
    rank_parts,
    time_parts,
)
from tests.labels.small_world import audited, drawn_evenly, noisy, small_runs

GAIN = np.arange(4) / 3


def test_ranks_are_in_bands_down_to_the_last_that_counts() -> None:
    names, part = rank_parts(np.array([1, 3, 4, 10, 11, 0]), 10)
    assert names == ["ranks 1 to 3", "ranks 4 to 10"]
    assert part.tolist() == [0, 0, 1, 1, -1, -1]


def test_lengths_are_in_quarters_and_unknown_ones_in_none() -> None:
    names, part = length_parts(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, np.nan]))
    assert names == ["1 to 3 words", "4 to 4 words", "5 to 6 words", "7 to 8 words"]
    assert part.tolist() == [0, 0, 0, 1, 2, 2, 3, 3, -1]
    assert length_parts(np.array([np.nan]))[0] == []


def test_query_terms_stand_early_late_or_nowhere() -> None:
    _, part = position_parts(np.array([0.0, 0.1, 0.5, NOWHERE, np.nan]))
    assert part.tolist() == [0, 1, 2, 3, -1]


def test_labels_of_one_moment_stay_together() -> None:
    names, part = time_parts(np.array([1.0, 1, 1, 1, 2, 3, np.nan]))
    assert part[:4].tolist() == [0] * 4
    assert part[6] == -1
    assert len(names) == part.max() + 1
    assert time_parts(np.array([5.0, 5.0]))[0] == []


def test_a_judge_that_likes_long_texts_is_told_of() -> None:
    _, judgments = small_runs(n_topics=10)
    label = noisy(judgments)
    part = (np.arange(len(label)) % 2).astype(np.int64)
    raised = np.where((part == 1) & (label < 3), label + 1, label).astype(np.int16)
    sample = drawn_evenly(judgments, raised, 0.6, 2)
    short, long = aspect_rows(sample, "bias by length", ["short", "long"], part, GAIN)
    assert long.ci_lower is not None
    assert long.ci_lower > 0.1
    assert short.value == pytest.approx(-(long.value or 0), abs=0.05)
    honest = aspect_rows(drawn_evenly(judgments, label, 0.6, 2), "x", ["a", "b"], part, GAIN)
    assert all((row.ci_lower or 0) < 0 < (row.ci_upper or 0) for row in honest)


def test_nothing_is_told_of_parts_without_pairs() -> None:
    _, judgments = small_runs()
    whole = audited(judgments, noisy(judgments))
    nowhere = np.full(len(judgments.grade), -1)
    assert aspect_rows(whole, "x", ["a"], nowhere, GAIN) == []
