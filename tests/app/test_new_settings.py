"""Settings of a new project: where paths are looked for, and what each answer is checked for."""

from pathlib import Path

import pytest

from leadline.judging.project import checked, located, lying_there


def test_what_lies_there_goes_by_its_usual_name(tmp_path: Path) -> None:
    assert lying_there(tmp_path) == {}
    (tmp_path / "documents").mkdir()
    (tmp_path / "guidelines.md").touch()
    assert lying_there(tmp_path) == {"documents": "documents", "guidelines": "guidelines.md"}
    (tmp_path / "docs.jsonl.gz").touch()
    assert lying_there(tmp_path)["documents"] == "docs.jsonl.gz"
    (tmp_path / "queries.jsonl").touch()
    assert lying_there(tmp_path)["topics"] == "queries.jsonl"


def test_a_path_is_looked_for_here_and_then_in_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, folder = tmp_path / "here", tmp_path / "p"
    here.mkdir()
    folder.mkdir()
    monkeypatch.chdir(here)
    (folder / "a.txt").touch()
    assert located("a.txt", folder) == "a.txt"
    assert located("../p/a.txt", folder) == "a.txt"
    assert located("../p/*.txt", folder) == "*.txt"
    (here / "a.txt").touch()
    assert located("a.txt", folder) == str(here / "a.txt")
    assert located("https://host/{doc}", folder) == "https://host/{doc}"
    with pytest.raises(ValueError, match=r"b\.txt: there is no such file or folder here, nor in"):
        located("b.txt", folder)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("runs", "", "without runs there is nothing to judge"),
        ("guidelines", "empty", "holds no guidelines"),
        ("documents", "https://host/doc", "needs {doc}"),
        ("documents", "ftp://host/{doc}", "begins with http"),
        ("stop", "Never", "no stop is named Never"),
        ("assessors_per_document", 0, "from 1 to 100"),
        ("merge", "vote", "merge"),
        ("topics", "empty.tsv", "empty.tsv"),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_why(
    tmp_path: Path, name: str, value: object, said: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(ValueError, match=said):
        checked(name, value, tmp_path)
