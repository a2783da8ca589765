"""Measures that read order the runs on a scale of their own."""

import numpy as np
import pytest

from leadline.lab.benchmark.entrants.methods import ByReading
from leadline.lab.benchmark.entrants.pools import AsJudged
from leadline.lab.benchmark.question import Truth, figures
from leadline.measures.measure import parse_measure
from tests.lab.asked import question, subtopic_question


@pytest.mark.parametrize("entrant", ByReading.variants(), ids=lambda each: each.title)
def test_runs_are_ordered_and_no_error_is_told(entrant: ByReading) -> None:
    asked = subtopic_question(30)
    found = figures(entrant.answer(asked), Truth.of(asked))
    assert found["tau"] is not None
    assert found["regret"] is not None
    for name in ("rmse", "bias", "gap_rmse", "list_rmse", "list_bias", "coverage"):
        assert found[name] is None


def test_it_reads_what_was_judged_and_no_more() -> None:
    asked = subtopic_question(10)
    read = ByReading("DELTArb@20").answer(asked).value
    assert np.allclose(read, parse_measure("DELTArb@20").score(asked.lists).mean())
    assert not np.allclose(read, parse_measure("DELTArb@20").score(asked.on.lists).mean())


def test_as_judged_is_on_the_measures_own_scale() -> None:
    asked = subtopic_question(30)
    assert figures(AsJudged().answer(asked), Truth.of(asked))["rmse"] is not None


def test_without_subtopics_there_is_nothing_to_read() -> None:
    with pytest.raises(ValueError, match="judged for subtopics"):
        ByReading().answer(question("best", 20))
