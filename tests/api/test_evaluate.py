"""evaluate: streamed and from a collection it says the same, in tables of every form."""

from pathlib import Path
from typing import Any

import pytest

import leadline
from leadline.io.problems import InputError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"d": 1}}
RUNS = {
    "one": {"1": {"a": 9.5, "z": 7.0}, "2": {"c": 3.0}, "9": {"q": 1.0}},
    "two": {"1": {"z": 9.5, "a": 7.0}, "2": {"c": 3.0}, "3": {"d": 1.0}},
}


def values(**options: Any) -> dict[tuple[str, str], float | None]:
    result = leadline.evaluate(QRELS, RUNS, "P@1", per_topic=True, **options)
    return {(row.run, row.topic): row.value for row in result}


def test_a_collection_read_before_scores_the_same() -> None:
    names = ["P@2", "AP", "nDCG@3", "RBP(p=0.8)"]
    streamed = leadline.evaluate(QRELS, RUNS, names, per_topic=True)
    held = leadline.evaluate(leadline.read(QRELS, RUNS), measures=names, per_topic=True)
    assert streamed.frame.equals(held.frame)


def test_a_missing_topic_scores_lowest_or_is_skipped() -> None:
    lowest, skipped = values(), values(missing_topics="skip")
    assert (lowest["one", "3"], skipped["one", "3"]) == (0.0, None)
    # Of three topics run one finds something on two.
    assert lowest["one", "all"] == pytest.approx(2 / 3)
    assert skipped["one", "all"] == 1.0
    assert lowest["two", "all"] == skipped["two", "all"]


def test_unjudged_topics_are_ignored_or_all_unjudged() -> None:
    assert ("one", "9") not in values()
    included = leadline.evaluate(QRELS, RUNS, "P@1", per_topic=True, unjudged_topics="include")
    row = next(row for row in included if (row.run, row.topic) == ("one", "9"))
    assert (row.lower, row.upper, row.judged) == (0.0, 1.0, 0.0)
    # Who does not return it has nothing open on it.
    other = next(row for row in included if (row.run, row.topic) == ("two", "9"))
    assert (other.lower, other.upper) == (0.0, 0.0)
    with pytest.raises(ValueError, match="no topics without judgments to include"):
        leadline.evaluate(leadline.read(QRELS, RUNS), unjudged_topics="include")


def test_only_the_topics_asked_for() -> None:
    assert {topic for _, topic in values(topics=["2", "3"])} == {"2", "3", "all"}


def test_the_wide_table_has_a_column_a_measure() -> None:
    result = leadline.evaluate(QRELS, RUNS, ["P@1", "AP"])
    assert result.wide().columns == ["run", "P@1", "AP"]
    by_topic = leadline.evaluate(QRELS, RUNS, ["P@1"], per_topic=True).wide()
    assert by_topic.columns == ["run", "topic", "P@1"]
    assert len(by_topic) == 2 * (3 + 1)


def test_several_runs_beside_small_ones_give_the_same(tmp_path: Path) -> None:
    for name, run in RUNS.items():
        lines = [
            f"{topic} Q0 {doc} 1 {score} x\n"
            for topic, of in run.items()
            for doc, score in of.items()
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    from_files = leadline.evaluate(QRELS, tmp_path, ["P@2", "AP"], per_topic=True)
    given = leadline.evaluate(QRELS, RUNS, ["P@2", "AP"], per_topic=True)
    assert from_files.frame.equals(given.frame)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"ties": "rank"}, "`ties`"),
        ({"missing_topics": "never"}, "`missing_topics`"),
        ({"unjudged_topics": "never"}, "`unjudged_topics`"),
        ({"missing_docs": "never"}, "`missing_docs`"),
        ({"measures": "Q@5"}, "no measure is named Q"),
    ],
)
def test_arguments_without_sense_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        leadline.evaluate(QRELS, RUNS, **options)


def test_a_measure_that_reads_needs_documents() -> None:
    with pytest.raises(InputError):
        leadline.evaluate(QRELS, RUNS, "ABSnb@5")


def test_a_confidence_adds_columns_and_changes_no_other() -> None:
    plain = leadline.evaluate(QRELS, RUNS, ["P@1", "AP"], per_topic=True)
    sure = leadline.evaluate(QRELS, RUNS, ["P@1", "AP"], per_topic=True, confidence=0.9)
    held = leadline.evaluate(leadline.read(QRELS, RUNS), measures=["P@1", "AP"], confidence=0.9)
    added = ["ci_lower", "ci_upper", "ci_bootstrap_lower", "ci_bootstrap_upper"]
    assert sure.frame.columns == [*plain.frame.columns, *added]
    assert sure.frame.drop(added).equals(plain.frame)
    assert sure.frame.filter(topic="all").equals(held.frame)
    assert sure.encoded("csv").decode().splitlines()[0].endswith(",".join(added))
    with pytest.raises(ValueError, match="`confidence` must lie between 0 and 1, not 1"):
        leadline.evaluate(QRELS, RUNS, "P@1", confidence=1.0)


def test_both_doubts_are_told_apart_in_table_and_picture() -> None:
    from tests.views.charts.drawn import svg
    from tests.views.terminal.printed import text_of

    sure = leadline.evaluate(QRELS, RUNS, "P@1", confidence=0.9)
    head = text_of(sure.table(), 80).splitlines()[1]
    assert "certain" in head
    assert "over topics (t)" in head
    assert "confidence interval over topics" in svg(sure.chart())
    plain = leadline.evaluate(QRELS, RUNS, "P@1")
    assert "over topics" not in text_of(plain.table(), 80)
    assert "over topics" not in svg(plain.chart())
