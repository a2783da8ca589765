"""What the page's script draws from: rounded towards certainty, and the same each time."""

import base64
import gzip
import json

import numpy as np
import pytest

from leadline.completions.bounds import OpenWeight, open_weight
from leadline.io.validate_runs import judged_by_rank
from leadline.measures.rbp import RBP
from leadline.views.page import UNIT, _open, numbers, packed, page_data
from tests.views.boards import board_of, groups, tables


def test_numbers_of_any_shape_have_no_nan() -> None:
    assert numbers(float("nan")) is None
    assert numbers([[1.0, float("nan")], [-0.0, 2.25]], 1) == [[1.0, None], [0.0, 2.2]]
    assert json.loads(gzip.decompress(base64.b64decode(packed({"a": [None]})))) == {"a": [None]}


def test_no_number_that_json_lacks_is_packed() -> None:
    with pytest.raises(ValueError, match="JSON"):
        packed([float("nan")])
    assert packed({"a": 1}) == packed({"a": 1})


def test_open_weight_is_never_rounded_to_a_narrower_interval() -> None:
    own, shared = np.array([[1 / 3], [2 / 3]]), np.array([[1 / 3]])
    found = _open(OpenWeight(own, shared))
    assert (np.array(found["own"]) >= own).all()
    assert np.array(found["shared"][0]) / UNIT <= shared[0]
    assert np.array(found["own"]) == pytest.approx(own, abs=2 / UNIT)
    # Nothing shared needs no row.
    assert _open(OpenWeight(own, np.zeros((1, 1))))["shared"] == [None]


def test_the_data_of_a_board() -> None:
    runs, judgments = tables()
    measure = RBP(p=0.5)
    boards = [board_of(runs, judgments, "RBP(p=0.5)"), board_of(runs, judgments, "bpref")]
    weights = [open_weight(runs, judgments, measure, by_topic=True), None]
    judged = judged_by_rank(runs, judgments)
    data = page_data(boards, weights, groups(["g", "g", "h"]), judged, {"2": "tide"})
    assert data["runs"] == ["good", "bad", "new"]
    assert data["groups"] == ["g", "g", "h"]
    assert data["queries"] == ["", "tide", ""]
    first, second = data["measures"]
    assert first["order"] == [0, 2, 1]
    # good: 1/2 + 1/4 found and the tail open; new: 1/4 found, its first rank and the tail open.
    assert first["mean"] == [0.75, 0.0, 0.25]
    assert first["upper"] == [1.0, 0.5, 1.0]
    assert "own" in first
    assert "low" not in first
    assert "own" not in second
    # Verdicts are kept as numbers of words that all measures share.
    told = [data["words"]["verdict"][at] for at in first["pairs"]["verdict"]]
    assert told == list(boards[0].pairwise.verdict if boards[0].pairwise else ())
    assert first["left_out"] is None
    assert json.loads(gzip.decompress(base64.b64decode(packed(data)))) == data
