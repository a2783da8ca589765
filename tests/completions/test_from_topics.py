"""Topics equals its plain twin, with the pool's judgments and with reference ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.completions.adjuster import UnpooledRuns
from leadline.completions.pooling_bias import (
    WebberTopics,
    both_scores,
    from_topics,
    tuned_slope,
)
from leadline.data.judgments import Judgments
from tests.collections import Small, small_collections
from tests.completions.last_is_new import MEASURES, as_dicts, pool_bias
from tests.reference import adjusters as plain

unit = st.floats(0, 1, width=16)


@pytest.mark.parametrize("name", MEASURES)
@given(
    small=small_collections(n_docs=7, n_runs=4, n_topics=5),
    depth=st.integers(1, 5),
    wanted=st.sets(st.integers(0, 4)),
)
def test_topics_equals_its_twin(name: str, small: Small, depth: int, wanted: set[int]) -> None:
    topics = list(small.grades)
    common = [topic for number, topic in enumerate(topics) if number in wanted]
    if len(small.runs) < 2 or not common:
        return
    score, condensed = MEASURES[name]
    pooled, new = as_dicts(small)
    evidence = pool_bias(small, name, depth)
    mask = np.array([topic in common for topic in evidence.runs.pairs.topics])
    twin = plain.topics(pooled, new, small.grades, depth, topics, common, score, condensed)
    seen = from_topics(*both_scores(evidence.but(common=mask)))
    for mine, theirs in (
        (seen.unadjusted[0], twin.unadjusted),
        (seen.adjustment[0], twin.adjustment),
        (seen.adjusted[0], twin.adjusted),
        (seen.mixed[0], twin.mixed),
        (seen.variance[0], twin.variance),
        (seen.standard_error[0], twin.standard_error),
        (seen.sample_mean[0], twin.sample_mean),
        (seen.sample_standard_error[0], twin.sample_standard_error),
    ):
        assert (np.isnan(mine) and math.isnan(theirs)) or math.isclose(mine, theirs, abs_tol=1e-12)


@given(small=small_collections(n_docs=7, n_runs=3), depth=st.integers(1, 4))
def test_trusted_judgments_put_right_cheap_ones(small: Small, depth: int) -> None:
    """The first grades are cheap; the reference ones are their complement on the first topic."""
    if len(small.runs) < 2:
        return
    _, new = as_dicts(small)
    evidence = pool_bias(small, "P@3", depth)
    plentiful = evidence.judgments
    flipped = np.where(plentiful.judged, small.max_grade - plentiful.grade, 0)
    reference = Judgments(plentiful.pairs, plentiful.judged, flipped, max_grade=small.max_grade)
    topics = list(small.grades)
    grades = {
        topic: {doc: small.max_grade - grade for doc, grade in judged.items()}
        for topic, judged in small.grades.items()
    }
    mask = np.array([topic == topics[0] for topic in plentiful.pairs.topics])
    score, condensed = MEASURES["P@3"]
    twin = plain.two_qrels(new, small.grades, grades, topics, topics[:1], score, condensed)
    seen = from_topics(*both_scores(evidence.but(reference=reference, common=mask)))
    assert math.isclose(seen.adjusted[0], twin.adjusted, abs_tol=1e-12)


@given(
    table=st.integers(1, 3).flatmap(
        lambda runs: st.lists(
            st.lists(st.tuples(unit, unit), min_size=runs, max_size=runs), min_size=1, max_size=9
        )
    ),
    n_all=st.integers(1, 12),
)
def test_a_tuned_slope_equals_its_twin(table: list[list[tuple[float, float]]], n_all: int) -> None:
    topics, n_runs = [f"t{at}" for at in range(max(n_all, len(table)))], len(table[0])
    scores = np.full((n_runs, len(topics), 2), 0.5)
    scores[:, : len(table)] = np.array(table).transpose(1, 0, 2)
    plentiful, true = scores[:, :, 0], scores[:, : len(table), 1]
    twin = plain.tuned_topics(
        [dict(zip(topics, row, strict=True)) for row in plentiful.tolist()],
        [dict(zip(topics, row, strict=False)) for row in true.tolist()],
    )
    seen = from_topics(plentiful, true, len(topics), tuned_slope(plentiful[:, : len(table)], true))
    for run, (adjusted, error) in enumerate(twin):
        assert math.isclose(seen.adjusted[run], adjusted, abs_tol=1e-9)
        assert math.isclose(seen.standard_error[run], error, abs_tol=1e-9) or math.isnan(error)


def test_cheap_scores_that_tell_half_count_half_with_many_topics() -> None:
    plentiful = np.random.default_rng(1).random((2, 4000))
    assert abs(tuned_slope(plentiful, 0.3 + plentiful / 2) - 0.5) < 0.001
    assert tuned_slope(plentiful[:, :3], plentiful[:, :3] / 2) == 1.0
    assert tuned_slope(np.full((1, 9), 0.4), plentiful[:1, :9]) == 1.0


def test_the_slope_is_tuned_where_trusted_judgments_meet_cheap_ones() -> None:
    topics = [f"t{at}" for at in range(6)]
    lists = {run: {topic: ["x", "y"] for topic in topics} for run in ("a", "b")}
    grades = {topic: {"x": at % 2, "y": 0} for at, topic in enumerate(topics)}
    small = Small(lists, grades, 1)
    evidence = pool_bias(small, "P@2", 1, common=np.array([True] * 5 + [False]))
    plentiful = evidence.judgments
    opposite = Judgments(plentiful.pairs, plentiful.judged, 1 - plentiful.grade, max_grade=1)
    with_trusted = evidence.but(reference=opposite)

    def slope(tune: str, of: UnpooledRuns) -> float:
        both = both_scores(of)
        return WebberTopics(tune=tune).slope(both[0], both[1], of)  # type: ignore[arg-type]

    # Where one says relevant the other does not: cov / var = -1, and 5 of 13 parts of that.
    assert slope("reference", with_trusted) == pytest.approx(1 - 2 * 5 / 13)
    assert slope("always", with_trusted) == slope("reference", with_trusted)
    assert slope("never", with_trusted) == slope("reference", evidence) == 1.0
    assert "count 0.23" in " ".join(WebberTopics().explain(with_trusted))


def test_without_common_topics_there_is_nothing_to_learn_from() -> None:
    small = Small({"a": {"1": ["x"]}, "b": {"1": ["y"]}}, {"1": {"x": 1}}, 1)
    with pytest.raises(ValueError, match="`common`"):
        WebberTopics().adjust(pool_bias(small, "P@1", 1))


def test_one_common_topic_gives_bounds_and_no_interval() -> None:
    lists = {"a": {"1": ["x"], "2": ["v"]}, "b": {"1": ["y"], "2": ["w"]}}
    small = Small(lists, {"1": {"x": 1, "y": 1}, "2": {"v": 0}}, 1)
    adjusted = WebberTopics().adjust(pool_bias(small, "P@1", 1, common=np.array([True, False])))
    for figures in (adjusted.standard_error, adjusted.pred_lower, adjusted.pred_upper):
        assert np.isnan(figures).all()
    assert (adjusted.lower.tolist(), adjusted.upper.tolist()) == ([0.5], [1.0])
    assert "only 1 common topics" in adjusted.doubts[0]
