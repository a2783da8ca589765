"""Some of the runs of a folder: `run_names`, and names after the folder."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import leadline
from leadline.io.datasets import COLLECTION as DEMO
from leadline.io.inputs import picked_names
from leadline.io.problems import InputError

SOME = ["eastwick-mmr", "farlight-hand"]
MEASURES = ["P@5", "RBP(p=0.8)"]


def test_names_follow_the_folder_with_the_same_scores_as_the_files() -> None:
    files = [DEMO / "runs" / f"{name}.gz" for name in SOME]
    by_file = leadline.evaluate(DEMO / "qrels.txt.gz", files, MEASURES).frame
    for scores in (
        leadline.evaluate(DEMO, SOME, MEASURES),
        leadline.evaluate(DEMO, files, MEASURES),
        leadline.evaluate(DEMO, measures=MEASURES, run_names=SOME),
        leadline.evaluate(DEMO, measures=MEASURES, run_names="farlight-h*,eastwick-mmr"),
        leadline.evaluate(leadline.read(DEMO), measures=MEASURES, run_names=SOME),
    ):
        assert_frame_equal(scores.frame, by_file)


def test_a_collection_read_before_is_as_if_read_without_the_other_runs() -> None:
    read, picked = leadline.read(DEMO, run_names=SOME), leadline.read(DEMO).with_runs(SOME)
    assert picked.runs.names == read.runs.names == tuple(SOME)
    assert list(picked.runs.pairs.docs) == list(read.runs.pairs.docs)
    assert np.array_equal(picked.runs.pair, read.runs.pair)
    assert np.array_equal(picked.judgments.grade, read.judgments.grade)
    assert_frame_equal(picked.groups, read.groups)


def test_every_verb_takes_them() -> None:
    both = leadline.compare(DEMO, SOME, "P@10")
    assert both.select("run_a", "run_b").rows() == [tuple(SOME)]
    assert "anstey-bm25" not in str(leadline.report(DEMO, measures="P@5", run_names=SOME))
    three = [*SOME, "anstey-bm25"]
    estimated = leadline.estimate(DEMO, measures="P@5", run_names=three)
    assert set(estimated["run"]) == set(three)
    pooled = leadline.pool(DEMO, SOME, strategy="Depth(d=1)", use_judgments=False)
    assert len(pooled.frame) <= 2 * 20


def test_the_runs_of_a_question_are_kept_with_those_that_are_picked() -> None:
    given = {"baseline": SOME[0], "new": SOME[1], "measures": "P@5", "estimator": "none"}
    for collection in (DEMO, leadline.read(DEMO)):
        gated = leadline.gate(collection, run_names="anstey-*", **given)
        assert gated.outcome is not None
    adjusted = leadline.adjust(
        DEMO, new=SOME[1], measures="P@10", method="WebberSystems", run_names="anstey-*,brine*"
    )
    pooled = adjusted.evidence[0].contributing
    assert {name.split("-")[0] for name in np.array(adjusted.evidence[0].runs.names)[pooled]} == {
        "anstey",
        "brinemouth",
    }


def test_what_is_no_run_is_said_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"eastwick-mm: no run is named so: did you mean eastwick"):
        leadline.compare(DEMO, ["eastwick-mm"])
    with pytest.raises(InputError, match="no run is named so; there are anstey-bm25, "):
        leadline.evaluate(DEMO, run_names="zzz*")
    other = tmp_path / "mine.run"
    other.write_text("1 Q0 a 1 2 mine\n")
    with pytest.raises(InputError, match=r"no run of the collection folder .* or its qrels file"):
        leadline.evaluate(DEMO, [other])
    with pytest.raises(ValueError, match="name runs or a collection folder"):
        leadline.audit(
            pl.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]}),
            reference={"1": {"a": 1}},
            run_names="a",
        )


def test_a_name_with_a_comma_or_a_bracket_is_a_name() -> None:
    assert picked_names("a,b", ["a", "a,b", "b"]) == ["a,b"]
    assert picked_names(["run[1]"], ["run1", "run[1]"]) == ["run[1]"]
