"""Draws of grades: judged documents keep theirs, and scores are those of completed collections."""

import numpy as np
import pytest

import leadline
from leadline.completions.drawn_grades import DrawnGrades, draw_coins, draw_grades
from leadline.completions.estimator import Evidence
from leadline.data.runs import Runs
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import parse_measure
from tests.reference import measures as plain


def evidence(depth: int = 3) -> Evidence:
    sea = leadline.read(COLLECTION, depth=30)
    contributing = np.array(sea.runs.group, object) != "Corran"
    judgments = sea.judgments.only(sea.runs.only(contributing).best_rank <= depth)
    return Evidence(parse_measure("DCG"), sea.runs, judgments, contributing=contributing)


def two(known: Evidence, depth: int = 5) -> Runs:
    names = known.runs.names
    places = [names.index("anstey-bm25"), names.index("corran-lsa60")]
    return known.runs.only(np.array(places), depth)


def drawn(n: int = 8, seed: int = 0) -> DrawnGrades:
    known = evidence()
    return draw_grades(known, two(known), np.array([False, True]), n, seed)


def test_scores_are_those_of_plain_measures_on_completed_grades() -> None:
    draws = drawn(3)
    known, runs = draws.evidence, draws.runs
    scores = {name: draws.scores(parse_measure(name)) for name in ("nDCG@5", "AP")}
    _, docs = runs.pairs.names(np.arange(len(runs.pairs)))
    for draw in range(3):
        for topic in (0, 7):
            inside = np.flatnonzero(known.judgments.judged & (runs.pairs.topic == topic))
            grades = {docs[at]: int(known.judgments.grade[at]) for at in inside}
            for pair, grade in zip(draws.pair, draws.grade[draw], strict=True):
                if runs.pairs.topic[pair] == topic:
                    grades[docs[pair]] = int(grade)
            for grade, count in enumerate(draws.elsewhere[draw, topic]):
                grades |= {f"elsewhere {grade} {n}": grade for n in range(count)}
            for run in (0, 1):
                part = slice(runs.start[run, topic], runs.stop[run, topic])
                ranking = [docs[pair] for pair in runs.pair[part]]
                assert scores["nDCG@5"][draw, run, topic] == pytest.approx(
                    plain.ndcg(ranking, grades, 5), nan_ok=True
                )
                assert scores["AP"][draw, run, topic] == pytest.approx(
                    plain.ap(ranking, grades), nan_ok=True
                )


def test_only_unjudged_documents_are_drawn() -> None:
    draws = drawn()
    assert not draws.evidence.judgments.judged[draws.pair].any()
    assert set(draws.pair.tolist()) == {
        pair for pair in draws.runs.pair.tolist() if not draws.evidence.judgments.judged[pair]
    }
    assert draws.grade.min() == 0
    assert 0 < draws.grade.max() <= draws.evidence.judgments.max_grade
    assert (draws.elsewhere >= 0).all()


def test_a_seed_draws_the_same_again_and_another_something_else() -> None:
    first, again, other = drawn(seed=1), drawn(seed=1), drawn(seed=2)
    assert (first.grade == again.grade).all()
    assert (first.elsewhere == again.elsewhere).all()
    assert (first.grade != other.grade).any()


def test_better_documents_are_drawn_relevant_more_often() -> None:
    known = evidence()
    draws = draw_grades(known, two(known, 30), np.array([False, True]), 100)
    share = (draws.grade > 0).mean(axis=0)
    truth = leadline.read(COLLECTION, depth=30).judgments
    judged = truth.judged[draws.pair]
    relevant = truth.grade[draws.pair] > 0
    assert share[judged & relevant].mean() > 1.5 * share[judged & ~relevant].mean()


def test_coins_give_every_grade_alike() -> None:
    known = evidence()
    draws = draw_coins(known, two(known), 400)
    top = known.judgments.max_grade
    share = np.array([(draws.grade == grade).mean() for grade in range(top + 1)])
    assert share == pytest.approx(np.full(top + 1, 1 / (top + 1)), abs=0.02)
    assert not draws.elsewhere.any()
