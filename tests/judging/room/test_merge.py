"""Merging, agreement and exchange of several people's judgments."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.files.problems import InputError
from leadline.judging.ledger import Entry
from leadline.judging.room.assessor_agreement import (
    cohen_kappa,
    graded,
    krippendorff_alpha,
    pairwise,
)
from leadline.judging.room.exchange import export, read_judgments
from leadline.judging.room.merge import Vote, merge
from leadline.judging.room.scale import BINARY, GRADED

LEDGER = [
    Entry("judge", "1", "a", 2, "ann", "t1", "good", 1, 3.5),
    Entry("judge", "1", "a", 0, "bob", "t2"),
    Entry("judge", "1", "a", 0, "cid", "t3"),
    Entry("judge", "1", "a", 3, "llm", "t4", kind="machine"),
    Entry("judge", "1", "b", 1, "ann", "t5"),
    Entry("undo", "1", "b", None, "ann", "t6"),
    Entry("judge", "1", "c", 1, "bob", "t7"),
    Entry("judge", "1", "c", 3, "ann", "t8"),
    Entry("cannot tell", "2", "d", None, "ann", "t9", "torn"),
    Entry("skip", "2", "e", None, "ann", "t9"),
]


def merged(rule: str, *more: Entry, machines: bool = False) -> dict[str, int]:
    return {each.doc: each.grade for each in merge([*LEDGER, *more], rule, machines)}


def test_every_rule_says_what_it_says() -> None:
    assert merged("majority") == {"a": 0, "c": 1}
    assert merged("latest") == {"a": 0, "c": 3}
    assert merged("adjudicated") == {}
    assert merged("latest", machines=True) == {"a": 3, "c": 3}
    decided = Entry("adjudicate", "1", "a", 2, "boss")
    assert merged("adjudicated", decided) == {"a": 2}
    assert merged("majority", decided)["a"] == 2
    assert merged("majority", decided, Entry("undo", "1", "a", None, "boss"))["a"] == 0
    with pytest.raises(ValueError, match="merge must be one of"):
        merge([], "loudest")


def test_qrels_and_csv_are_written_and_read_again() -> None:
    assert export(LEDGER, "qrels") == "1 0 a 0\n1 0 c 1\n"
    text = export(LEDGER, "csv")
    again = read_judgments(text, "csv", "x", "now", GRADED)
    assert [(e.act, e.doc, e.grade, e.who, e.kind, e.note) for e in again] == [
        ("judge", "a", 2, "ann", "person", "good"),
        ("judge", "a", 0, "bob", "person", ""),
        ("judge", "a", 0, "cid", "person", ""),
        ("judge", "a", 3, "llm", "machine", ""),
        ("judge", "c", 1, "bob", "person", ""),
        ("judge", "c", 3, "ann", "person", ""),
        ("cannot tell", "d", None, "ann", "person", "torn"),
    ]
    assert export(again, "csv").replace(",1,3.5,", ",,3.5,") == text.replace(",1,3.5,", ",,3.5,")


def test_label_studio_takes_people_as_annotations_and_machines_as_predictions() -> None:
    tasks = json.loads(export(LEDGER, "labelstudio", scale=GRADED))
    first = tasks[0]
    assert first["data"] == {"topic": "1", "doc": "a"}
    assert [each["completed_by"]["email"] for each in first["annotations"]] == ["ann", "bob", "cid"]
    assert [each["model_version"] for each in first["predictions"]] == ["llm"]
    assert first["annotations"][0]["result"][0]["value"] == {"choices": ["Relevant"]}
    again = read_judgments(json.dumps(tasks), "labelstudio", "x", "now", GRADED)
    assert merge(again, "majority") != []
    assert {(e.doc, e.who, e.grade, e.kind) for e in again} == {
        (e.doc, e.who, e.grade, e.kind)
        for e in LEDGER
        if e.act in ("judge", "cannot tell") and e.doc != "b"
    }


def test_a_cell_is_never_a_formula() -> None:
    evil = [Entry("judge", "1", "a", 1, "=1+1", "t", "@SUM(A1)")]
    assert "'=1+1" in export(evil, "csv")
    assert "'@SUM" in export(evil, "csv")


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("qrels", "1 0 a\n", "expected topic 0 doc grade"),
        ("qrels", "1 0 a x\n", "expected topic 0 doc grade"),
        ("qrels", "1 0 a 9\n", "the scale has 0, 1"),
        ("csv", "topic,doc\n1,a\n", "no column grade"),
        ("csv", "topic,doc,grade\n1,a,many\n", "import:2"),
        ("labelstudio", "{}", "no export of Label Studio"),
        ("labelstudio", '[{"data": {}}]', "no export of Label Studio"),
        ("labelstudio", "not json", "no export of Label Studio"),
        ("xml", "", "format must be"),
    ],
)
def test_what_cannot_be_read_is_named(form: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        read_judgments(text, form, "x", "now", BINARY)
    assert form == "xml" or isinstance(caught.value, InputError)


def plain_kappa(first: list[int], second: list[int]) -> float | None:
    """Cohen's kappa by the book, from two lists of grades."""
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum((first.count(g) / n) * (second.count(g) / n) for g in {*first, *second})
    return None if chance >= 1 else (observed - chance) / (1 - chance)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_kappa_of_a_table_is_kappa_of_the_lists(both: list[tuple[int, int]]) -> None:
    votes = {at: {"a": Vote("a", x), "b": Vote("b", y)} for at, (x, y) in enumerate(both)}
    (agreement,) = pairwise(graded(votes, ["person"]), (0, 1, 2, 3))
    expected = plain_kappa([x for x, _ in both], [y for _, y in both])
    assert agreement.n == len(both)
    assert (agreement.kappa is None) == (expected is None)
    if expected is not None:
        assert agreement.kappa == pytest.approx(expected)
    assert agreement.same == sum(x == y for x, y in both) / len(both)


def test_kappa_without_judgments_is_nothing() -> None:
    assert cohen_kappa(np.zeros((2, 2), np.int64)) is None


def test_alpha_is_one_where_all_agree_and_leaves_machines_out() -> None:
    votes = {
        1: {"a": Vote("a", 0), "b": Vote("b", 0), "m": Vote("m", 3, "machine")},
        2: {"a": Vote("a", 2), "b": Vote("b", 2), "m": Vote("m", 0, "machine")},
        3: {"a": Vote("a", None), "b": Vote("b", 1)},
    }
    assert krippendorff_alpha(graded(votes, ["person"])) == pytest.approx(1.0)
    mixed = krippendorff_alpha(graded(votes, ["person", "machine"]))
    assert mixed is not None
    assert mixed < 0
    assert krippendorff_alpha({}) is None
