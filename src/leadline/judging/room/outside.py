"""Files outside a project's folder: read only where a user of this machine has said so.

A folder or a backup may come from somebody else, and its judge.toml may name any file; documents
and guidelines are shown to everybody who judges. What was confirmed is kept in the user's state
folder, not in the project, which could bring its own.
"""

import glob
import os
from pathlib import Path

from leadline.files.problems import InputError
from leadline.formats.ir_datasets_id import is_id
from leadline.judging.room.project import NAME, Project

SETTINGS = ("runs", "topics", "documents", "guidelines", "images", "pool", "start_from", "cheap")
"""Settings that name files."""

WHOLE = ("runs", "guidelines", "cheap")
"""Those of which every file of a folder is read; of documents and images no link leads out."""


def _confirmed_file() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "leadline" / "outside.txt"


def _confirmed() -> set[str]:
    try:
        return set(_confirmed_file().read_text(encoding="utf-8").split("\n"))
    except OSError:
        return set()


def outside_paths(folder: Path, project: Project) -> dict[str, list[Path]]:
    """Return the files and folders outside that settings name and nobody confirmed."""
    home, known = folder.resolve(), _confirmed()
    found = {}
    for name in SETTINGS:
        value = getattr(project, name)
        if not value or "://" in value or is_id(value):
            continue
        paths = _named(folder / value, name in WHOLE)
        paths = [path for path in paths if not path.is_relative_to(home)]
        paths = [path for path in paths if str(path) not in known]
        if paths:
            found[name] = paths
    return found


def _named(path: Path, whole: bool) -> list[Path]:
    """A path, or what a pattern matches; of a `whole` folder also what links in it lead to."""
    matched = [Path(each) for each in sorted(glob.glob(str(path)))] or [path]  # noqa: PTH207
    found = {each.resolve(): None for each in matched}
    for each in matched if whole else ():
        links = [inner for inner in each.iterdir() if inner.is_symlink()] if each.is_dir() else []
        here = each.resolve()
        found |= {p: None for p in (link.resolve() for link in links) if not p.is_relative_to(here)}
    return list(found)


def check_inside(folder: Path, project: Project) -> None:
    """Raise an InputError if a project names what lies outside its folder, unconfirmed."""
    for name, paths in outside_paths(folder, project).items():
        message = (
            f"{name} names {paths[0]}, outside this folder, which would be read and perhaps shown. "
            f"If you trust this project: leadline judge {folder} --outside"
        )
        raise InputError.of(str(folder / NAME), "outside", message)


def confirm(folder: Path, project: Project) -> None:
    """Let projects read what this one names now outside its folder."""
    lines = [str(p) for paths in outside_paths(folder, project).values() for p in paths]
    if lines:
        file = _confirmed_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write("".join(f"{line}\n" for line in lines))
