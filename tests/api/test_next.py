"""The steps of an ordering, and the picture of how the contest was decided."""

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
RUNS = {
    "one": {"1": {"a": 9.5, "b": 7.0}, "2": {"c": 3.0, "d": 2.0}},
    "two": {"1": {"b": 9.5, "a": 7.0}, "2": {"d": 3.0, "c": 2.0}},
}


def test_the_course_tells_when_the_best_run_became_certain() -> None:
    result = leadline.next(QRELS, RUNS, simulate=QRELS)
    course = result.course()
    assert course["judged"].to_list() == list(range(len(result.steps) + 1))
    assert course["contenders"][0] == 1
    assert (course["contenders"] > 0).to_list() == [True] * len(result.steps) + [False]
    drawn = result.chart().to_dict()
    (points,) = drawn["datasets"].values()
    (name,) = {key for point in points for key in point} - {"judgments", "of"}
    assert [point[name] for point in points] == course["contenders"].to_list()


def test_without_answers_there_is_no_course_to_draw() -> None:
    with pytest.raises(ValueError, match="`simulate`"):
        leadline.next(None, RUNS, budget=2).chart()


def test_audited_scores_have_intervals_by_students_quantile() -> None:
    answers = COLLECTION / "qrels.txt.gz"
    names = ("anstey-bm25", "corran-lsa60", "greyness-fusion")
    runs = [COLLECTION / "runs" / f"{name}.gz" for name in names]
    made = leadline.next(None, runs, "LikelyWinner", budget=320, simulate=answers)
    rows = made.audited()
    assert rows is not None
    assert rows.columns == ["run", "score", "standard_error", "pred_lower", "pred_upper"]
    errors = (rows["pred_upper"] - rows["score"]) / rows["standard_error"]
    assert (errors > 1.97).all()
    below = (rows["score"] - rows["pred_lower"]) / rows["standard_error"]
    # Only the run with the best score was chosen by the judgments that score it.
    assert ((below - errors).abs() > 1e-9).sum() <= 1
    assert rows.select(pl.exclude("run").is_null().any()).sum_horizontal().item() == 0
    assert leadline.next(None, runs, "DepthFirst(p=0.8)", budget=5).audited() is None
