"""Runs scored as they come: whole or in parts, over the same topics."""

from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import leadline
from leadline.api.scoring import score_lists
from leadline.io import lines as pieces
from leadline.io import run_stream
from leadline.measures.measure import parse_measure
from tests.collections import Small

QRELS = {str(topic): {"d0": 1, "d1": 0} for topic in range(1, 7)}
NAMES = ["P@2", "AP", "RBP(p=0.8)", "nDCG@2"]


def write(path: Path, *topics: int) -> None:
    lines = [
        f"{topic} Q0 d{doc} 1 {-doc}.5 x\n"
        for topic in topics
        for doc in ((0, 2) if topic % 2 else (2, 0, 1))
    ]
    path.write_text("".join(lines))


@pytest.mark.parametrize("missing", ["lowest", "skip"])
@pytest.mark.parametrize("unjudged", ["ignore", "include"])
def test_a_run_that_comes_in_parts_scores_as_a_whole(
    tmp_path: Path, missing: str, unjudged: str
) -> None:
    write(tmp_path / "a.run", 1, 2, 3, 4, 5, 6)
    write(tmp_path / "b.run", 2, 8, 3, 5)
    write(tmp_path / "c.run", 9, 1)
    how = {"missing_topics": missing, "unjudged_topics": unjudged}
    whole = leadline.evaluate(QRELS, tmp_path, NAMES, per_topic=True, **how)
    with patch.object(pieces, "PIECE", 60), patch.object(run_stream, "PIECE", 15):
        parts = leadline.evaluate(QRELS, tmp_path, NAMES, per_topic=True, **how)
    for name, scores in whole.scores.items():
        assert parts.scores[name].topics == scores.topics
        for column in ("value", "lower", "upper", "judged"):
            assert_array_equal(getattr(parts.scores[name], column), getattr(scores, column))
    n_topics = 6 + (2 if unjudged == "include" else 0)
    assert whole.scores["P@2"].value.shape == (3, n_topics)


def test_topics_that_a_run_lacks_are_undefined_if_skipped() -> None:
    lists = Small({"x": {"1": ["a"], "2": []}}, {"1": {"a": 1}, "2": {"a": 1}}, 1).lists()
    measure = parse_measure("P@1")
    assert score_lists(measure, lists, "lowest").value.tolist() == [[1.0, 0.0]]
    skipped = score_lists(measure, lists, "skip").value
    assert skipped[0, 0] == 1.0
    assert np.isnan(skipped[0, 1])
