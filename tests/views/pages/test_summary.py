"""The first screen's words: who is best, whether that is certain, what to judge."""

from typing import Any

import pytest

import leadline
from leadline.data.lists import Lists
from leadline.io.topics import Texts
from leadline.judging.certain_winner import worth_judging
from leadline.measures.measure import parse_measure
from leadline.stats.board import Board
from leadline.stats.pairwise import compare_pairs
from leadline.views.summary import answers_of, to_judge

RUNS = {
    "good": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}},
    "bad": {"1": {"c": 3.0, "d": 2.0, "x": 1.0}},
}


def told(qrels: Any, runs: Any, name: str) -> dict[str, tuple[str, str]]:
    read = leadline.read(qrels, runs)
    measure = parse_measure(name)
    several = len(read.runs.names) > 1
    pairs = compare_pairs(read.runs, read.judgments, measure) if several else None
    scores = measure.score(Lists.of(read.runs, read.judgments))
    board = Board(measure, scores, pairs, scores.mean())  # type: ignore[arg-type]
    words = to_judge(worth_judging(read.runs, read.judgments, [measure]), Texts())
    return {question: (answer, why) for question, answer, why in [*answers_of(board), words]}


def test_what_nothing_can_change_is_certain() -> None:
    answers = told({"1": {"a": 1, "b": 1, "c": 0, "d": 0}}, RUNS, "P@3")
    assert answers["Who is best?"][0] == "good"
    assert answers["How certain is that?"][0] == "certain"
    assert answers["What to judge next?"][0] == "x"
    assert "cannot change which run is best" in answers["What to judge next?"][1]


def test_what_judging_can_turn_is_open_and_names_who() -> None:
    answers = told({"1": {"a": 1}}, RUNS, "P@3")
    sure, why = answers["How certain is that?"]
    assert sure == "open"
    assert why == (
        "Judging could still put bad above it. About 3 judgments until the best run is likely, "
        "3 judgments until it is certain (forecast)."
    )
    assert answers["Statistically significant?"][0] == "not known"
    assert "tells most about which run is best" in answers["What to judge next?"][1]


def test_what_a_model_makes_likely_says_so_and_how_far_certainty_is() -> None:
    docs = [f"d{number}" for number in range(12)]
    runs = {
        "good": {str(t): dict(zip(docs[:6], range(9, 3, -1), strict=True)) for t in range(30)},
        "bad": {str(t): dict(zip(docs[6:], range(9, 3, -1), strict=True)) for t in range(30)},
    }
    judged = {"d0": 1, "d1": 1, "d6": 0, "d7": 0}
    sure, why = told({str(t): judged for t in range(30)}, runs, "RBP(p=0.95)")[
        "How certain is that?"
    ]
    assert sure == "likely"
    assert why.startswith(
        "By a model of the judgments, probability 1.00 that no run is better by more"
    )
    assert "Judging could still put bad above it. About" in why


def test_equals_are_counted_and_all_judged_leaves_nothing() -> None:
    same = {"one": RUNS["good"], "two": RUNS["good"]}
    answers = told({"1": {"a": 1, "b": 0, "x": 0}}, same, "P@3")
    assert answers["Who is best?"][0] == "one and 1 equal"
    assert answers["What to judge next?"][0] == "nothing"


def test_what_one_measure_does_not_look_at_is_worth_judging_by_another() -> None:
    """P@1 looks at judged documents only; AP looks at three more."""
    judged = {"1": {"a": 1, "c": 0}}
    read = leadline.read(judged, RUNS)
    measures = [parse_measure("P@1"), parse_measure("AP")]
    worth = worth_judging(read.runs, read.judgments, measures)
    _, answer, why = to_judge(worth, Texts())
    assert answer == "x"
    assert "cannot change which run is best" in why
    assert "bounds of RBP(p=0.8)" in why
    assert worth.n_unjudged == 3
    nothing = worth_judging(read.runs.cut(1), read.judgments, measures)
    assert to_judge(nothing, Texts())[1:] == (
        "nothing",
        "Every document that a run returns was judged.",
    )


@pytest.mark.parametrize(("qrels", "name"), [({"1": {"a": 0}}, "AP"), ({"1": {"a": 1}}, "bpref")])
def test_measures_that_cannot_tell_say_so(qrels: Any, name: str) -> None:
    answers = told(qrels, {"alone": RUNS["good"]}, name)
    assert "How certain is that?" not in answers
    text = answers["Who is best?"][1]
    assert ("undefined for every run" in text) is (name == "AP")
    assert ("has no bounds" in text) is (name == "bpref")


def test_documents_that_nobody_returns_are_told_apart_from_judging() -> None:
    """x is ahead by 1 on topic 1 and by .37 on topic 3, y by 1 on topic 2.

    With more relevant documents known x's lead is 1 / 1.63 and .37 / 1.63: less than y's.
    """
    runs = {
        "x": {"1": {"a": 1.0}, "2": {"d": 1.0}, "3": {"e": 2.0, "f": 1.0}},
        "y": {"1": {"b": 1.0}, "2": {"c": 1.0}, "3": {"f": 2.0, "e": 1.0}},
    }
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}, "3": {"e": 1, "f": 0}}
    sure, why = told(qrels, runs, "nDCG@2")["How certain is that?"]
    assert sure == "open"
    assert why == (
        "Every listed document was judged, but the bounds do not rule out that relevant documents "
        "that no run returns put y above it."
    )
