"""Exchange of several people's judgments."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.app.exchange import export, read_judgments
from leadline.io.problems import InputError
from leadline.judging.ledger import Entry
from leadline.judging.merge import Merging, merged
from leadline.judging.project import BINARY, GRADED
from tests.judging.test_merge import LEDGER

NAMES = st.text("=+-@'ab7é,\"", min_size=1, max_size=4)
NOTES = st.text("=+-@'ab \n\t,\"\uff1d", max_size=4).map(str.strip)


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
    assert merged(again, Merging()) == merged(LEDGER, Merging())
    assert {(e.doc, e.who, e.grade, e.kind) for e in again} == {
        (e.doc, e.who, e.grade, e.kind)
        for e in LEDGER
        if e.act in ("judge", "cannot tell") and e.doc != "b"
    }


def test_label_studio_keeps_model_prompt_and_confidence() -> None:
    said = Entry(
        "judge", "1", "a", 2, "llm", "2030-01-01", "why", None, None, "machine", "m-7", "v3", 0.25
    )
    text = export([said], "labelstudio", scale=GRADED)
    (prediction,) = json.loads(text)[0]["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("llm", 0.25)
    assert read_judgments(text, "labelstudio", "x", "now", GRADED) == [said]
    with pytest.raises(InputError, match="score must be a number"):
        read_judgments(text.replace("0.25", '"much"'), "labelstudio", "x", "now", GRADED)


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NOTES), max_size=4, unique_by=lambda t: t[:3]))
def test_what_was_exported_comes_back_the_same(rows: list[tuple[str, str, str, str]]) -> None:
    entries = [
        Entry(
            "judge",
            topic,
            doc,
            1,
            who,
            "2030-01-31T12:00:00.123+00:00",
            note,
            None,
            0.5,
            "machine",
            "m",
            "=v",
            0.25,
        )
        for topic, doc, who, note in rows
    ]
    text = export(entries, "csv")
    assert read_judgments(text, "csv", "x", "now", ()) == entries


def test_a_cell_is_never_a_formula() -> None:
    evil = [Entry("judge", "1", "a", 1, "=1+1", "t", "@SUM(A1)")]
    evil += [Entry("judge", "1", first + "b", 1, "ann") for first in "\uff1d\uff0b\uff0d\uff20"]
    assert export(evil, "csv").count(",'") == 6
    assert "'=1+1" in export(evil, "csv")
    assert "'@SUM" in export(evil, "csv")


def _said(**more: object) -> str:
    result = [{"type": "choices", "value": {"choices": ["1"]}}]
    return json.dumps(
        [{"data": {"topic": "1", "doc": "a"}, "annotations": [{"result": result, **more}]}]
    )


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("qrels", "1 0 a\n", "import:1: expected 4 fields"),
        ("qrels", "# x\n\n1 0 a x\n", "import:3: the grade must be a whole number"),
        ("qrels", "1 0 a 0\n1 0 a 9\n", "import:2: .* the scale has 0, 1"),
        ("qrels", "1 0 a 1 0.5\n", "import:1: expected topic 0 doc grade"),
        ("qrels", "1 0 a \u00b2\n", "import:1: the grade must be a whole number"),
        ("qrels", f"1 0 a {'9' * 30}\n", "import:1: the grade must be a whole number"),
        ("qrels", "1 0 a\u2028b 1\n", "import:1: .* odd characters"),
        ("qrels", "", "import: is empty"),
        ("qrels", "\0", "import:1: holds a NUL byte"),
        ("qrels", "1 0 \ud800 1\n", "import:1: is not UTF-8"),
        ("csv", "topic,doc,grade\n1,a,1_0\n", "import:2: the grade must be a whole number"),
        ("csv", "topic,doc,grade\n\n1,a,1\n1,b\n", "import:4: expected 3 columns"),
        ("csv", "topic,doc,grade\n,a,1\n", "import:2: topic and doc must not be empty"),
        ("csv", "act,topic,doc,grade\nend,1,a,\n", "import:2: act must be one of judge"),
        ("csv", "topic,doc,grade,seconds\n1,a,1,inf\n", "import:2: seconds must be a number"),
        ("csv", "topic,doc,grade,seconds\n1,a,1,x\n", "import:2: seconds must be a number"),
        ("csv", 'topic,doc,grade\n1,"a,1\n', "import:2: cannot be read"),
        ("labelstudio", "[" * 100_000, "import:1: .* nested too deep"),
        ("labelstudio", '[{"data": {"topic": null, "doc": "a"}}]', "must be text, not None"),
        ("labelstudio", _said(completed_by=["x"]), "names must be text"),
        ("labelstudio", _said(created_at=["x"]), "created_at must be text"),
        ("labelstudio", _said(created_at="soon"), "has a time that is none"),
        ("csv", "topic,doc,grade,time\n1,a,1,soon\n", "import:2: .* a time that is none"),
        ("csv", f"topic,doc,grade,time\n1,a,1,2030{'0' * 90}\n", "import:2: .* a time that is"),
        ("csv", "topic,doc,grade,seconds\n1,a,1,1e308\n", "import:2: .* seconds"),
        ("csv", f"topic,doc,grade,who\n1,a,1,{'w' * 201}\n", "import:2: .* of a person"),
        ("csv", f"topic,doc,grade\n1,{'d' * 501},1\n", "import:2: .* a name of more"),
        ("csv", f"topic,doc,grade,note\n1,a,1,{'n' * 100_001}\n", "import:2: .* a note of more"),
        ("csv", "topic,doc,grade,kind\n1,a,1,robot\n", "import:2: kind must be one of"),
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


@pytest.mark.parametrize("where", ["note", "model", "prompt"])
def test_a_nul_is_refused_before_it_comes_to_a_database(where: str) -> None:
    said = Entry("judge", "1", "a", 1, "llm", "2030-01-01", "n", None, None, "machine", "m", "p")
    tasks = json.loads(export([said], "labelstudio", scale=GRADED))
    tasks[0]["predictions"][0]["result"][0]["meta"][where] = "a\0b"
    with pytest.raises(InputError, match="NUL"):
        read_judgments(json.dumps(tasks), "labelstudio", "x", "now", GRADED)
