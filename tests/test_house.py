"""Imports go one way, everything that has a name is documented, nothing stands twice."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import leadline
from leadline.cli.verbs import VERBS
from leadline.listing import KINDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leadline"

# A package imports only from itself and from those before it.
LAYERS = (
    "data",
    "io",
    "simulate",
    "measures",
    "pooling",
    "completions",
    "stats",
    "judging",
    "labels",
    "views",
    "contracts",
    "api",
    "lab",
    "app",
    "cli",
)


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_layers(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        parts = [name.split(".") for name in names]
        found |= {part[1] for part in parts if part[0] == "leadline" and len(part) > 1}
    return found & set(LAYERS)


def test_a_package_imports_only_from_those_before_it() -> None:
    for path, tree in trees().items():
        if layer(path) in LAYERS:
            wrong = imported_layers(tree) - set(LAYERS[: LAYERS.index(layer(path)) + 1])
            assert not wrong, f"{path} imports from {wrong}"


def test_the_benchmark_and_the_judging_app_are_leaves() -> None:
    for path, tree in trees().items():
        if layer(path) == "app":
            assert "lab" not in imported_layers(tree), path
        elif layer(path) in LAYERS and layer(path) not in ("lab", "cli"):
            assert not imported_layers(tree) & {"lab", "app"}, path


def test_every_package_has_its_layer_and_says_what_lives_there() -> None:
    packages = [path.parent for path in trees() if path.name == "__init__.py"]
    assert {layer(path) for path in packages if path != SOURCE} <= set(LAYERS)
    assert set(LAYERS) <= {layer(path) for path in trees()}
    for package in packages:
        assert ast.get_docstring(trees()[package / "__init__.py"]), package


def test_an_upward_import_would_be_seen() -> None:
    code = "from leadline.cli.app import app\nimport leadline.data.pairs\n"
    assert imported_layers(ast.parse(code)) == {"cli", "data"}


def test_no_file_is_a_heap() -> None:
    for path in trees():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 700, path
        assert path.stem not in {"utils", "helpers", "common", "base", "manager", "misc"}, path


def test_no_class_has_two_homes() -> None:
    homes: dict[str, list[str]] = {}
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def code_lines(text: str, tree: ast.Module) -> list[str]:
    """Lines without blanks, comments, imports, docstrings, and arguments handed on by their names.

    Verbs share parameters, so that `cheap=cheap,` follows `pool=pool,` wherever they are read.
    """
    left_out: set[int] = set()
    for node in ast.walk(tree):
        quoted = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if quoted or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    kept = [line for number, line in lines if line and line[0] != "#" and number not in left_out]
    shared = re.compile(r"(\w+)=\1,")
    return [line for line in kept if not shared.fullmatch(line)]


def repeats(texts: dict[str, str], n: int = 8) -> dict[frozenset[str], str]:
    """Where n lines of code in a row stand twice, and the first of them."""
    homes: dict[str, list[str]] = {}
    for name, text in texts.items():
        lines = code_lines(text, ast.parse(text))
        for at in range(len(lines) - n + 1):
            homes.setdefault("\n".join(lines[at : at + n]), []).append(name)
    return {frozenset(names): code for code, names in homes.items() if len(names) > 1}


REPEATED = {
    # What overrides a method has its signature.
    frozenset(["stats/significance.py"]),
}


def test_no_eight_lines_stand_twice() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in trees()}
    new = {homes: code for homes, code in repeats(texts).items() if homes not in REPEATED}
    assert not new, "\n\n".join(f"{sorted(homes)}:\n{code}" for homes, code in new.items())


def test_a_repeat_would_be_seen() -> None:
    lines = "\n".join(f"x{number} = {number}" for number in range(8))
    texts = {"a": f"import os\n{lines}\n", "b": f"# Other words.\n{lines}\ny = 1", "c": "z = 0"}
    assert set(repeats(texts)) == {frozenset("ab")}
    assert not repeats({"a": lines, "c": lines.removesuffix("= 7")[:-3]})


STILL_ASKED = "completions/pooling_bias.py:P"


def test_nobody_asks_what_a_registered_thing_is() -> None:
    """What a method can do is in its protocol, or a plug-in could not do it."""
    homes = {cls.__name__: cls.__module__ for r in KINDS.values() for cls in r.classes().values()}
    found = set()
    for path, tree in trees().items():
        inside = path.relative_to(SOURCE)
        module = ".".join(["leadline", *inside.with_suffix("").parts])
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
                names = {name for name in names if homes.get(name, module) != module}
                found |= {f"{inside}:{name}" for name in names}
    assert found <= set(STILL_ASKED.split())


def documentation() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_registered_name_has_a_formula_a_docstring_and_a_page(kind: str) -> None:
    pages = documentation()
    for name, cls in KINDS[kind].classes().items():
        assert cls.description(), name
        assert cls.formula(), name
        assert re.search(rf"^#+ .*`{name}\b", pages, re.MULTILINE), (
            f"no heading for {name} in docs/"
        )


def test_every_command_has_a_how_to() -> None:
    for verb in VERBS:
        assert (ROOT / "docs" / "how-to" / f"{verb}.md").is_file(), verb


def test_links_in_the_documentation_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page}: {target}"


def test_importing_leadline_loads_nothing_heavy() -> None:
    import subprocess
    import sys

    code = "import sys, leadline; print({'polars', 'scipy', 'numpy', 'rich'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


def test_the_version_is_one() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{leadline.__version__}"' in text
