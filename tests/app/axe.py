"""What axe-core finds on a page, which text is too faint, and what stands out beyond the edge."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.app.pictures import picture

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
CONTRAST = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
LEGIBLE = 4.5
CUT_OFF = Path(__file__).with_name("cut_off.js").read_text(encoding="utf-8")
"""Lists that reach beyond the edge, where nobody would look, and dialogs that open at their end."""


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
