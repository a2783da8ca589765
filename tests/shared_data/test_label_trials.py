"""Labels by a noisy judge beside a few human judgments: errors on TREC DL 2021."""

from pathlib import Path

import numpy as np
import pytest

from scripts.label_trials import JUDGES, NAME, Outcome, task_of, trials
from tests.shared_data.where import collection

MOST_OFF = {
    "umbrela-gpt4": {200: 0.040, 400: 0.0245, 800: 0.0110},
    "binary-llama3.2": {200: 0.0467, 400: 0.029, 800: 0.0135},
}
"""What a first try had for differences among the best 20, by designs that knew which these are."""


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = collection(NAME)
    monkeypatch.setenv("LEADLINE_DATA", str(folder.parent))
    return folder


def off(outcomes: list[Outcome]) -> float:
    return float(np.mean([each.difference_square for each in outcomes])) ** 0.5


def test_few_judgments_by_design_beat_many_of_whole_topics() -> None:
    task = task_of("umbrela-gpt4")
    # Three draws would leave it to chance: their error is known to a quarter of itself.
    designed = trials(task, "designed", 266, 24)["WeightedSample + ModelAssisted"]
    topics = trials(task, "whole_topics", 800, 20)
    assert off(designed) < off(topics["whole topics + judge, tuned"]) < off(topics["whole topics"])
    alone = trials(task, "judge_alone", 0, 1)["judge alone"][0]
    assert 0.86 < alone.tau < 0.88
    assert alone.score_square > 4 * np.mean([each.score_square for each in designed])


@pytest.mark.slow
@pytest.mark.parametrize("judge", JUDGES)
def test_errors_hold_and_orders_are_no_worse_than_the_judges(judge: str) -> None:
    task = task_of(judge)
    alone = trials(task, "judge_alone", 0, 1)["judge alone"][0].tau
    for n, most in MOST_OFF[judge].items():
        made = trials(task, "designed", n, 200)
        plain, shrunk = made["WeightedSample + ModelAssisted"], made["the same, shrunk"]
        assert off(plain) <= 1.1 * most
        assert 0.93 <= np.mean([each.difference_held for each in plain]) <= 0.97
        assert np.mean([each.tau for each in shrunk]) >= alone - (0.02 if n == 200 else 0.01)
    third = trials(task, "designed", 266, 200)["WeightedSample + ModelAssisted"]
    topics = trials(task, "whole_topics", 800, 200)
    assert off(third) <= off(topics["whole topics + judge, tuned"])
