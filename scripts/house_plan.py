"""Writes into docs/design.md which files stand in which room; order and words there are kept."""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leadline"
PLAN = ROOT / "docs" / "design.md"


def main() -> None:
    """Lists the files of every room that the plan names."""
    before, tree = PLAN.read_text(encoding="utf-8").split("src/leadline/\n", 1)
    tree, after = tree.split("  ir_measures.py", 1)
    lines = []
    for room in re.findall(r"^  [a-z_]+/ .*$", tree, re.MULTILINE):
        folder = SOURCE / room.split("/")[0].strip()
        names = sorted(path.name for path in folder.rglob("*.py") if path.stem != "__init__")
        indent = " " * 16
        lines += [
            room,
            *textwrap.wrap(" ".join(names), 112, initial_indent=indent, subsequent_indent=indent),
        ]
    tree = "\n".join(lines) + "\n"
    PLAN.write_text(f"{before}src/leadline/\n{tree}  ir_measures.py{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
