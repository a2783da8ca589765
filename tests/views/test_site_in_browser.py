"""The site of the documentation, built, served and searched in a browser, without a network."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, built in a folder of its own."""
    program = Path(sys.executable).with_name("zensical")
    if not program.exists():
        pytest.skip("needs zensical: pip install --group docs")
    folder = tmp_path_factory.mktemp("site")
    # Copies: a link would lead the builder back here, and it would write here.
    shutil.copytree(DOCS, folder / "docs")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    for name in ("scripts", "src"):
        (folder / name).symlink_to(ROOT / name)
    done = subprocess.run(
        [program, "build", "--strict", "--config-file", "mkdocs.yml"],
        cwd=folder, env={"PYTHONPATH": ".", "PATH": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "docs-out"


@pytest.mark.slow
def test_the_site_is_built_and_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) >= len(list(DOCS.rglob("*.md")))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert loaded == []


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site served here, and nowhere else."""
    handler = partial(_Silent, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}


@pytest.mark.slow
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(
    ("word", "leads_to"),
    [
        ("nDCG", "methods/ndcg.html"),
        ("gate", "how-to/gate.html"),
        ("residual", "methods/intervals.html"),
    ],
)
def test_what_is_searched_is_found_and_leads_to_its_page(
    word: str, leads_to: str, screen: str, address: str, chromium: Any
) -> None:
    context = chromium.new_context(**SCREENS[screen])
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url))
    page.goto(address + "index.html")
    opener = "label[for=__search]" if screen == "phone" else ".md-search__button"
    page.locator(opener).first.click()
    page.get_by_placeholder("Search").press_sequentially(word)
    links = page.get_by_role("option")
    links.first.wait_for()
    found = links.evaluate_all("each => each.map(link => link.href.split(/[?#]/)[0])")
    assert address + leads_to in found
    links.nth(found.index(address + leads_to)).click()
    page.wait_for_url(re.compile(re.escape(address + leads_to)))
    assert word.lower() in page.locator("article").inner_text().lower()
    # Nothing sticks out to the side.
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    context.close()
