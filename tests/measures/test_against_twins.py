"""Every measure equals its plain twin, and its interval the brute force over all completions."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.measures.measure import measures
from tests.collections import Small, small_collections
from tests.reference import bounds as brute
from tests.reference import measures as plain

Twin = Callable[[list[str], dict[str, int]], float]


def twins(top: int) -> dict[str, Twin]:
    """The twin of each name, for judgments whose scale ends at `top`."""
    hand = [(1, 0.25), (2, 1.0)] if top >= 2 else [(1, 0.25)]
    text = "[(1, 0.25), (2, 1.0)]" if top >= 2 else "[(1, 0.25)]"
    graded = partial(plain.rbp, p=0.7, max_grade=top)
    return {
        "P@3": partial(plain.precision, k=3),
        "P(rel=2)@5": partial(plain.precision, k=5, rel=2),
        "SetP": plain.precision,
        "Recall": plain.recall,
        "Recall@3": partial(plain.recall, k=3),
        "Rprec": plain.rprec,
        "Rprec(rel=2)": partial(plain.rprec, rel=2),
        "RR": plain.rr,
        "RR@2": partial(plain.rr, k=2),
        "Success@2": partial(plain.success, k=2),
        "AP": plain.ap,
        "AP@3": partial(plain.ap, k=3),
        "AP(rel=2)": partial(plain.ap, rel=2),
        "DCG": partial(plain.dcg, max_grade=top),
        "DCG(gains=exp2)@3": partial(plain.dcg, k=3, gains="exp2", max_grade=top),
        "nDCG": partial(plain.ndcg, max_grade=top),
        "nDCG@3": partial(plain.ndcg, k=3, max_grade=top),
        "nDCG(gains=exp2)@4": partial(plain.ndcg, k=4, gains="exp2", max_grade=top),
        "nDCG(rel=2, gains=binary)@4": partial(
            plain.ndcg, k=4, gains="binary", rel=2, max_grade=top
        ),
        f"nDCG(gains={text})@4": partial(plain.ndcg, k=4, gains=hand, max_grade=top),
        "SDCG@4": partial(plain.sdcg, k=4, max_grade=top),
        "SDCG(gains=linear)@4": partial(plain.sdcg, k=4, gains="linear", max_grade=top),
        "RBP(p=0.7)": graded,
        "RBP(p=0.7)@3": partial(graded, k=3),
        "RBP(p=0.7, norm=true)@3": partial(graded, k=3, norm=True),
        "RBP(p=0.7, gains=linear)": partial(graded, gains="linear"),
        "ERR": partial(plain.err, max_grade=top),
        "ERR@3": partial(plain.err, k=3, max_grade=top),
        "ERR(gains=binary)@3": partial(plain.err, k=3, gains="binary", max_grade=top),
        "bpref": plain.bpref,
        "infAP": lambda ranking, grades: plain.infap(ranking, grades, set()),
        "Judged@3": partial(plain.judged, k=3),
        "NumRet": plain.num_ret,
        "NumRel": plain.num_rel,
        "NumRelRet": plain.num_rel_ret,
    }


NAMES = list(twins(2))
UNBOUNDED = {name for name in NAMES if not measures.parse(name).bounded}


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= 1e-12


def cells(small: Small) -> list[tuple[int, int, list[str], dict[str, int]]]:
    return [
        (r, t, lists.get(topic, []), small.grades[topic])
        for r, lists in enumerate(small.runs.values())
        for t, topic in enumerate(small.grades)
    ]


@given(small_collections())
@settings(deadline=None)
def test_every_score_equals_its_twin(small: Small) -> None:
    lists = small.lists()
    for name, twin in twins(small.max_grade).items():
        scores = measures.parse(name).score(lists)
        for r, t, ranking, grades in cells(small):
            assert same(scores.value[r, t], twin(ranking, grades)), name


@given(small_collections())
@settings(deadline=None)
def test_condensed_scores_equal_the_twin_on_condensed_lists(small: Small) -> None:
    lists = small.lists()
    for text in ("AP", "nDCG@3", "P@3", "RR", "ERR@3", "Recall@3", "RBP(p=0.7)", "Rprec"):
        head, _, depth = text.partition("@")
        inside = "judged_only=true"
        name = head.replace(")", f", {inside})") if "(" in head else f"{head}({inside})"
        scores = measures.parse(name + (f"@{depth}" if depth else "")).score(lists)
        assert np.isnan(scores.lower).all()
        twin = twins(small.max_grade)[text]
        for r, t, ranking, grades in cells(small):
            assert same(scores.value[r, t], twin(plain.condensed(ranking, grades), grades)), name


def expected_bounds(name: str, top: int, ranking: list[str], grades: dict[str, int]) -> tuple:
    twin = twins(top)[name]
    measure = measures.parse(name)
    # The scale reaches rel: an unjudged document may be the first relevant one.
    top = max(top, getattr(measure, "rel", 1))
    if name.startswith("RBP"):
        options = {"p": 0.7, "k": measure.k, "norm": measure.norm, "gains": measure.gains}
        return brute.rbp_bounds(ranking, grades, top, **options)
    # Unseen documents only ever lower a score, except that they deepen the rank of Rprec.
    return brute.bounds(twin, ranking, grades, top, 5 if name.startswith("Rprec") else 0)


# Measures for which unseen documents count.
UNSEEN = ("Recall", "Rprec", "AP", "nDCG")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in UNBOUNDED])
@given(small=small_collections(n_docs=5, n_topics=1, n_runs=1, max_grade=2, judged=0.5))
@settings(deadline=None, max_examples=60)
def test_intervals_equal_brute_force_over_all_completions(name: str, small: Small) -> None:
    if "[(" in name and small.max_grade < 2:
        return
    scores = measures.parse(name).score(small.lists())
    ((_, _, ranking, grades),) = cells(small)
    value, lower, upper = scores.value[0, 0], scores.lower[0, 0], scores.upper[0, 0]
    if math.isnan(value):
        # Undefined as long as nothing relevant is known: what it can be once something is.
        top = max(small.max_grade, measures.parse(name).rel)
        unseen = 5 if name.startswith("Rprec") else 3
        low, high = brute.bounds(twins(top)[name], ranking, grades, top, unseen)
        if not math.isnan(high):
            assert abs(upper - high) <= 1e-12
            assert lower <= low + 1e-12
        return
    low, high = expected_bounds(name, small.max_grade, ranking, grades)
    assert abs(upper - high) <= 1e-12, "the upper end is reached"
    if not name.startswith(UNSEEN):
        assert abs(lower - low) <= 1e-12, "the lower end is reached"
        return
    top = max(small.max_grade, measures.parse(name).rel)
    unseen_low, unseen_high = brute.bounds(twins(top)[name], ranking, grades, top, 3)
    assert lower <= unseen_low + 1e-12
    assert unseen_high <= upper + 1e-12


@pytest.mark.parametrize("name", ["nDCG@2", "nDCG(gains=exp2)@2"])
@given(small=small_collections(n_docs=4, n_topics=1, n_runs=1, max_grade=2, judged=0.5))
@settings(deadline=None, max_examples=40)
def test_ndcg_at_k_reaches_its_lower_end_with_k_unseen_documents(name: str, small: Small) -> None:
    scores = measures.parse(name).score(small.lists())
    ((_, _, ranking, grades),) = cells(small)
    if math.isnan(scores.value[0, 0]):
        return
    gains = "exp2" if "exp2" in name else "grade"
    twin = partial(plain.ndcg, k=2, gains=gains, max_grade=small.max_grade)
    low, _ = brute.bounds(twin, ranking, grades, small.max_grade, 2)
    assert abs(scores.lower[0, 0] - low) <= 1e-12


@given(small_collections(), st.data())
@settings(deadline=None)
def test_judging_one_more_document_never_widens_an_interval(
    small: Small, data: st.DataObject
) -> None:
    topic = data.draw(st.sampled_from(sorted(small.grades)))
    docs = sorted({doc for lists in small.runs.values() for doc in lists[topic]} | {"new"})
    unjudged = [doc for doc in docs if doc not in small.grades[topic]]
    if not unjudged:
        return
    doc = data.draw(st.sampled_from(unjudged))
    grade = data.draw(st.integers(0, small.max_grade))
    grades = {**small.grades, topic: {**small.grades[topic], doc: grade}}
    more = Small(small.runs, grades, small.max_grade)
    before_lists, after_lists = small.lists(), more.lists()
    for name in NAMES:
        if name in UNBOUNDED or ("[(" in name and small.max_grade < 2):
            continue
        measure = measures.parse(name)
        before, after = measure.score(before_lists), measure.score(after_lists)
        assert (after.lower >= before.lower - 1e-12).all(), name
        assert (after.upper <= before.upper + 1e-12).all(), name
        possible = ~np.isnan(after.mean_upper())
        assert (after.mean_lower() >= before.mean_lower() - 1e-12)[possible].all(), name
        assert (after.mean_upper() <= before.mean_upper() + 1e-12)[possible].all(), name


@given(small_collections(), st.data())
@settings(deadline=None)
def test_the_score_under_any_completion_lies_inside(small: Small, data: st.DataObject) -> None:
    """Also with relevant documents that no run returns, and for larger lists than brute force."""
    grades = {}
    for topic, known in small.grades.items():
        docs = {doc for lists in small.runs.values() for doc in lists[topic]}
        docs |= {f"unseen{number}" for number in range(data.draw(st.integers(0, 4)))}
        grades[topic] = {
            **{doc: data.draw(st.integers(0, small.max_grade)) for doc in sorted(docs)},
            **known,
        }
    complete = Small(small.runs, grades, small.max_grade).lists()
    partial_lists = small.lists()
    for name in NAMES:
        if name in UNBOUNDED or ("[(" in name and small.max_grade < 2):
            continue
        measure = measures.parse(name)
        scores, true_scores = measure.score(partial_lists), measure.score(complete)
        truth = true_scores.value
        known = ~np.isnan(truth)
        assert (truth[known] >= scores.lower[known] - 1e-12).all(), name
        assert (truth[known] <= scores.upper[known] + 1e-12).all(), name
        mean = true_scores.mean()
        known = ~np.isnan(mean)
        assert (mean[known] >= scores.mean_lower()[known] - 1e-12).all(), name
        assert (mean[known] <= scores.mean_upper()[known] + 1e-12).all(), name
