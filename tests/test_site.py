"""The site of the documentation: every page in its navigation, every function in its reference."""

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import leadline
import leadline.testing

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation_once() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
    listed = re.findall(r"([\w./-]+\.md)$", navigation, re.MULTILINE)
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_every_function_is_in_the_reference() -> None:
    shown = re.findall(r"^::: (\S+)", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    functions = {f"leadline.{name}" for name in leadline.__all__ if not name.startswith("_")}
    contracts = {f"leadline.testing.{n}" for n in leadline.testing.__all__ if n[:6] == "check_"}
    assert functions | contracts <= set(shown)


def test_docstrings_and_formulas_are_turned_as_their_examples_say() -> None:
    pytest.importorskip("griffe", reason="needs the group docs: pip install --group docs")
    pytest.importorskip("latex2mathml", reason="needs the group docs: pip install --group docs")
    from scripts.site import docstrings, mathml

    assert doctest.testmod(docstrings).failed == 0
    assert doctest.testmod(docstrings).attempted > 0
    assert mathml.fence("p^2\n\nq").count("<math") == 2


@pytest.mark.slow
def test_the_site_is_built_and_searched_without_a_network(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("zensical")
    if not program.exists():
        pytest.skip("needs zensical: pip install --group docs")
    # Copies: a link would lead the builder back here, and it would write here.
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    for name in ("scripts", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [program, "build", "--strict", "--config-file", "mkdocs.yml"],
        cwd=tmp_path, env={"PYTHONPATH": ".", "PATH": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "docs-out"
    pages = list(site.rglob("*.html"))
    assert len(pages) >= len(list(DOCS.rglob("*.md")))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert loaded == []
    shutil.rmtree(site)
