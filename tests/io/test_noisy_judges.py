"""Labels by noisy judges, in any form that judgments have, beside a collection's own."""

from pathlib import Path

import pytest

import leadline
from leadline.data.labels import NO_LABEL
from leadline.io.formats import Reading
from leadline.io.inputs import noisy_judges
from leadline.io.problems import InputError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0, "z": 1.0}, "2": {"c": 2.0, "d": 1.0}}


def test_files_name_the_judges_and_holes_stay_holes(tmp_path: Path) -> None:
    (tmp_path / "gpt.qrels").write_text("1 0 a 3\n1 0 z 2\n2 0 d 0\n")
    (tmp_path / "labels.csv").write_text("topic,doc,grade,judge\n1,b,40,x\n2,c,70,x\n")
    files = [str(tmp_path / "gpt.qrels"), str(tmp_path / "labels.csv")]
    read = leadline.read(QRELS, {"r": RUN}, labels=files)
    labels = read.runs.pairs.labels
    assert labels is not None
    assert labels.judges == ("gpt", "labels")
    said = {read.runs.pairs.name(at): labels.grade[:, at].tolist() for at in range(5)}
    assert said == {
        ("1", "a"): [3, NO_LABEL],
        ("1", "b"): [NO_LABEL, 40],
        ("1", "z"): [2, NO_LABEL],
        ("2", "c"): [NO_LABEL, 70],
        ("2", "d"): [0, NO_LABEL],
    }


def test_labels_are_no_judgments_and_change_no_score() -> None:
    labels = {"model": {"1": {"z": 1}, "2": {"d": 1}}}
    without, with_ = (
        leadline.read(QRELS, {"r": RUN}),
        leadline.read(QRELS, {"r": RUN}, labels=labels),
    )
    assert with_.judgments.judged.sum() == without.judgments.judged.sum()
    assert leadline.evaluate(with_, measures="AP").frame.equals(
        leadline.evaluate(without, measures="AP").frame
    )


def test_labels_stay_with_their_topic() -> None:
    read = leadline.read(QRELS, {"r": RUN}, labels={"1": {"a": 2}, "2": {"d": 1}})
    only = read.on(["2"]).runs.pairs
    assert only.labels is not None
    assert len(only.labels.judges) == 1
    assert {only.name(at)[1]: int(only.labels.grade[0, at]) for at in range(len(only))} == {
        "c": NO_LABEL,
        "d": 1,
    }


def test_grades_that_people_map_are_not_those_of_the_judge() -> None:
    reading = Reading(map_grades={2: 1})
    judge = noisy_judges({"model": {"1": {"a": 2}}}, reading)[0]
    assert judge.labels.grade.tolist() == [2]


def test_two_judges_of_one_name_are_refused(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gpt.qrels").write_text("1 0 a 3\n")
    files = [str(tmp_path / folder / "gpt.qrels") for folder in ("x", "y")]
    with pytest.raises(InputError, match=r"gpt\.qrels"):
        leadline.read(QRELS, {"r": RUN}, labels=files)


def test_labels_given_late_are_refused() -> None:
    read = leadline.read(QRELS, {"r": RUN})
    with pytest.raises(ValueError, match=r"give `labels` to leadline\.read before"):
        leadline.pool(read, labels={"1": {"a": 1}})


def test_labels_of_other_topics_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.qrels"
    path.write_text("001 0 a 3\n002 0 c 2\n")
    told = r"labels\.qrels: has no topic in common with the runs: labels have 001, 002, the runs 1"
    with pytest.raises(InputError, match=told):
        leadline.read(QRELS, {"r": RUN}, labels=path)
