"""A real browser that meets the pages as people do, and complains of whatever it does not like."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.app.server import Server

CHROMIUM = Path("/usr/bin/chromium")
needs_chromium = pytest.mark.skipif(
    not CHROMIUM.exists(), reason="needs Debian's chromium: apt-get install chromium"
)
SLOWLY = 40_000
"""Milliseconds: a busy machine takes its time, and nothing here is about speed."""


@dataclass
class Browser:
    chromium: Any
    complaints: list[str] = field(default_factory=list)

    def open(self, server: Server, name: str = "", **options: Any) -> Any:
        """A page of somebody who has never been here, under a name of their own."""
        options = {"viewport": {"width": 1280, "height": 800}, **options}
        context = self.chromium.new_context(**options)
        context.set_default_timeout(SLOWLY)
        page = context.new_page()
        page.on("console", lambda m: m.type == "error" and self.complaints.append(m.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda r: self._look(server, r.url))
        page.goto(server.link())
        document(page)
        if name:
            page.locator(".who summary").click()
            page.locator("#as").fill(name)
            page.locator("#as").press("Enter")
            page.locator(".who summary", has_text=name).wait_for()
            document(page)
        return page

    def _look(self, server: Server, url: str) -> None:
        if not url.startswith(server.address):
            self.complaints.append(f"asked for {url}")


def until(what: Callable[[], bool]) -> None:
    end = time.monotonic() + SLOWLY / 1000
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def document(page: Any) -> str:
    page.locator("#doc-name:not(:empty)").wait_for()
    return str(page.locator("#doc-name").text_content())


def pair(page: Any) -> str:
    """Topic and document: one document may be judged for several topics."""
    doc = document(page)
    return f"{page.locator('#topic-number').text_content()} {doc}"


def press(page: Any, key: str) -> str:
    """Press a key that answers; what was judged."""
    before = pair(page)
    page.wait_for_timeout(200)
    page.keyboard.press(key)
    until(lambda: pair(page) != before)
    return before
