"""One self-contained page with a script of its own: no network, sortable, light and dark."""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import leadline
from leadline.presentation.pages.embedded import packed
from leadline.presentation.pages.parts import options
from leadline.presentation.sureness_look import sureness_css

SCRIPTS = (
    "data",
    "state",
    "table",
    "svg",
    "ranges",
    "heat",
    "left_out",
    "topics",
    "matrix",
    "orderings",
    "main",
)


def static(name: str) -> str:
    """The text of a file of the page's own."""
    return (files("leadline.presentation.pages") / "static" / name).read_text(encoding="utf-8")


def live_page(
    title: str,
    lead: str,
    summary: str,
    measures: Sequence[str],
    sections: Sequence[tuple[str, str, str]],
    data: Any,
) -> str:
    """The page as text; `sections` are (id, words of its link, HTML), empty ones left out.

    `summary` is HTML too.
    """
    style = static("style.css") + sureness_css()
    script = '"use strict";\n(() => {\n' + "\n".join(static(f"{n}.js") for n in SCRIPTS) + "})();"
    shown = [each for each in sections if each[2]]
    return Template(static("page.html")).substitute(
        policy=_policy(style, script),
        version=leadline.__version__,
        title=escape(title),
        lead=escape(lead),
        summary=summary,
        links="".join(f'<a href="#{name}">{escape(words)}</a>' for name, words, _ in shown),
        measures=options(enumerate(measures)),
        sections="\n".join(html for _, _, html in shown),
        style=style,
        script=script,
        data=packed(data),
    )


def _policy(style: str, script: str) -> str:
    """What the browser may do: run this script, apply this style, show pictures made here."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; "
        f"style-src 'sha256-{digest(style)}'; img-src data: blob:; base-uri 'none'; "
        "form-action 'none'"
    )
