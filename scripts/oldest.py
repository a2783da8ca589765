"""The lower bounds of every dependency, as pip takes them: `numpy==2.0` a line.

    python scripts/oldest.py > oldest.txt && pip install -r oldest.txt

Those of the extras too. What only tests need is taken as new as it comes: no user has it.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lower_bounds(project: dict[str, object]) -> list[str]:
    """Every requirement of the project and of its extras, pinned to its lower bound."""
    extras = project["optional-dependencies"]
    assert isinstance(extras, dict)
    every = [*project["dependencies"], *(each for some in extras.values() for each in some)]  # type: ignore[misc]
    pinned = [re.sub(r">=\s*([0-9][0-9.]*)", r"==\1", requirement) for requirement in every]
    loose = [each for each in pinned if "==" not in each]
    if loose:
        raise SystemExit(f"no lower bound: {', '.join(loose)}")
    return pinned


if __name__ == "__main__":
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(lower_bounds(tomllib.loads(text)["project"])))
