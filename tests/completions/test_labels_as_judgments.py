"""LabelsAsJudgments: labels taken for judgments, on the judge's own scale."""

import pytest

import leadline

QRELS = {"1": {"a": 1, "x": 0}}
RUN = {"1": {"b": 4.0, "c": 3.0, "a": 2.0, "z": 1.0}}


def test_labels_are_shares_of_the_highest_and_holes_are_nothing() -> None:
    labels = {"gpt": {"1": {"a": 0, "b": 4, "c": 2}}, "clicks": {"1": {"b": 0, "c": 10}}}
    told = leadline.estimate(QRELS, {"r": RUN}, "RBP(p=0.5)", "LabelsAsJudgments", labels=labels)
    # b: mean of 1 and 0; c: of 1/2 and 1; a was judged and counts 1; z has no label.
    assert told.frame["value"].to_list() == pytest.approx([0.5 / 2 + 0.75 / 4 + 1 / 8])


def test_without_labels_the_remedy_is_told() -> None:
    with pytest.raises(ValueError, match="there are no labels: name label files in `labels`"):
        leadline.estimate(QRELS, {"r": RUN}, "P@2", "LabelsAsJudgments")
