"""Pictures of pages, to be looked at by a person: kept where LEADLINE_PICTURES names a folder."""

import os
import re
from pathlib import Path
from typing import Any

FOLDER = os.environ.get("LEADLINE_PICTURES", "")
VIEWS = ((1280, 800), (390, 844))


def picture(page: Any, what: str) -> None:
    """Keep how the page looks, if pictures are wanted."""
    if not FOLDER:
        return
    dark = page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    width = page.viewport_size["width"]
    name = re.sub(r"[^a-z0-9]+", "-", f"{what} {width} {'dark' if dark else 'light'}".lower())
    whole = page.locator("dialog[open]").count() == 0
    page.screenshot(path=str(Path(FOLDER) / f"{name}.png"), full_page=whole)


def everywhere(page: Any, what: str) -> None:
    """The same in both themes, on a desk and on a phone."""
    if not FOLDER:
        return
    before = page.viewport_size
    for width, height in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(100)
            picture(page, what)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)
