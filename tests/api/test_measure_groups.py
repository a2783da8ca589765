"""Measures are grouped by what they see, and judgments are read once for all that share them."""

from pathlib import Path
from typing import Any

import pytest

from leadline.api.scoring import MeasureGroup, QrelsSource, TextSource, measure_groups
from leadline.io.datasets import COLLECTION
from leadline.io.formats import Reading
from leadline.io.problems import InputError
from leadline.measures.measure import parse_measures


def grouped(*names: str, folder: Path | None = COLLECTION, **texts: Any) -> list[MeasureGroup]:
    judged = QrelsSource(Reading())
    return measure_groups(list(parse_measures(names)), None, folder, judged, TextSource(**texts))


def test_labels_subtopics_and_texts_come_in_that_order() -> None:
    groups = grouped("ABSnb@7", "StRec@5", "P@10", "AP", "DELTArb@3")
    names = [[str(measure) for measure in group.measures] for group in groups]
    assert names == [["P@10", "AP"], ["StRec@5"], ["ABSnb@7", "DELTArb@3"]]
    assert [group.judged_in.rsplit("/", 1)[-1] for group in groups] == [
        "qrels.txt.gz",
        "qrels.ndeval.txt.gz",
        "qrels.ndeval.txt.gz",
    ]
    assert [group.subtopics is not None for group in groups] == [False, True, True]
    assert [group.reader is not None for group in groups] == [False, False, True]
    assert groups[2].depth == 7
    # What serves both is read once.
    assert groups[1].index is groups[2].index


def test_labels_alone_read_nothing_else() -> None:
    (only,) = grouped("P@10")
    assert only.subtopics is None
    assert only.judged_in.endswith("qrels.txt.gz")


def test_a_file_without_subtopics_cannot_serve_them(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    judged = QrelsSource(Reading())
    with pytest.raises(InputError):
        measure_groups(
            list(parse_measures("StRec@5")), tmp_path / "qrels", None, judged, TextSource()
        )


def test_reading_needs_documents(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n")
    judged = QrelsSource(Reading())
    with pytest.raises(InputError, match="name them with `docs`"):
        measure_groups(
            list(parse_measures("ABSnb@5")), tmp_path / "qrels", None, judged, TextSource()
        )


def test_only_a_collection_with_documents_is_judged_elsewhere(tmp_path: Path) -> None:
    assert TextSource(subtopic_docs=COLLECTION).judged_elsewhere
    assert not TextSource(subtopic_docs=tmp_path).judged_elsewhere
    assert not TextSource(subtopic_docs={"a": "text"}).judged_elsewhere
    assert not TextSource().judged_elsewhere


def test_judgments_are_restricted_to_topics_and_pool() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    reading = Reading()
    some = QrelsSource(reading, topics=["1", "7"]).qrels(qrels, subtopics=False)
    assert set(some.frame["topic"]) == {"1"}
    assert "7" in reading.notices.lines()[0]
    with pytest.raises(InputError, match="the topics given: 7"):
        QrelsSource(Reading(), topics=["7"]).qrels(qrels, subtopics=False)
