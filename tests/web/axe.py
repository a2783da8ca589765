"""What axe-core finds on a page, which text is too faint, and what stands out beyond the edge."""

import json
import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
LEGIBLE = 4.5
CUT_OFF = """() => {
  const lists = document.querySelectorAll("#people, #log, #mine, #gold, #topics, #quality, #imports");
  const found = [...lists].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.id);
  for (const dialog of document.querySelectorAll("dialog[open]")) {
    if (dialog.scrollTop > 0) found.push(`${dialog.id} does not begin at its beginning`);
    const inner = dialog.getBoundingClientRect();
    const close = [...dialog.querySelectorAll("button")].at(-1).getBoundingClientRect();
    if (dialog.id === "look" && close.bottom > inner.bottom - 8) found.push("the button of look");
  }
  return found;
}"""
"""Lists that reach beyond the edge, where nobody would look, and dialogs that open at their end."""
PICTURES = os.environ.get("LEADLINE_PICTURES", "")
"""A folder for a picture of every page that is checked, to be looked at by a person."""


def picture(page: Any, what: str) -> None:
    """Keep how the page looks, if pictures are wanted."""
    if not PICTURES:
        return
    dark = page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches")
    width = page.viewport_size["width"]
    name = re.sub(r"[^a-z0-9]+", "-", f"{what} {width} {'dark' if dark else 'light'}".lower())
    whole = page.locator("dialog[open]").count() == 0
    page.screenshot(path=str(Path(PICTURES) / f"{name}.png"), full_page=whole)


def check(page: Any, what: str) -> None:
    """Fail if axe-core finds anything, a text is too faint, or something is out of sight."""
    picture(page, what)
    found = page.evaluate(f"async () => {{ {AXE}; return await axe.run(); }}")
    told = [
        f"{what}: {each['id']}: {node['html'][:160]} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
    assert told == [], json.dumps(told, indent=1)
    assert len(found["passes"]) > 5, what
    assert page.evaluate(CONTRAST, LEGIBLE) == [], what
    wide = page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, what
    assert page.evaluate(CUT_OFF) == [], what
