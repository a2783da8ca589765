"""Diversity scores from a share of the subtopic judgments."""

import numpy as np
import pytest

from leadline.lab.benchmark.play import task_of
from leadline.lab.benchmark.question import BudgetError, Truth
from leadline.measures.measure import parse_measure
from tests.lab.asked import part, subtopic_question


def test_so_many_percent_of_the_documents_are_judged() -> None:
    asked = subtopic_question(10)
    every = len(asked.on.relevant)
    # Rounded on each topic, and one relevant document at least.
    assert abs(asked.judgments - every / 10) <= len(asked.on.grades.topics)
    returned = np.unique(asked.runs.pair)
    assert 0 < asked.known.judged[returned].sum() <= asked.judgments


def test_the_truth_is_by_all_and_nothing_more_can_be_judged() -> None:
    asked = subtopic_question(10)
    whole = parse_measure("ERR_IA@20").score(asked.on.lists)
    assert Truth.of(asked).value.tolist() == whole.mean().tolist()
    seen = parse_measure("ERR_IA@20").score(asked.lists).value
    assert not np.array_equal(seen, whole.value, equal_nan=True)
    with pytest.raises(BudgetError, match="are given"):
        asked.judge([0])


def test_the_sample_is_the_same_for_every_measure_and_grows() -> None:
    one, other = subtopic_question(10), subtopic_question(10, "NRBP")
    assert one.kept.tolist() == other.kept.tolist()
    assert subtopic_question(30).judgments > one.judgments


def test_all_of_the_judgments_are_no_question() -> None:
    on = part(0, subtopics=True)
    assert not list(task_of("diversity").questions(on, parse_measure("NRBP"), 100))
