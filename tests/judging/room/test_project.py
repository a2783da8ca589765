"""Project folders: written, read, edited by hand, and refused where they make no sense."""

from pathlib import Path

import pytest

from leadline.files.problems import InputError
from leadline.judging.room.project import NAME, Project, read_project, write_project
from leadline.judging.room.room import Assessor
from leadline.judging.room.scale import BINARY
from leadline.verbs.judge import demo_project, new_project, open_project

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
        ("order = 'Diference(p=0.8)'", "did you mean Difference"),
        ("stop = 'Never'", "no stop is named Never"),
        ("measure = 'AP'", "has no weights by rank"),
        ("assessors_per_document = 0", "from 1 to 100"),
        ("assessors_per_document = true", "must be a whole number"),
        ("merge = 'loudest'", "merge must be one of"),
        ("machines = 'mixed'", "machines must be one of"),
        ("documents = 'https://host/page'", r"needs \{doc\}"),
        ("[[grades]]\ngrade = 0\nname = 'No'", "two grades at least"),
        ("[[grades]]\ngrade = 0\nkey = 'u'\n[[grades]]\ngrade = 1", "is taken"),
        ("[[grades]]\ngrade = 0\n[[grades]]\ngrade = 0", "have the grade 0"),
        ("grades = 3", "must be written as"),
        ("title = ", "Invalid value"),
    ],
)
def test_what_makes_no_sense_is_named_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / NAME).write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_project(tmp_path)
    assert str(tmp_path / NAME) in str(caught.value)


def test_a_folder_without_a_project_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leadline judge --new"):
        read_project(tmp_path)


def test_a_new_project_finds_what_lies_there(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text("")
    (tmp_path / "guidelines").mkdir()
    new_project(tmp_path, title="T")
    made = read_project(tmp_path)
    assert (made.documents, made.guidelines, made.title) == ("docs.jsonl", "guidelines", "T")


def small(folder: Path, **settings: object) -> Path:
    (folder / "runs").mkdir(parents=True)
    for run, docs in {"a": "d1 d2 d3", "b": "d3 d2 d4"}.items():
        lines = [f"1 Q0 {doc} {rank} {9 - rank} {run}" for rank, doc in enumerate(docs.split())]
        (folder / "runs" / f"{run}.txt").write_text("\n".join(lines) + "\n")
    new_project(folder, **settings)
    return folder


def asked_for(folder: Path) -> list[str]:
    judging = open_project(folder)
    found = []
    while (pair := judging.room.next(ANN)) is not None:
        found.append(judging.room.state.name(pair)[1])
        judging.room.judge(ANN, pair, 0)
    judging.close()
    return found


def test_what_was_judged_before_is_not_asked_for(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", start_from="known.txt", order="MethodA(p=0.8)", stop="")
    (folder / "known.txt").write_text("1 0 d1 1\n1 0 d3 0\n1 0 other 1\n")
    assert sorted(asked_for(folder)) == ["d2", "d4"]


def test_a_shuffled_batch_holds_what_the_order_asked_for(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", batch=4, shuffle=True, order="MethodA(p=0.8)", stop="")
    assert sorted(asked_for(folder)) == ["d1", "d2", "d3", "d4"]


def test_a_ledger_of_other_runs_is_refused(tmp_path: Path) -> None:
    folder = small(tmp_path / "p")
    asked_for(folder)
    for run in (folder / "runs").iterdir():
        run.write_text(run.read_text().replace(" d", " other"))
    with pytest.raises(ValueError, match="judges no document of these runs"):
        open_project(folder)


def test_the_demo_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = demo_project(tmp_path / "demo")
    (folder / "guidelines.md").write_text("mine")
    assert demo_project(folder) == folder
    assert (folder / "guidelines.md").read_text() == "mine"
