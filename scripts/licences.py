"""The licence of every package that Leadline installs, as docs/licences.md.

    python scripts/licences.py > docs/licences.md

Run where Leadline is installed with all its extras. Packages are followed from pyproject.toml, not
from what was true when Leadline was installed, so that what only tests or this machine need is not
listed.
"""

import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]


def asked(requirements: list[str], extras: set[str]) -> list[tuple[str, set[str]]]:
    """The packages that requirements name, with the extras of those; `extras` are the asker's."""
    found = []
    for requirement in requirements:
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[([^]]*)\])?", requirement)
        assert match is not None, requirement
        marker = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", requirement)
        if marker is not None and marker[1] not in extras:
            continue
        wanted = set(filter(None, (match[2] or "").split(",")))
        found.append((re.sub("[-_.]+", "-", match[1]).lower(), wanted))
    return found


def every_package() -> dict[str, str]:
    """The packages that Leadline needs, each with the first of its extras that needs it, or all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, str] = {}
    for extra, first in {
        "all": project["dependencies"],
        **project["optional-dependencies"],
    }.items():
        left, seen = asked(first, set()), set()
        ours = {name for name, _ in left}
        while left:
            name, wanted = left.pop(0)
            if (name, *sorted(wanted)) in seen:
                continue
            seen.add((name, *sorted(wanted)))
            try:
                left += asked(distribution(name).requires or [], wanted)
            except PackageNotFoundError:
                if name in ours:
                    sys.exit(f"{name} is not installed: pip install '.[{extra}]'")
                continue  # For another platform or another Python.
            found.setdefault(name, extra)
    return found


def licence(package: Distribution) -> str:
    """As the package declares it: the expression, else its classifiers, else its first line."""
    said = package.metadata
    if said.get("License-Expression"):
        return str(said["License-Expression"])
    classes = [
        each.split(" :: ")[-1] for each in said.get_all("Classifier") or [] if "License" in each
    ]
    first = (said.get("License") or "").strip().splitlines()
    return (
        "; ".join(each for each in classes if each != "OSI Approved") or (first or ["not told"])[0]
    )


def main() -> None:
    """Print the table."""
    print("# Licences of what Leadline installs\n")
    print("Made by `scripts/licences.py` from what the packages declare. Leadline itself: MIT.\n")
    print("| package | version | licence | for |\n|---|---|---|---|")
    for name, extra in sorted(every_package().items()):
        package = distribution(name)
        row = (name, package.version, licence(package), extra)
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
