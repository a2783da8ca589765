"""Questions at a budget."""

from leadline.lab.benchmark.question import n_pairs
from leadline.lab.benchmark.tasks import BestFive, BestRuns, FromJudgments, WithLabels
from leadline.measures.measure import parse_measure
from tests.lab.asked import part


def test_who_could_judge_nearly_all_is_not_asked() -> None:
    measure, on = parse_measure("P@10"), part()
    half = n_pairs(on.runs.cut(10)) // 2
    assert list(FromJudgments().questions(on, measure, half))
    assert not list(FromJudgments().questions(on, measure, half + 1))


def test_the_best_run_is_asked_for_by_regret() -> None:
    assert BestRuns().loss == "regret"
    assert BestFive().loss == "regret_five"
    assert BestFive().asks_as == BestRuns().asks_as == FromJudgments().name


def test_labels_are_needed_where_a_judge_is_asked_with() -> None:
    assert not WithLabels().plays_on("simulated/mixed")
    assert BestRuns().plays_on("simulated/mixed")
