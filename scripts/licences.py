"""The licence of every package that Leadline installs, as docs/licences.md.

    python scripts/licences.py > docs/licences.md

Run where leadline is installed with all its extras: packages are followed from its own
requirements, so that what only tests or this machine need is not listed.
"""

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

TOP = "leadline"


def needed(name: str, extras: set[str]) -> list[tuple[str, set[str], str]]:
    """What a package asks for: name, extras of that, and the extra of ours that asks, or none."""
    found = []
    for requirement in distribution(name).requires or []:
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[([^]]*)\])?", requirement)
        assert match is not None, requirement
        marker = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", requirement)
        if marker is not None and marker[1] not in extras:
            continue
        wanted = set(filter(None, (match[2] or "").split(",")))
        found.append((match[1].lower().replace("_", "-"), wanted, marker[1] if marker else ""))
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
    extras = {"charts", "llm", "stemming", "web"}
    of: dict[str, str] = {}
    left: list[tuple[str, set[str], str]] = needed(TOP, extras)
    while left:
        name, wanted, by = left.pop(0)
        if name in of and not wanted:
            continue
        try:
            more = needed(name, wanted)
        except PackageNotFoundError:
            continue  # For another platform or another Python.
        of.setdefault(name, by)
        left += [(each, some, of[name]) for each, some, _ in more]
    print("# Licences of what Leadline installs\n")
    print("Made by `scripts/licences.py` from what the packages declare. Leadline itself: MIT.\n")
    print("| package | version | licence | for |\n|---|---|---|---|")
    for name in sorted(of):
        package = distribution(name)
        row = (name, package.version, licence(package), of[name] or "all")
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
