"""Judgments meet the pairs of the runs, whatever they know of how documents were drawn."""

from pathlib import Path

import numpy as np

from leadline.io.read import read

RUN = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0}}


def test_draws_and_strata_stay_with_their_pairs(tmp_path: Path) -> None:
    (tmp_path / "sampled").write_text("1 0 a 1 0.5\n1 0 z 0 1\n2 0 a -1 0.25\n")
    found = read(tmp_path / "sampled", RUN)
    # Nothing is judged on topic 2, so it does not count.
    assert found.runs.pairs.frame()["doc"].to_list() == ["a", "b", "c", "z"]
    assert found.judgments.inclusion is not None
    assert found.judgments.inclusion.tolist() == [0.5, 0.0, 0.0, 1.0]
    (tmp_path / "strata").write_text("1 0 b 0 1\n1 0 a 2 0\n2 0 a 1 -1\n2 0 c 1 0\n")
    judged = read(tmp_path / "strata", RUN).judgments
    assert judged.stratum is not None
    assert judged.pooled is not None
    assert judged.stratum.tolist() == [2, 0, -1, 1, 1]
    assert judged.judged.tolist() == [True, True, False, False, True]
    assert judged.pooled.tolist() == [True, True, False, True, True]


def test_trusted_judgments_are_over_the_same_pairs() -> None:
    found = read(
        {"1": {"a": 1}, "2": {"a": 0}}, RUN, reference={"1": {"b": 2, "y": 1}, "9": {"a": 1}}
    )
    assert found.reference is not None
    assert found.reference.pairs is found.judgments.pairs
    docs = found.runs.pairs.frame(np.flatnonzero(found.reference.judged))
    assert docs.select("topic", "doc").rows() == [("1", "b"), ("1", "y")]
    assert found.reference.max_grade == 2


def test_a_run_without_judgments_keeps_all_its_topics_in_order() -> None:
    found = read(None, {"10": {"a": 1.0}, "9": {"b": 1.0}, "x": {"c": 1.0}})
    assert found.runs.pairs.topics == ("9", "10", "x")
    assert found.runs.pair.tolist() == [0, 1, 2]
    assert not found.judgments.judged.any()
