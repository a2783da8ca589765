"""The site of the documentation: every page in its navigation, every function in its reference."""

import doctest
import re
from pathlib import Path

import pytest

import leadline
import leadline.contracts

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"([\w./-]+\.md)$", navigation, re.MULTILINE)
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def anchor(heading: str) -> str:
    """What the site calls a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


def test_links_to_headings_lead_to_headings() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    anchors = {
        page: {anchor(each) for each in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        for page, text in texts.items()
    }
    lost = [
        f"{page.name}: {target}#{part}"
        for page, text in texts.items()
        for target, part in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text)
        if part not in anchors[(page.parent / target).resolve() if target else page]
    ]
    assert not lost


def test_every_function_is_in_the_reference() -> None:
    shown = re.findall(r"^::: (\S+)", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    functions = {f"leadline.{name}" for name in leadline.__all__ if not name.startswith("_")}
    contracts = {f"leadline.contracts.{n}" for n in leadline.contracts.__all__ if n[:6] == "check_"}
    assert functions | contracts <= set(shown)


def test_docstrings_and_formulas_are_turned_as_their_examples_say() -> None:
    pytest.importorskip("griffe", reason="needs the group docs: pip install --group docs")
    pytest.importorskip("latex2mathml", reason="needs the group docs: pip install --group docs")
    from scripts.site import docstrings, mathml

    assert doctest.testmod(docstrings).failed == 0
    assert doctest.testmod(docstrings).attempted > 0
    assert mathml.fence("p^2\n\nq").count("<math") == 2
