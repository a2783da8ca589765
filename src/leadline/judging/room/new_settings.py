"""What is said for a new project, checked by itself: paths found from where the user stands."""

import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from leadline.collection.inputs import QRELS_NAMES, runs_from
from leadline.formats.document_files import NAMES
from leadline.formats.topic_files import FILES, read_topics
from leadline.judging.merge import Rule
from leadline.judging.room.project import check_address, check_assessors
from leadline.judging.room.scale import SCALES
from leadline.judging.stops import stops
from leadline.naming.choice import check_choice
from leadline.orders.order import orders

PATHS = ("runs", "topics", "documents", "guidelines", "pool", "start_from")


def located(typed: str, folder: Path) -> str:
    """A path as judge.toml has it; a ValueError if nothing lies there.

    It is looked for from the working folder, then from the project's. What lies in the project's
    folder is kept relative to it, so that the folder can be moved, anything else as a whole path.
    """
    if not typed or "://" in typed:
        return typed
    home = folder.resolve()
    for place in dict.fromkeys([Path.cwd(), home]):
        path = Path(os.path.normpath(place / typed))
        if path.exists() or glob.glob(str(path)):  # noqa: PTH207
            return path.relative_to(home).as_posix() if path.is_relative_to(home) else str(path)
    also = "" if home == Path.cwd() else f", nor in {folder}"
    raise ValueError(f"{typed}: there is no such file or folder here{also}")


def checked(name: str, value: Any, folder: Path) -> Any:
    """A setting as judge.toml has it; a ValueError that says what is wrong with it."""
    if name in PATHS:
        value = located(str(value), folder)
    check = CHECKS.get(name)
    if name == "runs" and not value:
        raise ValueError("without runs there is nothing to judge: name a folder, a file or a glob")
    if check is not None and value != "":
        check(value if name not in PATHS or "://" in value else str(folder / value))
    return value


def _has_guidelines(path: str) -> None:
    if Path(path).is_dir() and not any(Path(path).glob("*.md")):
        raise ValueError(f"{path}: holds no guidelines, which end in .md")


def _is_scale(name: str) -> None:
    if name not in SCALES:
        raise ValueError(f"a scale is {' or '.join(SCALES)}, not {name}")


CHECKS: dict[str, Callable[[Any], object]] = {
    "runs": runs_from,
    "topics": read_topics,
    "documents": check_address,
    "guidelines": _has_guidelines,
    "order": orders.parse,
    "stop": stops.parse,
    "assessors_per_document": check_assessors,
    "scale": _is_scale,
    "merge": lambda rule: check_choice("merge", rule, Rule),
}


def lying_there(folder: Path) -> dict[str, str]:
    """Topics, documents, guidelines and qrels that a folder holds under their usual names."""
    packed = ("", ".gz", ".zst")
    usual = {
        "topics": [name + end for name in FILES for end in packed],
        "documents": [*(name + end for name in NAMES for end in packed), "documents"],
        "guidelines": ["guidelines.md", "guidelines"],
        # A folder named qrels is not itself the qrels.
        "start_from": [
            name + end for name in QRELS_NAMES for end in packed if not (folder / name).is_dir()
        ],
    }
    found = {
        setting: next((name for name in names if (folder / name).exists()), None)
        for setting, names in usual.items()
    }
    return {setting: name for setting, name in found.items() if name is not None}
