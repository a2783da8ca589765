"""The cells of lu17: all of them, and what they count."""

from collections.abc import Iterator

import numpy as np
import pytest

from leadline.data.scores import Scores
from leadline.io.datasets import COLLECTION
from leadline.lab.papers.lu17_plan import (
    ESTIMATORS,
    QUICK,
    THETA,
    against,
    cells,
    counts,
    everything,
    forget,
    per_topic,
    setup,
    shallow,
    without,
)
from leadline.lab.papers.runner import Setting

FOLDER = str(COLLECTION)


@pytest.fixture(autouse=True)
def _free_memory() -> Iterator[None]:
    yield
    forget()


def test_every_estimator_group_and_draw_is_a_cell() -> None:
    names = [cell.name for cell in cells(Setting(FOLDER, quick=True, reference_depth=10))]
    on = setup(FOLDER, 10, None)
    assert len(set(names)) == len(names)
    pools = [name for name in names if name.startswith("pool ")]
    assert len(pools) == len(on.all_depths) * len(ESTIMATORS)
    assert sum(name.startswith("without ") for name in names) == len(set(on.runs.group))
    assert sum(name.startswith("draw ") for name in names) == QUICK
    assert names[-1] == "everything"
    # What takes longest comes first.
    assert "runs" in names[0]


def test_a_reference_without_depth_or_judgments_is_refused() -> None:
    with pytest.raises(ValueError, match="`reference_depth` must be at least 2, not 1"):
        cells(Setting(FOLDER, reference_depth=1))


def test_errors_of_a_topic_are_over_its_runs() -> None:
    value = np.array([[0.5, 0.5], [0.5, 0.5]])
    truth = Scores(("x", "y"), ("1", "2"), "X", value, value, value, np.ones((2, 2)))
    found = per_topic(np.array([[0.5, 0.8], [0.9, 0.1]]), truth)
    assert found["rms"] == pytest.approx([np.sqrt(0.16 / 2), np.sqrt((0.09 + 0.16) / 2)])
    assert found["zeros"] == [0.5, 0.0]


def test_the_same_scores_are_no_distance_apart() -> None:
    scores = np.random.default_rng(0).uniform(size=(4, 6))
    found = against(scores, scores)
    assert (found["tau_distance"], found["dist"]) == (0.0, 0.0)
    assert against(-scores, scores)["tau_distance"] == 1.0


def test_judgments_are_counted_by_topic() -> None:
    on = setup(FOLDER, 10, None)
    judged, percent = counts(on, on.judgments)
    n_topics = len(on.runs.pairs.topics)
    assert judged == pytest.approx(on.judgments.judged.sum() / n_topics)
    assert 0 < percent < 100
    told = everything(FOLDER, 10, None, False, None)
    assert told["table1"]["10"] == [judged, percent]
    assert len(told["gamma"]["10"]) == n_topics


def test_a_shallow_pool_has_what_the_tables_show() -> None:
    cell = shallow(FOLDER, 10, None, 2, "TwoStage(fit=scores)", None)
    n_topics = len(setup(FOLDER, 10, None).runs.pairs.topics)
    assert len(cell["rms"]) == len(cell["zeros"]) == len(cell["sdcg"]["rms"]) == n_topics
    assert cell["adjustable"]
    n_documents = sum(row[2] for row in cell["reliability"])
    assert n_documents > 0
    assert not shallow(FOLDER, 10, None, 2, "LowerBound", None)["adjustable"]


def test_a_group_is_estimated_from_the_pool_of_the_others() -> None:
    on = setup(FOLDER, 10, None)
    group = on.runs.group[0]
    found = without(FOLDER, 10, None, group, None)
    n_runs = on.runs.group.count(group)
    assert set(found) == set(ESTIMATORS)
    assert np.array(found["LowerBound"]["0"]).shape == (n_runs, len(on.runs.pairs.topics))
    assert set(found["TwoStage(fit=scores)"]) == {"0", str(THETA)}
    assert set(found["LowerBound"]) == {"0"}
