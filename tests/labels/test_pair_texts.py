"""What a model reads comes from the collection's folder, or from where its project says."""

from pathlib import Path

import polars as pl
import pytest

from leadline.io.problems import InputError, Notices
from leadline.judging.project import BINARY, Project, write_project
from leadline.labels.prompt import CUT, FILE, DocumentReader, PairText, pair_texts
from tests.labels.chat_server import collection

POOL = pl.DataFrame({"topic": ["t1", "t1"], "doc": ["d1", "d9"]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return collection(tmp_path / "c")[0]


def read(folder: Path, cut_at: int = 100, notices: Notices | None = None) -> list[PairText]:
    room = DocumentReader.of(folder, set(POOL["doc"]))
    return pair_texts(POOL, room, room.prompt(None, None), cut_at, notices or Notices())


def test_a_plain_folder(folder: Path) -> None:
    first, second = read(folder)
    assert "about t1" in first.ask
    assert "=====\nwords of [d1]\n=====" in first.ask
    assert second == PairText("t1", "d9", "", False), "no text, nothing to ask"


def test_a_long_document_is_cut_and_that_is_said(folder: Path) -> None:
    notices = Notices()
    first = read(folder, 5, notices)[0]
    assert f"=====\nwords{CUT}\n=====" in first.ask
    assert first.cut
    assert "1 of 2 documents are longer than 5 letters" in notices.lines()[0]


def test_a_project_tells_grades_guidelines_and_files(folder: Path) -> None:
    (folder / "guide.md").write_text("Only facts count.")
    (folder / "docs.jsonl").rename(folder / "mine.jsonl")
    (folder / "topics.tsv").rename(folder / "queries.tsv")
    project = Project(
        grades=BINARY, guidelines="guide.md", documents="mine.jsonl", topics="queries.tsv"
    )
    write_project(folder, project)
    ask = read(folder)[0].ask
    assert "Only facts count." in ask
    assert "one of 0, 1." in ask
    assert "[d1]" in ask


def test_a_project_without_documents_takes_those_of_the_folder(folder: Path) -> None:
    write_project(folder, Project())
    assert "[d1]" in read(folder)[0].ask


def test_pairs_of_the_same_words_are_said(folder: Path) -> None:
    same = [f'{{"id": "{doc}", "text": "the same"}}\n' for doc in POOL["doc"]]
    (folder / "docs.jsonl").write_text("".join(same))
    notices = Notices()
    first, second = read(folder, notices=notices)
    assert first.ask == second.ask
    assert notices.lines() == ["1 pairs have the same words as another, and share its answers"]


def test_a_title_comes_first(folder: Path) -> None:
    (folder / "docs.jsonl").write_text('{"id": "d1", "title": "T", "text": "x"}\n')
    assert "=====\nT\n\nx\n=====" in read(folder)[0].ask


def test_the_template_of_the_folder(folder: Path) -> None:
    (folder / FILE).write_text("{query} / {document}")
    room = DocumentReader.of(folder, {"d1"})
    prompt = room.prompt(None, None)
    assert prompt.version.startswith("label-prompt-")
    assert read(folder)[0].ask == "about t1 / words of [d1]"
    assert room.prompt(None, BINARY).grades == BINARY


def test_documents_at_an_address_are_refused(folder: Path) -> None:
    write_project(folder, Project(documents="https://host/{doc}"))
    with pytest.raises(InputError, match="documents are at an address"):
        read(folder)


@pytest.mark.parametrize(
    ("file", "told"), [("topics.tsv", "no query for topic t1"), ("docs.jsonl", "has no text of")]
)
def test_texts_that_are_missing_altogether(folder: Path, file: str, told: str) -> None:
    (folder / file).unlink()
    with pytest.raises(InputError, match=told):
        read(folder)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no collection folder"):
        DocumentReader.of(tmp_path / "none", set())
