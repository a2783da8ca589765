"""Every command and every piece of Python in the documentation does what the page says."""

import doctest
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.served import Served

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)
QUOTE = re.compile(r"^<!-- quoted from (\S+) -->\n\n((?:\|.*\n)*)", re.MULTILINE)
COLOURS = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")

# Papers replayed at length; tests/lab replays each in short.
LONG = {ROOT / "docs" / "how-to" / "reproduce.md"}

# Typed by people, but not by a test: they set up, or take minutes.
NOT_RUN = ("pip ", "make ", "git ")


@pytest.fixture(scope="session")
def path() -> Iterator[str]:
    """Where programs are looked for."""
    with Served() as served:
        yield served.path


@pytest.fixture(scope="session")
def demo(path: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A command that leaves and says what `leadline demo` does, which several pages begin with."""
    folder = tmp_path_factory.mktemp("demo")
    assert in_terminal("leadline demo > said.txt", folder, path) == []
    return f"cp -r {folder}/leadline-demo . && cat {folder}/said.txt"


def in_terminal(command: str, folder: Path, path: str) -> list[str]:
    """What a person sees who types it in a terminal of 80 columns."""
    more = {"PATH": path, "TERM": "dumb", "COLUMNS": "80", "LINES": "50", "NO_COLOR": "1"}
    script = folder / ".command"
    script.write_text(f"set +e\n{command}\n")
    typed = ["script", "-qefc", f"bash --noprofile --norc {script.name}", "/dev/null"]
    done = subprocess.run(
        typed, cwd=folder, env={**os.environ, **more}, capture_output=True, stdin=subprocess.DEVNULL
    )
    return lines_of(COLOURS.sub("", done.stdout.decode().replace("\r\n", "\n")))


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip("\n").split("\n")] if text.strip() else []


def fits(shown: list[str], seen: list[str]) -> bool:
    """A line of three dots stands for any lines, three dots in a line for any text."""
    pattern = "".join(
        r"(?:.*\n)*?"
        if line.strip() == "..."
        else ".*".join(map(re.escape, line.split("..."))) + r"\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in seen)) is not None


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Each command of a console block with the output shown for it."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *rest = part.split("\n")
        while command.endswith("\\"):
            command = command[:-1] + rest.pop(0).lstrip("> ")
        found.append((command, lines_of("\n".join(rest))))
    return found


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) if page in LONG else page for page in PAGES],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_a_page_shows_what_happens(
    page: Path, path: str, demo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    settings = ""
    for number, (kind, body) in enumerate(BLOCK.findall(page.read_text(encoding="utf-8"))):
        if kind == "pycon":
            example = doctest.DocTestParser().get_doctest(body, names, f"block {number}", None, 0)
            runner = doctest.DocTestRunner(
                optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            )
            example.globs = names
            assert runner.run(example, clear_globs=False).failed == 0
            continue
        for command, shown in commands(body):
            if command.startswith(NOT_RUN):
                continue
            if re.match(r"\w+=", command) and not shown:
                settings += command + "\n"
                continue
            typed = re.sub(r"^leadline demo(?= [>|])", demo, command)
            seen = in_terminal(settings + typed, tmp_path, path)
            assert fits(shown, seen), "\n".join([f"$ {command}", *seen])


RESULTS = [each for each in (ROOT / "docs" / "results").glob("*.md") if each.name != "index.md"]
QUOTES = [
    (page, name, table)
    for page in PAGES
    for name, table in QUOTE.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(
    ("page", "name", "table"), QUOTES, ids=[f"{page.stem} {name}" for page, name, _ in QUOTES]
)
def test_a_quoted_table_is_in_the_file_of_results(page: Path, name: str, table: str) -> None:
    kept = (page.parent / name).read_text(encoding="utf-8").splitlines()
    # The row of dashes is how a table is written, not what it says.
    rows = [row for row in table.splitlines() if row.strip("| -")]
    assert len(rows) > 1
    assert [row for row in rows if row not in kept] == []
    assert sorted(rows, key=kept.index) == rows


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.name)
def test_results_say_which_command_wrote_them(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert re.search(r"^Written by `(python|make) [^`]+`", text, re.MULTILINE)
    index = (file.parent / "index.md").read_text(encoding="utf-8")
    assert f"]({file.name})" in index


def test_tables_of_growth_are_those_of_its_csv_file() -> None:
    from benchmarks.growth import tables

    folder = ROOT / "docs" / "results"
    assert tables(folder / "growth.csv") in (folder / "growth.md").read_text(encoding="utf-8")
