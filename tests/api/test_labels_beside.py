"""Labels beside judgments that were not sampled: columns of their own, and nothing else changes."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.io.datasets import COLLECTION

QRELS = {"1": {"a": 2, "b": 0}, "2": {"a": 0, "c": 1}}
RUNS = {
    "old": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 3.0, "a": 2.0}},
    "new": {"1": {"x": 3.0, "a": 2.0}, "2": {"y": 3.0, "c": 2.0}},
}
LABELS = {"1": {"a": 0, "x": 2, "b": 2}, "2": {"y": 1, "a": 2}}
MEASURES = ["P@2", "nDCG@2", "AP"]


def joined() -> dict[str, dict[str, int]]:
    """The judgments, and labels where nobody judged."""
    return {topic: LABELS[topic] | QRELS[topic] for topic in QRELS}


def test_evaluate_has_columns_with_labels_and_the_others_stay() -> None:
    plain = leadline.evaluate(QRELS, RUNS, MEASURES, per_topic=True).frame
    result = leadline.evaluate(QRELS, RUNS, MEASURES, per_topic=True, labels={"llm": LABELS})
    new = ["value_with_labels", "judged_with_labels"]
    assert result.frame.drop(new).equals(plain)
    # Where nobody judged, a label counts as the judgment; where somebody did, it does not.
    both = leadline.evaluate(joined(), RUNS, MEASURES, per_topic=True).frame
    assert result["value_with_labels"].to_list() == pytest.approx(both["value"].to_list())
    assert result["judged_with_labels"].to_list() == both["judged"].to_list()
    (notice,) = [each for each in result.notices.problems if each.code == "labels"]
    assert "labels of llm: 2 unjudged pairs have one" in notice.message


def test_every_output_of_evaluate_names_the_labels(tmp_path: Path) -> None:
    result = leadline.evaluate(QRELS, RUNS, "P@2", labels={"llm": LABELS})
    for suffix in ("csv", "json", "tsv", "md", "tex"):
        result.write(tmp_path / f"scores.{suffix}")
        text = (tmp_path / f"scores.{suffix}").read_text().replace("\\_", "_")
        assert "value_with_labels" in text, suffix
    assert "with labels" in result._repr_html_()
    assert result.top(1).select("run", "value_with_labels").rows() == [("new", 1.0)]
    rows = list(result)
    assert rows[0].value_with_labels is not None


def test_labels_on_another_scale_count_by_their_share() -> None:
    labels = {"1": {"x": 4, "b": 0}, "2": {"y": 2}}
    result = leadline.evaluate(QRELS, {"new": RUNS["new"]}, "nDCG@2", labels={"llm": labels})
    grades = {"1": {"x": 2} | QRELS["1"], "2": {"y": 1} | QRELS["2"]}
    both = leadline.evaluate(grades, {"new": RUNS["new"]}, "nDCG@2")
    assert result["value_with_labels"].to_list() == both["value"].to_list()


def test_fractions_are_labels() -> None:
    labels = {"1": {"x": 0.9, "b": 0.0}, "2": {"y": 0.2}}
    result = leadline.evaluate(QRELS, {"new": RUNS["new"]}, "nDCG@2", labels={"llm": labels})
    grades = {"1": {"x": 2} | QRELS["1"], "2": {"y": 0} | QRELS["2"]}
    both = leadline.evaluate(grades, {"new": RUNS["new"]}, "nDCG@2")
    assert result["value_with_labels"].to_list() == both["value"].to_list()
    # What is no label must still be whole.
    with pytest.raises(ValueError, match="the grade must be a whole number"):
        leadline.evaluate(labels, {"new": RUNS["new"]}, "nDCG@2")


@pytest.mark.parametrize("name", ["labels.csv", "labels.qrels", "labels.jsonl"])
def test_files_with_fractions(tmp_path: Path, name: str) -> None:
    rows = [("1", "x", "0.9"), ("1", "b", "0.05"), ("2", "y", "0.7")]
    texts = {
        "labels.csv": "topic,doc,label\n" + "".join(f"{','.join(row)}\n" for row in rows),
        "labels.qrels": "".join(f"{topic} 0 {doc} {share}\n" for topic, doc, share in rows),
        "labels.jsonl": "".join(
            f'{{"topic": "{topic}", "doc": "{doc}", "grade": {share}}}\n'
            for topic, doc, share in rows
        ),
    }
    path = tmp_path / name
    path.write_text(texts[name])
    result = leadline.evaluate(QRELS, {"new": RUNS["new"]}, "P@2", labels=path)
    assert result["value_with_labels"].to_list() == [1.0]


def test_compare_adds_a_difference_with_labels_and_changes_no_test() -> None:
    plain = leadline.compare(QRELS, RUNS, measures=["P@2", "AP"]).frame
    result = leadline.compare(QRELS, RUNS, measures=["P@2", "AP"], labels={"llm": LABELS}).frame
    assert result.drop("difference_with_labels").equals(plain)
    means = dict(leadline.evaluate(joined(), RUNS, "P@2").select("run", "value").rows())
    row = result.filter(measure="P@2").row(0, named=True)
    assert row["difference_with_labels"] == pytest.approx(means[row["run_a"]] - means[row["run_b"]])
    assert set(result["unjudged_as"]) == {"lower"}
    with pytest.raises(ValueError, match="sampled at random"):
        leadline.compare(QRELS, RUNS, measures="P@2", labels=LABELS, unjudged_as="assisted")


def test_the_report_shows_scores_with_labels_beside_the_scores() -> None:
    report = leadline.report(QRELS, RUNS, measures=["P@2"], labels={"llm": LABELS})
    # A column of the leaderboard, and the name of an estimate.
    assert "labels counted as judgments of documents that nobody judged" in report.page
    plain = leadline.report(QRELS, RUNS, measures=["P@2"])
    assert "labels counted as judgments" not in plain.page
    assert "never in bounds or tests" in " ".join(report.notices.lines())


def test_labels_beside_sampled_judgments_point_to_estimate() -> None:
    pool = leadline.pool(COLLECTION, strategy="UniformSample(d=50, rate=0.3)")
    with pytest.raises(ValueError, match="leadline estimate"):
        leadline.evaluate(COLLECTION, pool=pool, labels={"llm": LABELS | {"1": {"d1": 1}}})


def labels_of_truth() -> pl.DataFrame:
    qrels = leadline.read(COLLECTION)
    pairs, judged = qrels.runs.pairs, qrels.judgments.judged
    topic, doc = pairs.names(judged.nonzero()[0])
    return pl.DataFrame({"topic": topic, "doc": doc, "grade": qrels.judgments.grade[judged]})


def test_the_gate_says_whether_labels_mattered() -> None:
    how: dict[str, Any] = {"baseline": "anstey-bm25", "new": "corran-lsa60"}
    result = leadline.gate(COLLECTION, **how, labels={"llm": labels_of_truth()})
    (notice,) = [each for each in result.notices.problems if each.code == "labels-matter"]
    assert "labels did not matter: every verdict is the same without them" in notice.message
    bare = leadline.gate(COLLECTION, **how)
    assert f"{bare.rows[0].expected:+.4f} without" in notice.message
