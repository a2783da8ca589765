"""A project from elsewhere names what lies outside its folder: nothing is read unless confirmed."""

from pathlib import Path

import pytest

from leadline.app.backup import back_up_project, restore_project
from leadline.app.opening import new_project, open_project
from leadline.io.problems import InputError
from leadline.judging.library import confirm, outside_paths
from leadline.judging.project import NAME, Project, read_project
from leadline.labels.prompt import DocumentReader
from tests.app.projects import small, small_runs


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "d1.txt").write_text("a secret")
    (folder / "general.md").write_text("a secret")
    return folder


@pytest.mark.parametrize("setting", ["documents", "guidelines", "runs", "start_from", "labels"])
@pytest.mark.parametrize("way", ["absolute", "upwards", "link"])
def test_what_lies_elsewhere_is_not_read(
    tmp_path: Path, secret: Path, setting: str, way: str
) -> None:
    folder = small(tmp_path / "p")
    named = {"absolute": str(secret), "upwards": "../private", "link": "here"}[way]
    if way == "link":
        (folder / "here").symlink_to(secret)
    (folder / NAME).write_text(f'{setting} = "{named}"\n')
    for read in (open_project, lambda where: DocumentReader.of(where, {"d1"})):
        with pytest.raises(InputError, match=rf"{setting}.*outside.*--outside"):
            read(folder)


def test_a_link_within_the_guidelines_or_the_runs_leads_nowhere(
    tmp_path: Path, secret: Path
) -> None:
    folder = small(tmp_path / "p", guidelines="words")
    (folder / "words").mkdir()
    (folder / "words" / "general.md").symlink_to(secret / "general.md")
    with pytest.raises(InputError, match=r"guidelines.*outside"):
        open_project(folder)
    (folder / "words" / "general.md").unlink()
    (folder / "runs" / "c.txt").symlink_to(secret / "d1.txt")
    with pytest.raises(InputError, match=r"runs.*outside"):
        open_project(folder)


def test_what_was_named_when_the_project_was_made_or_confirmed_is_read(
    tmp_path: Path, secret: Path
) -> None:
    small_runs(tmp_path / "p")
    new_project(tmp_path / "p", documents=str(secret), topics=None)
    judging = open_project(tmp_path / "p")
    found = judging.library.document("d1")
    assert found is not None
    assert found.text == "a secret"
    judging.close()
    # The folder may be moved, and its backup restored.
    (tmp_path / "p").rename(tmp_path / "q")
    open_project(tmp_path / "q").close()


def test_an_option_confirms_for_good(tmp_path: Path, secret: Path) -> None:
    folder = small(tmp_path / "p", documents=str(secret))
    with pytest.raises(InputError, match="outside"):
        open_project(folder)
    open_project(folder, outside=True).close()
    open_project(folder).close()


def test_what_was_confirmed_is_that_and_no_more(tmp_path: Path, secret: Path) -> None:
    folder = small(tmp_path / "p")
    (tmp_path / "other").mkdir()
    confirm(folder, Project(documents=str(secret)))
    assert outside_paths(folder, Project(documents=str(secret))) == {}
    assert outside_paths(folder, Project(documents=str(tmp_path / "other"))) != {}
    assert outside_paths(folder, Project(documents=str(tmp_path))) != {}


def test_addresses_and_usual_names_are_inside(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", documents="https://example.org/{doc}")
    assert outside_paths(folder, read_project(folder)) == {}
    open_project(folder).close()


def test_a_backup_from_elsewhere_opens_nothing(tmp_path: Path, secret: Path) -> None:
    theirs = small(tmp_path / "p")
    open_project(theirs).close()
    (theirs / NAME).write_text(f'documents = "{secret}"\n')
    back_up_project(theirs, tmp_path / "kept.gz")
    small_runs(tmp_path / "q")
    restore_project(tmp_path / "q", tmp_path / "kept.gz")
    with pytest.raises(InputError, match=r"documents.*outside"):
        open_project(tmp_path / "q")
