"""Project folders: written, read, edited by hand, and refused where they make no sense."""

from pathlib import Path

import pytest

from leadline.app.room import Assessor
from leadline.io.problems import InputError
from leadline.judging.project import BINARY, NAME, Project, read_project, write_project

ANN = Assessor("ann")


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    project = Project(title='"quotes" \\ and\ttabs', grades=BINARY, shuffle=True, batch=5)
    write_project(tmp_path, project)
    assert read_project(tmp_path) == project
    with pytest.raises(ValueError, match="is there already"):
        write_project(tmp_path, project)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = 3", "title must be text"),
        ("colour = 'red'", "there is no setting colour"),
        ("order = 'CertainWiner(p=0.8)'", "did you mean CertainWinner"),
        ("stop = 'Never'", "no stop is named Never"),
        ("measure = 'AP'", "has no weights by rank"),
        ("assessors_per_document = 0", "from 1 to 100"),
        ("assessors_per_document = true", "must be a whole number"),
        ("merge = 'loudest'", "merge must be one of"),
        ("documents = 'https://host/page'", r"needs \{doc\}"),
        ("[[grades]]\ngrade = 0\nname = 'No'", "two grades at least"),
        ("[[grades]]\ngrade = 0\nkey = 'u'\n[[grades]]\ngrade = 1", "is taken"),
        ("[[grades]]\ngrade = 0\n[[grades]]\ngrade = 0", "have the grade 0"),
        ("grades = 3", "must be written as"),
        ("title = ", "Invalid value"),
        ("title = " + "[" * 3000, "lists within lists"),
    ],
)
def test_what_makes_no_sense_is_named_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_project(tmp_path)
    assert str(tmp_path / NAME) in str(caught.value)


def test_a_folder_without_a_project_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leadline judge --init"):
        read_project(tmp_path)
