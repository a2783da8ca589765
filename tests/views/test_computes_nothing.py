"""Presentation shows what others computed: it imports their results, never their ways."""

import ast
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path

import pytest

import leadline.views as room
from leadline.registry import Named

COMPUTING = ("measures", "pooling", "completions", "stats", "judging")
FILES = list(Path(room.__path__[0]).rglob("*.py"))


def computing_imports(source: str) -> list[str]:
    """Functions and named methods that a file takes from the rooms that compute."""
    taken = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.module.split(".")[1:2] and node.module.split(".")[1] in COMPUTING:
            for alias in node.names:
                thing = getattr(import_module(node.module), alias.name)
                method = isclass(thing) and issubclass(thing, Named)
                if method or isfunction(thing):
                    taken.append(f"{node.module}.{alias.name}")
    return taken


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_imports_results_only(path: Path) -> None:
    assert computing_imports(path.read_text(encoding="utf-8")) == []


def test_a_computation_would_be_seen() -> None:
    source = (
        "from leadline.measures.rbp import RBP\n"
        "from leadline.stats.pairwise import ranked\n"
        "from leadline.stats.pairwise import Pairwise\n"
    )
    assert computing_imports(source) == [
        "leadline.measures.rbp.RBP",
        "leadline.stats.pairwise.ranked",
    ]
