"""Adjusters equal their plain twins, which take judgments away one by one."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.adjusters.adjuster import adjusters
from leadline.adjusters.anti_precision import Lipani
from leadline.adjusters.from_systems import Systems, WebberRuns
from leadline.adjusters.from_topics import both_scores, from_topics
from leadline.adjusters.pool_bias import PoolBias, PooledAndNew
from leadline.measures.measure import parse_measure
from leadline.pools.depth import Depth
from tests.collections import Small, small_collections
from tests.reference import adjusters as plain
from tests.reference import measures as plain_measures

Score = Callable[[list[str], dict[str, int]], float]

MEASURES: dict[str, tuple[Score, bool]] = {
    "P@3": (lambda ranking, judged: plain_measures.precision(ranking, judged, 3), False),
    "P(judged_only=true)@3": (
        lambda ranking, judged: plain_measures.precision(ranking, judged, 3),
        True,
    ),
    "RBP(p=0.8)": (lambda ranking, judged: plain_measures.rbp(ranking, judged, 0.8), False),
}


def split(small: Small) -> tuple[dict[str, plain.Run], plain.Run, PooledAndNew]:
    """All runs but the last are pooled."""
    *pooled, new = small.runs
    runs, _ = small.tables()
    last = np.arange(len(small.runs)) == len(small.runs) - 1
    field = PooledAndNew(runs.only(~last), runs.only(last))
    return {name: small.runs[name] for name in pooled}, small.runs[new], field


def case_of(small: Small, field: PooledAndNew, depth: int) -> PoolBias:
    _, judgments = small.tables()
    # Tables that meet hold the same pairs.
    same = type(judgments)(
        field.pooled.pairs, judgments.judged, judgments.grade, max_grade=judgments.max_grade
    )
    return PoolBias.of(field, same, Depth(depth))


@pytest.mark.parametrize("name", MEASURES)
@given(small=small_collections(n_docs=7, n_runs=4), depth=st.integers(1, 5))
@settings(deadline=None)
def test_systems_and_webber_equal_their_twins(name: str, small: Small, depth: int) -> None:
    if len(small.runs) < 2:
        return
    score, condensed = MEASURES[name]
    pooled, new, field = split(small)
    case = case_of(small, field, depth)
    topics = list(small.grades)
    measure = parse_measure(name)
    of = (pooled, new, small.grades, depth, topics, score, condensed)
    assert math.isclose(
        Systems().amounts(measure, case)[0], plain.systems(*of).adjustment, abs_tol=1e-12
    )
    assert math.isclose(
        WebberRuns().amounts(measure, case)[0], plain.webber_runs(*of).adjustment, abs_tol=1e-12
    )


@pytest.mark.parametrize("merge", ["average", "replace"])
@given(small=small_collections(n_docs=8, n_runs=4), n=st.integers(1, 5))
@settings(deadline=None)
def test_lipani_equals_its_twin(merge: str, small: Small, n: int) -> None:
    if len(small.runs) < 2:
        return
    pooled, new, field = split(small)
    case = case_of(small, field, 3)
    twin = plain.lipani(pooled, new, small.grades, n, list(small.grades), merge)  # type: ignore[arg-type]
    found = Lipani(merge).amounts(parse_measure(f"P@{n}"), case)[0]  # type: ignore[arg-type]
    assert math.isclose(found, twin.adjustment, abs_tol=1e-12)


@pytest.mark.parametrize("name", MEASURES)
@given(
    small=small_collections(n_docs=7, n_runs=4, n_topics=5),
    depth=st.integers(1, 5),
    wanted=st.sets(st.integers(0, 4)),
)
@settings(deadline=None)
def test_topics_equals_its_twin(name: str, small: Small, depth: int, wanted: set[int]) -> None:
    topics = list(small.grades)
    common = [topic for number, topic in enumerate(topics) if number in wanted]
    if len(small.runs) < 2 or not common:
        return
    score, condensed = MEASURES[name]
    pooled, new, field = split(small)
    case = case_of(small, field, depth)
    mask = np.array([topic in common for topic in field.new.pairs.topics])
    case = PoolBias(case.field, case.judgments, case.drawn, common=mask)
    twin = plain.topics(pooled, new, small.grades, depth, topics, common, score, condensed)
    seen = from_topics(*both_scores(parse_measure(name), case))
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
@settings(deadline=None)
def test_trusted_judgments_put_right_cheap_ones(small: Small, depth: int) -> None:
    """The first grades are cheap; the trusted ones are their complement on the first topic."""
    _, new, field = split(small) if len(small.runs) > 1 else (None, None, None)
    if new is None or field is None:
        return
    case = case_of(small, field, depth)
    flipped = np.where(case.judgments.judged, small.max_grade - case.judgments.grade, 0)
    trusted = type(case.judgments)(
        field.new.pairs, case.judgments.judged, flipped, max_grade=small.max_grade
    )
    topics = list(small.grades)
    grades = {
        topic: {doc: small.max_grade - grade for doc, grade in judged.items()}
        for topic, judged in small.grades.items()
    }
    mask = np.array([topic == topics[0] for topic in field.new.pairs.topics])
    case = PoolBias(field, case.judgments, case.drawn, trusted, mask)
    score, condensed = MEASURES["P@3"]
    twin = plain.two_qrels(new, small.grades, grades, topics, topics[:1], score, condensed)
    seen = from_topics(*both_scores(parse_measure("P@3"), case))
    assert math.isclose(seen.adjusted[0], twin.adjusted, abs_tol=1e-12)


def test_every_adjuster_has_a_name() -> None:
    assert list(adjusters.classes()) == ["Lipani", "Predicted", "Systems", "Topics", "WebberRuns"]
    assert str(adjusters.parse("Lipani(merge=average)")) == "Lipani(merge=average)"
