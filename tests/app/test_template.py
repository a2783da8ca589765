"""Which fields of a document are shown, and how."""

import json
from pathlib import Path

import pytest

from leadline.app.opening import open_project
from leadline.io.problems import InputError
from leadline.judging.library import read_library
from leadline.judging.project import Project, parse_template, read_records
from tests.app.projects import small

PRODUCT = """
title: {name}
Price: {price} {currency}
Colours: {colours}
image: {picture}
link: {urls.shop}
text: {description}
"""


def test_a_product_is_shown_by_its_fields() -> None:
    shown = parse_template(PRODUCT).fill(
        {
            "name": "Anchor",
            "price": 79.5,
            "currency": "EUR",
            "colours": ["red", "black"],
            "picture": "a/anchor.png",
            "urls": {"shop": "https://shop.example/1"},
            "description": "It holds.",
        }
    )
    assert (shown.title, shown.text) == ("Anchor", "It holds.")
    assert shown.fields == (("Price", "79.5 EUR"), ("Colours", "red, black"))
    assert (shown.image, shown.link) == ("a/anchor.png", "https://shop.example/1")


def test_what_is_not_there_leaves_its_line_out_and_what_leads_elsewhere_is_said() -> None:
    shown = parse_template(PRODUCT).fill(
        {"picture": "http://evil.example/x.png", "urls": {"shop": "javascript:alert(1)"}}
    )
    assert (shown.title, shown.text, shown.image, shown.link) == ("", "", "", "")
    assert shown.fields == (
        ("image", "http://evil.example/x.png"),
        ("link", "javascript:alert(1)"),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title", "a label, a colon"),
        ("title: name", "a label, a colon"),
        (": {name}", "a label, a colon"),
        ("title: {a}\ntitle: {b}", "title twice"),
    ],
)
def test_a_line_that_is_none_is_refused_when_the_project_is_read(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Project(documents="docs.jsonl", template=text)


def test_a_template_without_a_file_of_fields_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON lines"):
        Project(template="title: {name}")
    (tmp_path / "docs.txt").write_text("<DOC><DOCNO>a</DOCNO>x</DOC>")
    project = Project(documents="docs.txt", template="title: {name}")
    with pytest.raises(InputError, match="JSON lines"):
        read_library(tmp_path, project, {"a"})


def test_a_line_without_an_id_is_named(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id": 7, "name": "x"}\n{"name": "y"}\n')
    with pytest.raises(InputError, match=r"docs.jsonl:2: has no id"):
        list(read_records(tmp_path / "docs.jsonl", {"7"}))


def test_a_project_says_what_is_empty_and_which_field_no_document_has(tmp_path: Path) -> None:
    folder = small(
        tmp_path / "shop",
        documents="docs.jsonl",
        template="title: {name}\ntext: {text}\nPrice: {prise}",
    )
    rows = [
        {"id": f"d{n}", "name": f"N{n}" if n > 1 else "", "text": "words"[: n - 1]}
        for n in (1, 2, 3)
    ]
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judging = open_project(folder)
    said = "\n".join(judging.notices.lines())
    assert "1 of 4 documents are missing" in said
    assert "1 of 4 documents are empty" in said
    assert "no document has the field prise" in said
    found = judging.library.document("d2")
    assert found is not None
    assert (found.title, found.text) == ("N2", "w")
    judging.close()


def test_the_template_comes_back_from_the_file(tmp_path: Path) -> None:
    folder = small(tmp_path / "p", documents="d.jsonl", template=PRODUCT.strip())
    (folder / "d.jsonl").write_text('{"id": "d1"}')
    judging = open_project(folder)
    assert judging.project.template == PRODUCT.strip()
    judging.close()
