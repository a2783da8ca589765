"""Slices of topics: which columns count, and what is wrong with a table."""

from pathlib import Path

import pytest

from leadline.io.problems import InputError, Notices
from leadline.io.slices import read_slices

TOPICS = ("1", "2", "3")


def of(tmp_path: Path, text: str, name: str = "topics.tsv") -> tuple[dict[str, list[bool]], str]:
    path = tmp_path / name
    path.write_text(text)
    notices = Notices()
    slices = read_slices(path, TOPICS, notices)
    return {key: mask.tolist() for key, mask in slices.items()}, "\n".join(notices.lines())


def test_a_column_of_groups(tmp_path: Path) -> None:
    slices, said = of(tmp_path, "topic\tgroup\n1\tlong\n2\tshort\n3\tlong\n")
    assert slices == {"long": [True, False, True], "short": [False, True, False]}
    assert said == ""


def test_any_name_where_there_is_one_other_column_and_commas_in_csv(tmp_path: Path) -> None:
    slices, said = of(tmp_path, "qid,mood\n1,sad\n9,sad\n", "t.csv")
    assert slices == {"sad": [True, False, False]}
    assert "names 1 topics that are not scored: 9" in said
    assert "2 of the topics are in no slice" in said


def test_a_topic_may_stand_in_several_slices_and_texts_may_be_there_too(tmp_path: Path) -> None:
    slices, _ = of(tmp_path, "topic\ttext\tslice\n1\tfog\ta\n1\tfog\tb\n2\ttide\ta\n3\tx\ta\n")
    assert slices == {"a": [True, True, True], "b": [True, False, False]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic\ttext\ttitle\n1\ta\tb\n", "1: needs a column topic and one of slices"),
        ("number\tslice\n1\ta\n", "found number, slice"),
        ("topic\tslice\n1\t \n", "2: a slice has no name"),
        ("topic\tslice\n1\tall\n", "2: the name all is reserved"),
        ("topic\tslice\n9\ta\n", "names none of the topics"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        of(tmp_path, text)
