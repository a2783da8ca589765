"""compare: what its tables hold, what it warns of, and which arguments it takes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leadline
from leadline.io.datasets import COLLECTION
from leadline.measures.measure import DEFAULT_MEASURES, WEIGHTED_MEASURES

TOPICS = [str(topic) for topic in range(1, 9)]
QRELS = {topic: {"a": 1, "b": 0, "c": int(topic) % 2} for topic in TOPICS}
RUNS = {
    "good": {topic: {"a": 2.0, "b": 1.0} for topic in TOPICS},
    "odd": {topic: {"c": 2.0, "b": 1.0} for topic in TOPICS},
    "bad": {topic: {"b": 2.0, "z": 1.0} for topic in TOPICS},
}


def codes(**options: Any) -> list[str]:
    return [each.code for each in leadline.compare(QRELS, RUNS, "P@1", **options).notices.problems]


def test_a_row_for_each_pair_and_measure() -> None:
    result = leadline.compare(QRELS, RUNS, ["P@1", "P@2"])
    assert result.select("run_a", "run_b", "measure").rows() == [
        (a, b, measure)
        for measure in ("P@1", "P@2")
        for a, b in (("good", "odd"), ("good", "bad"), ("odd", "bad"))
    ]
    assert result.frame.filter(measure="P@1")["difference"].to_list() == [0.5, 1.0, 0.5]


def test_a_baseline_is_in_every_row() -> None:
    result = leadline.compare(QRELS, RUNS, "P@1", baseline="bad")
    assert len(result) == 2
    assert all("bad" in row for row in result.select("run_a", "run_b").rows())


def test_tiers_and_the_wide_table_come_best_first() -> None:
    result = leadline.compare(QRELS, RUNS, ["P@1", "P@2"])
    assert result.wide().rows() == [("good", 1.0, 0.5), ("odd", 0.5, 0.25), ("bad", 0.0, 0.0)]
    assert result.tiers.frame["run"].to_list() == ["good", "odd", "bad"] * 2


def test_details_add_columns_and_change_none() -> None:
    usual = leadline.compare(QRELS, RUNS, "P@1").frame
    more = leadline.compare(QRELS, RUNS, "P@1", details=True).frame
    assert more.select(usual.columns).equals(usual)
    assert more["n_topics"].to_list() == [8, 8, 8]


def test_a_projected_basis_takes_measures_that_can_be_projected() -> None:
    usual = leadline.compare(QRELS, RUNS)
    projected = leadline.compare(QRELS, RUNS, unjudged_as="projected")
    assert tuple(usual.pairs) == tuple(DEFAULT_MEASURES)
    assert tuple(projected.pairs) == tuple(WEIGHTED_MEASURES)


def test_what_makes_p_less_than_it_seems_is_said() -> None:
    assert "one-tail" not in codes()
    assert "one-tail" in codes(tails=1)
    # Three pairs and 10 draws: no corrected p below 3/11.
    assert "few-draws" in codes(test="randomisation(n=10)")
    assert "few-draws" not in codes(test="randomisation(n=10)", correction="bh")
    nothing = {topic: {"elsewhere": 1} for topic in TOPICS}
    said = leadline.compare(nothing, RUNS, ["P@1", "P@2"]).notices.problems
    assert [each.code for each in said].count("nothing-judged") == 1


def test_no_correction_by_either_word() -> None:
    one, other = (leadline.compare(QRELS, RUNS, "P@1", correction=word) for word in (None, "none"))
    assert one.frame.equals(other.frame)
    assert one["p"].to_list() == one["p_corrected"].to_list()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"unjudged_as": "middle"}, "`unjudged_as`"),
        ({"tails": 3}, "`tails`"),
        ({"correction": "tukey"}, "`correction`"),
        ({"baseline": "nobody"}, "nobody"),
        ({"test": "tee"}, "no test is named tee"),
    ],
)
def test_arguments_without_sense_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        leadline.compare(QRELS, RUNS, "P@1", **options)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = tmp_path_factory.mktemp("drawn") / "pool.csv"
    leadline.pool(COLLECTION, strategy="UniformSample(d=10, rate=0.5)", all_runs=True).write(file)
    return file


def noisy() -> dict[str, dict[str, int]]:
    """The judgments, halved: a judge that is never wrong, on a scale of its own."""
    read = leadline.read(COLLECTION)
    labels: dict[str, dict[str, int]] = {}
    for at in np.flatnonzero(read.judgments.judged).tolist():
        topic, doc = read.runs.pairs.name(at)
        labels.setdefault(topic, {})[doc] = int(read.judgments.grade[at]) // 2
    return labels


def test_with_labels_what_is_estimated_from_the_sample_is_compared(drawn: Path) -> None:
    labels = {"gpt": noisy()}
    told = leadline.compare(COLLECTION, pool=drawn, labels=labels, measures="P@10")
    assert set(told.frame["unjudged_as"]) == {"assisted"}
    estimated = leadline.estimate(COLLECTION, None, "P@10", pool=drawn, labels=labels)
    assert [each.estimator.registered_name() for each in estimated.estimates] == [
        "LowerBound",
        "ModelAssisted",
    ]
    apart = estimated.differences().frame["difference"].to_numpy()
    assert np.allclose(told.frame["difference"].to_numpy(), apart, atol=1e-9)
    mean = dict(estimated.frame.filter(estimator="ModelAssisted").select("run", "value").rows())
    tiers = dict(told.tiers.frame.select("run", "value").rows())
    assert tiers == pytest.approx(mean)
    assert told.tiers.frame["value"].is_sorted(descending=True)
    # A better judge brings the estimates nearer to what all judgments say.
    truth = leadline.compare(COLLECTION, measures="P@10").frame["difference"].to_numpy()
    alone = leadline.compare(COLLECTION, pool=drawn, measures="P@10", unjudged_as="assisted")
    off, without = (
        float(np.abs(each.frame["difference"].to_numpy() - truth).mean()) for each in (told, alone)
    )
    assert off < without


def test_labels_need_judgments_that_were_drawn_and_a_part_to_play(drawn: Path) -> None:
    labels = {"gpt": noisy()}
    with pytest.raises(ValueError, match="give that file as `pool`"):
        leadline.compare(COLLECTION, labels=labels, unjudged_as="assisted")
    with pytest.raises(ValueError, match="ignored with `unjudged_as` upper"):
        leadline.compare(COLLECTION, labels=labels, pool=drawn, unjudged_as="upper")
    with pytest.raises(ValueError, match="no sum of weights"):
        leadline.compare(COLLECTION, labels=labels, pool=drawn, measures="AP")
