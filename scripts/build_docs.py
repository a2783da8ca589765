"""Render docs/ to plain, self-contained HTML pages in docs-out/."""

import re
import shutil
from pathlib import Path

import markdown

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "docs"
TARGET = ROOT / "docs-out"

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem; }
nav { font-size: .9rem; border-bottom: 1px solid #8884; padding-bottom: .6rem; }
pre { overflow-x: auto; padding: .8rem; background: #8881; border-radius: 6px; line-height: 1.35; }
code { font-size: .92em; } table { border-collapse: collapse; display: block; overflow-x: auto; }
img { max-width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .7rem .3rem 0; text-align: left; }
"""


def title_of(text: str) -> str:
    """The first heading, without its marks."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]) if found else "Leadline"


def page(path: Path) -> str:
    """One page, with a way back to the index."""
    text = path.read_text(encoding="utf-8")
    body = markdown.markdown(text, extensions=["tables", "fenced_code", "toc", "sane_lists"])
    # Links between pages keep their anchors; README and the like stay as they are.
    body = re.sub(r'href="(?!https?:)([^"#]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    up = "../" * len(path.relative_to(SOURCE).parent.parts)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{title_of(text)}</title><style>{STYLE}</style>"
        f"<nav><a href='{up}index.html'>Leadline</a></nav>{body}</html>\n"
    )


def main() -> None:
    """Write every page anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    for path in sorted(SOURCE.rglob("*.md")):
        target = TARGET / path.relative_to(SOURCE).with_suffix(".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page(path), encoding="utf-8")
    shutil.copytree(SOURCE / "pictures", TARGET / "pictures")
    print(f"wrote {TARGET / 'index.html'}")


if __name__ == "__main__":
    main()
