"""Documents from a file, a folder or an address, and guidelines by topic."""

import json
from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.data.documents import Document
from leadline.io.problems import InputError
from leadline.judging import library as module
from leadline.judging.library import from_html, read_library
from leadline.judging.project import Project
from tests.app.projects import small


def test_documents_from_a_folder_are_text_whatever_they_are(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", documents="docs")
    (folder / "docs").mkdir()
    (folder / "docs" / "d1.html").write_text("<title>T</title><p>Hello<script>no()</script>")
    (folder / "docs" / "d2.txt").write_text("<b>plain</b>")
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "docs" / "d3.txt").symlink_to(tmp_path / "secret.txt")
    judging = open_project(folder)
    library = judging.library
    one, two = library.document("d1"), library.document("d2")
    assert one is not None
    assert two is not None
    assert (one.title, one.text) == ("T", "Hello")
    assert two.text == "<b>plain</b>"
    assert library.document("d3") is None, "a link out of the folder"
    assert library.document("../secret.txt") is None
    judging.close()


def test_an_address_is_filled_in_with_the_document_and_nothing_else(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", documents="https://host.example/{doc}?x=1")
    judging = open_project(folder)
    assert judging.library.link("a/b?c#d") == "https://host.example/a%2Fb%3Fc%23d?x=1"
    judging.close()
    (folder / "judge.toml").write_text('documents = "javascript://x/{doc}"')
    with pytest.raises(InputError, match="http:// or https://"):
        open_project(folder)


def test_html_becomes_words() -> None:
    page = "<h1>A</h1><ul><li>b &amp; c<li>d</ul><style>p{}</style><svg><text>no</text></svg>"
    assert from_html(page).text == "A\n\nb & c\nd"


def test_broken_html_is_still_words() -> None:
    assert from_html("<p>a<b>b</p><title>T<p>c").text == "ab"
    assert from_html("<script>x()").text == ""
    assert from_html("1 &lt; 2 </p></div> <!-- no --> end").text == "1 < 2 end"


def test_a_file_of_documents_is_read_as_far_as_wanted(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "text": "A"}\n{"id": "b", "text": "B"}\n')
    found = read_library(tmp_path, Project(documents="docs.jsonl"), {"a"})
    assert found.document("a") == Document("", "A")
    assert found.document("b") is None
    assert found.link("a") == ""


def test_guidelines_are_for_all_topics_or_for_one(tmp_path: Path) -> None:
    (tmp_path / "g.md").write_text("all")
    assert read_library(tmp_path, Project(guidelines="g.md"), ()).guidelines == {"": "all"}
    (tmp_path / "g").mkdir()
    (tmp_path / "g" / "7.md").write_text("seven")
    project = Project(guidelines="g")
    assert read_library(tmp_path, project, ()).guidelines == {"": "", "7": "seven"}
    (tmp_path / "g" / "general.md").write_text("general")
    assert read_library(tmp_path, project, ()).guidelines == {"": "general", "7": "seven"}


def test_what_is_named_must_be_there_but_the_usual_topics_need_not(tmp_path: Path) -> None:
    assert read_library(tmp_path, Project(), ()).texts.topics == {}
    for project in (Project(topics="t"), Project(documents="d"), Project(guidelines="g")):
        with pytest.raises(InputError, match="does not exist"):
            read_library(tmp_path, project, ())


def test_a_name_is_found_with_and_without_its_ending(tmp_path: Path) -> None:
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    for name in ("a.txt", "sub/b.html", "c.pdf"):
        (tmp_path / "docs" / name).write_text(name)
    wanted = {"a", "a.txt", "sub/b", "c", "c.pdf"}
    found = read_library(tmp_path, Project(documents="docs"), wanted)
    assert set(found.files) == {"a", "a.txt", "sub/b", "c.pdf"}


def test_no_more_is_shown_than_one_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_bytes(b"abc\xff" + b"x" * 10)
    monkeypatch.setattr(module, "LONGEST", 5)
    found = read_library(tmp_path, Project(documents="docs"), {"a"}).document("a")
    assert found == Document("", "abc\xffx")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("é".encode(), "é"),
        ("é".encode("utf-8-sig"), "é"),
        ("é".encode("utf-16"), "é"),
        (b"<meta charset=utf-16><p>caf\xc3\xa9", "<meta charset=utf-16><p>café"),
        (b'<meta charset="iso-8859-2">\xb1', '<meta charset="iso-8859-2">ą'),
        (b"<meta charset=nonsense>\xe9", "<meta charset=nonsense>é"),
        (b"caf\xe9 \x81", "café \ufffd"),
    ],
)
def test_letters_are_right_whatever_a_document_says_of_its_encoding(data: bytes, text: str) -> None:
    assert module.decoded(data) == text


def test_a_page_inside_a_file_of_documents_is_words_too(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "text": "<!doctype html><title>T</title><p>one<script>no()</script>"},
        {"id": "b", "title": "Mine", "text": " <div>two</div>"},
        {"id": "c", "text": "<5 is less"},
        {"id": "d", "text": "plain <b>words</b>"},
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    found = read_library(tmp_path, Project(documents="docs.jsonl"), set("abcd"))
    assert found.document("a") == Document("T", "one")
    assert found.document("b") == Document("Mine", "two")
    assert found.document("c") == Document("", "<5 is less")
    assert found.document("d") == Document("", "plain <b>words</b>")


@pytest.mark.parametrize(
    "text",
    ["<a " * 20_000, "<![x]>" * 20_000, '<a b="' * 20_000, "<!--" * 30_000, "<div>" * 100_000],
    ids=["unclosed", "declarations", "quotes", "comments", "deep"],
)
def test_a_page_that_is_all_wrong_takes_no_longer_than_its_length(text: str) -> None:
    """Ten times the text takes about ten times as long, not a hundred times."""
    import time

    def seconds(part: str) -> float:
        begin = time.perf_counter()
        from_html(part)
        return time.perf_counter() - begin

    seconds(text)
    # Anything but linear takes minutes here; the bound is wide because machines are shared.
    assert seconds(text) < 10


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("plain words", "", "plain words"),
        ("", "", ""),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "", "1 2\n3"),
        ("<svg><title>no</title></svg><p>yes", "", "yes"),
        ("<p>caf\xe9 &amp; \ud800", "", "caf\xe9 & ?"),
    ],
)
def test_odd_pages_are_read_as_meant(text: str, title: str, body: str) -> None:
    document = from_html(text)
    assert (document.title, document.text) == (title, body)
