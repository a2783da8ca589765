"""A real browser for pages: Debian's Chromium, driven by Playwright, cut off from any network."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import leadline
from leadline.api.pool import pool
from leadline.api.report import report
from leadline.io.datasets import COLLECTION
from tests.views.small import write_page

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), ""
)


@dataclass
class Opened:
    """A page in the browser, what its console said, and what it asked the world for."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def quiet(self) -> None:
        """Nothing was said on the console and nothing was fetched but the page itself."""
        assert self.console == []
        assert len(self.requests) == 1
        assert self.requests[0].startswith("file://")

    def until(self, condition: str) -> None:
        """Waits for it to hold; the page's policy forbids Playwright's own way, which is eval."""
        for _ in range(100):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"never came true: {condition}")

    def text(self, selector: str) -> list[str]:
        return [each.strip() for each in self.page.locator(selector).all_inner_texts()]


class Browser:
    """Opens files, each on a page of its own; pages of one look share what a new one costs."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium
        self.contexts: dict[str, Any] = {}

    def open(self, file: Path, width: int = 1000, height: int = 800, **options: Any) -> Opened:
        key = repr(sorted(options.items()))
        if key not in self.contexts:
            self.contexts[key] = self.chromium.new_context(**options)
        page = self.contexts[key].new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.set_default_timeout(20_000)
        opened = Opened(page)
        page.on("console", lambda message: opened.console.append(message.text))
        page.on("pageerror", lambda error: opened.console.append(str(error)))
        # Pictures that the page makes of itself come from no network.
        page.on(
            "request",
            lambda each: (
                None
                if each.url.startswith(("data:", "blob:"))
                else opened.requests.append(each.url)
            ),
        )
        page.goto(file.resolve().as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        assert page.evaluate("document.documentElement.dataset.ready") == "yes"
        return opened

    def close(self) -> None:
        """All but the last page of each look, whose process the next page shares."""
        for context in self.chromium.contexts:
            for page in context.pages[:-1]:
                page.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    if not CHROMIUM:
        pytest.skip("no chromium: install the Debian package chromium (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # No sandbox: tests may run as root, and open only pages that they made.
        options = [
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-quic",
        ]
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield made
        made.close()


@pytest.fixture(scope="module")
def looks(chromium: Any) -> Browser:
    return Browser(chromium)


@pytest.fixture
def browser(looks: Browser) -> Iterator[Browser]:
    yield looks
    looks.close()


MEASURES = ["RBP(p=0.8)", "nDCG@10", "P@10", "bpref"]


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    shallow = pool(COLLECTION, None, "Depth(d=3)", all_runs=True)
    scores = leadline.evaluate(COLLECTION, measures=["RBP(p=0.8)"], pool=shallow)
    for name, end in (("low", "lower"), ("high", "upper")):
        scores.with_columns(value=pl.col(end)).write_csv(folder / f"{name}.csv")
    estimates = [folder / "low.csv", folder / "high.csv"]
    made = report(COLLECTION, None, MEASURES, pool=shallow, estimates=estimates)
    return write_page(made.page, folder)
