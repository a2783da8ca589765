"""A judge that favours a group is found and named; an honest one is not accused too often."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.data.arrays import Floats, Int16s
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.labels import favour
from leadline.labels.audited_pairs import AuditRow, Contrasts
from leadline.labels.favour import OwnedDocuments, favour_rows
from leadline.labels.run_bias import AuditedScores
from tests.labels.small_world import audited, drawn_evenly, noisy, scores_of, small_runs


def favouring(runs: Runs, judgments: Judgments, label: Int16s, group: str) -> Int16s:
    """One grade up on two of three documents that this group alone returns."""
    scores = scores_of(runs, audited(judgments, label))
    owned = OwnedDocuments.of(scores.weights, runs.group)
    raised = label.copy()
    theirs = np.flatnonzero(owned.member[owned.names.index(group)])
    raised[scores.weights.pair[theirs[np.arange(len(theirs)) % 3 > 0]]] += 1
    return np.minimum(raised, 3).astype(np.int16)


def named(rows: list[AuditRow]) -> set[tuple[str, str]]:
    return {(row.section, row.item) for row in rows if row.section in ("favoured", "marked down")}


def test_a_favoured_group_is_named_and_what_it_gains_is_told() -> None:
    runs, judgments = small_runs(n_topics=12)
    label = noisy(judgments)
    raised = favouring(runs, judgments, label, "b")
    gained = (
        scores_of(runs, audited(judgments, raised)).published
        - scores_of(runs, audited(judgments, label)).published
    )
    gain = float(gained[[run[0] == "b" for run in runs.names]].mean())
    for sample in (audited(judgments, raised), drawn_evenly(judgments, raised, 0.6, 1)):
        rows = favour_rows(scores_of(runs, sample), (), 0)
        assert ("favoured", "group b") in named(rows)
        line = next(row for row in rows if row.item == "b")
        assert line.ci_lower is not None
        assert line.ci_upper is not None
        assert line.ci_lower < gain < line.ci_upper
        assert line.n


def test_a_favoured_family_is_named() -> None:
    runs, judgments = small_runs(n_topics=12)
    raised = favouring(runs, judgments, noisy(judgments), "b")
    family = tuple("m" if run[0] == "b" else "n" for run in runs.names)
    rows = favour_rows(scores_of(runs, audited(judgments, raised)), family, 0)
    assert ("favoured", "family m") in named(rows)


def test_honest_judges_are_accused_in_one_audit_of_twenty() -> None:
    runs, judgments = small_runs(n_topics=6)
    accused = sum(
        bool(named(favour_rows(scores_of(runs, drawn_evenly(judgments, label, 0.6, s)), (), s)))
        for s in range(30)
        for label in [noisy(judgments, seed=s + 100)]
    )
    # 1.5 are expected, with a standard deviation of 1.2.
    assert accused <= 5


def test_without_chances_nobody_is_accused() -> None:
    runs, judgments = small_runs(n_topics=12)
    raised = favouring(runs, judgments, noisy(judgments), "b")
    kept = np.arange(len(raised)) % 4 != 0
    rows = favour_rows(scores_of(runs, audited(judgments, raised, "chosen", kept)), (), 0)
    assert rows
    assert not named(rows)
    assert all(row.ci_lower is None for row in rows)


def test_the_same_seed_gives_the_same_intervals() -> None:
    runs, judgments = small_runs()
    scores = scores_of(runs, drawn_evenly(judgments, noisy(judgments), 0.5, 1))
    assert favour_rows(scores, (), 3) == favour_rows(scores, (), 3)


@pytest.mark.parametrize("families", [False, True])
def test_groups_families_and_runs_together_spend_less_than_the_level(
    families: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[float] = []
    of_owners, tested = favour._of_owners, favour._tested

    def owners(scores: AuditedScores, owned: OwnedDocuments, level: float) -> Any:
        spent.append(level)
        return of_owners(scores, owned, level)

    def runs_tested(contrasts: Contrasts, gain: Floats, level: float, *more: Any) -> Any:
        spent.append(level)
        return tested(contrasts, gain, level, *more)

    monkeypatch.setattr(favour, "_of_owners", owners)
    monkeypatch.setattr(favour, "_tested", runs_tested)
    runs, judgments = small_runs()
    family = tuple("m" if run[0] == "b" else "n" for run in runs.names) if families else ()
    sample = drawn_evenly(judgments, noisy(judgments), 0.5, 1)
    favour_rows(scores_of(runs, sample), family, 0)
    assert len(spent) == 2 + families
    assert min(spent) > 0
    assert sum(spent) == pytest.approx(0.05 * (1 - favour.HELD_BACK))
    assert spent[0] == max(spent)


@given(
    st.floats(-0.2, 0.2),
    st.floats(0, 0.2),
    st.sampled_from([-1, 1]),
    st.floats(0, 0.1),
)
def test_an_end_moves_away_from_the_value_and_never_past_0(
    value: float, gap: float, side: int, more: float
) -> None:
    end = value + side * gap
    moved = favour.further(value, end, side, more)
    assert side * (moved - end) >= -1e-12
    assert (moved > 0) == (end > 0) or value * end <= 0
    if value * end <= 0 or abs(end) >= abs(value):
        assert abs(moved - value) == pytest.approx(math.hypot(gap, more))


def test_runs_are_not_favoured_by_labels_that_follow_grade_and_fused_rank() -> None:
    runs, judgments = small_runs(n_topics=12)
    plain = scores_of(runs, audited(judgments, noisy(judgments)))
    pair = plain.weights.pair
    high = favour.bands(OwnedDocuments.of(plain.weights, runs.group).fused, favour.RUN_BANDS) > 6
    label = judgments.grade.copy()
    label[pair] = np.minimum(label[pair] + high, 3)
    rows = favour_rows(scores_of(runs, audited(judgments, label)), (), 0)
    by_run = [row.value for row in rows if row.section == "favour by run"]
    assert len(by_run) == len(runs.names)
    np.testing.assert_allclose(np.array(by_run, np.float64), 0.0, atol=1e-12)
