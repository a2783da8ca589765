"""The plan of the house holds: imports go upwards, everything that has a name is documented."""

import ast
import re
from pathlib import Path

import pytest
import typer

import leadline
from leadline.cli.typer_app import typer_app
from leadline.verbs.listing import KINDS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "leadline"

PLAN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def plan_of_the_house(text: str) -> dict[str, set[str]]:
    """Rooms in the order of the tree in docs/design.md, with the files that it names in each."""
    tree = text.split("src/leadline/\n", 1)[1].split("```", 1)[0]
    rooms: dict[str, set[str]] = {}
    room = ""
    for line in tree.splitlines():
        head = re.match(r"  ([a-z_]+)/ ", line)
        if head:
            room = head[1]
            rooms[room] = set()
        if room and (head or line.startswith("   ")):
            rooms[room] |= set(re.findall(r"\b([a-z_0-9]+)\.py\b", line))
    return rooms


ROOM_FILES = plan_of_the_house(PLAN)
# A room may import from itself and from those before it.
ROOMS = list(ROOM_FILES)
PYTHON_FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PYTHON_FILES}


def imported_rooms(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        parts = [name.split(".") for name in names]
        found |= {part[1] for part in parts if part[0] == "leadline" and len(part) > 1}
    return found & set(ROOMS)


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_from_rooms_above_it(path: Path) -> None:
    room = path.relative_to(SOURCE).parts[0]
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    assert imported_rooms(path) <= allowed


def test_the_plan_names_the_rooms_that_are_there() -> None:
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    assert set(ROOMS) == there


@pytest.mark.parametrize("room", ROOMS)
def test_the_plan_names_the_files_that_are_there(room: str) -> None:
    there = {path.stem for path in (SOURCE / room).rglob("*.py") if path.stem != "__init__"}
    assert ROOM_FILES[room] == there


def test_a_stale_plan_would_be_seen() -> None:
    plan = "src/leadline/\n  naming/       spec.py registry.py   text\n                more.py\n```"
    assert plan_of_the_house(plan) == {"naming": {"spec", "registry", "more"}}


def test_no_module_has_two_homes() -> None:
    seen: dict[str, Path] = {}
    for path in PYTHON_FILES:
        skins = path.relative_to(SOURCE).parts[0] in {"cli", "verbs", "web"}
        if path.stem != "__init__" and not skins:
            assert path.stem not in seen, f"{path} and {seen[path.stem]}"
            seen[path.stem] = path


def test_an_upward_import_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("from leadline.cli.app import app\nimport leadline.tables.pairs\n")
    assert imported_rooms(file) == {"cli", "tables"}


def test_every_room_says_what_lives_there() -> None:
    rooms = {path.parent for path in PYTHON_FILES}
    for room in rooms:
        assert ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))


def test_no_file_is_a_heap() -> None:
    for path in PYTHON_FILES:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path
        assert path.stem not in {"utils", "helpers", "common", "base", "manager", "misc"}, path


def test_no_test_file_is_a_heap() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 600, path


def classes_and_homes() -> dict[str, list[str]]:
    homes: dict[str, list[str]] = {}
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    return homes


def test_no_class_has_two_homes() -> None:
    assert not {name: homes for name, homes in classes_and_homes().items() if len(homes) > 1}


def test_a_docstring_says_what_comes_back() -> None:
    """Whoever reads it has not read the docstring above."""
    found = {
        str(path.relative_to(SOURCE))
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and (ast.get_docstring(node) or "").startswith("The same with")
    }
    assert not found


def code_lines(text: str, tree: ast.Module) -> list[str]:
    """Lines without blanks, comments, imports, docstrings, and arguments handed on by their names.

    Verbs share parameters, so that `topics=topics,` follows `pool=pool,` wherever they are read, as
    do the commands' options.
    """
    left_out: set[int] = set()
    for node in ast.walk(tree):
        quoted = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if quoted or isinstance(node, ast.Import | ast.ImportFrom):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    kept = [line for number, line in lines if line and line[0] != "#" and number not in left_out]
    shared = re.compile(r"(\w+)=\1,|\w+: \w+(Option|Argument)( = .*)?,")
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
    frozenset(["comparison/hypothesis_test.py", "comparison/tukey.py"]),
}


def test_no_eight_lines_stand_twice() -> None:
    texts = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in TREES}
    new = {homes: code for homes, code in repeats(texts).items() if homes not in REPEATED}
    assert not new, "\n\n".join(f"{sorted(homes)}:\n{code}" for homes, code in new.items())


def test_a_repeat_would_be_seen() -> None:
    lines = "\n".join(f"x{number} = {number}" for number in range(8))
    texts = {"a": f"import os\n{lines}\n", "b": f"# Other words.\n{lines}\ny = 1", "c": "z = 0"}
    assert set(repeats(texts)) == {frozenset("ab")}
    assert not repeats({"a": lines, "c": lines.removesuffix("= 7")[:-3]})


STILL_ASKED = """adjusters/adjusted.py:Topics adjusters/anti_precision.py:P
experiments/lu17_setup.py:RM judging/replay.py:Random judging/replay.py:Pooling
judging/replay.py:Difference"""


def test_nobody_asks_what_a_registered_thing_is() -> None:
    """What a method can do is in its protocol, or a plug-in could not do it."""
    homes = {cls.__name__: cls.__module__ for r in KINDS.values() for cls in r.classes().values()}
    found = set()
    for path, tree in TREES.items():
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
    command = typer.main.get_command(typer_app())
    for verb in command.commands:  # type: ignore[attr-defined]
        assert (ROOT / "docs" / "how-to" / f"{verb}.md").is_file(), verb


def test_every_option_is_in_its_how_to() -> None:
    command = typer.main.get_command(typer_app())
    for verb, each in command.commands.items():  # type: ignore[attr-defined]
        how_to = ROOT / "docs" / "how-to"
        page = "".join(
            (how_to / name).read_text(encoding="utf-8") for name in (f"{verb}.md", "output.md")
        )
        for option in each.params:
            if option.param_type_name == "option" and option.name != "help":
                assert any(f"`{name}" in page for name in option.opts), (verb, option.opts)


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
