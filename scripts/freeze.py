"""Keep what every verb answers, and later tell what has changed.

    python -m scripts.freeze keep DIR [--digests]     run everything, keep csv, text and exit codes
    python -m scripts.freeze compare DIR              run everything again and tell the differences
    python -m scripts.freeze compare DIR --new DIR    the differences of two that are kept

These run the `leadline` that the shell would find, on the bundled collection and on parts of the
real ones beside the project's folder (LEADLINE_DATA, as for the tests); what is absent is left out.
--only 'demo/next/*' and --collections demo,ambient make it shorter. What real data give stays
in DIR, outside the repository; tests/frozen.json has a digest of each table: numbers to six digits,
of the columns that it had. --digests writes them anew for what was run, after a change that was
meant: keep DIR --digests --collections demo --only 'demo/next/*'.
--renamed own= run_effects= compares the rows of what has another name now, instead of missing them.
`judge` is left out: tests/app speaks to it.
"""

import argparse
import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.frozen.cases import Case, cases
from scripts.frozen.difference import differ
from scripts.frozen.faulty import write_faulty
from scripts.frozen.inputs import ROOT, SOURCES, place, prepare, present
from scripts.frozen.tables import Table, read

DIGESTS = ROOT / "tests" / "frozen.json"
KEPT = (".csv", ".html", ".txt")
"""Files that a command writes beside its output and that are kept."""
EXACT = (".csv", ".json")
"""Output that has a digest; words on pages, and what is registered, change too easily."""


@dataclass(frozen=True)
class Answer:
    """What a command left: its exit code and texts, by name of output."""

    code: int
    out: str
    err: str


Renamed = Sequence[tuple[str, str]]
"""What was called so and what it is called now."""
Run = Callable[[tuple[str, ...]], Answer]
"""Runs leadline with these words in the current folder."""


@dataclass(frozen=True)
class Digest:
    """What tests/frozen.json has of one output: of pages and plain text the exit code only."""

    code: int
    columns: str = ""
    sha256: str = ""

    @classmethod
    def of(cls, code: int, table: Table | None, columns: str | None = None) -> "Digest":
        """That of a table, or of those of its columns that are asked for."""
        if table is None:
            return cls(code)
        columns = ",".join(table.columns) if columns is None else columns
        return cls(code, columns, table.digest(tuple(columns.split(","))))


def environment() -> dict[str, str]:
    """Nothing that asks for colour, and one width."""
    asking = ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "PYTHONWARNINGS")
    kept = {key: value for key, value in os.environ.items() if key not in asking}
    return kept | {"COLUMNS": "100"}


def start(words: tuple[str, ...]) -> Answer:
    """The program in a process of its own."""
    done = subprocess.run(["leadline", *words], capture_output=True, env=environment(), check=False)
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextlib.contextmanager
def workplace(collections: list[str], folder: Path) -> Iterator[None]:
    """Inside, the current folder has the collections and nothing else."""
    before = Path.cwd()
    write_faulty(folder)
    for name in collections:
        prepare(name, folder)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def answer(case: Case, run: Run) -> tuple[int, dict[str, Table | None]]:
    """The exit code, and every output by its name: a table, or None if it is a page or plain text.

    All of it is left in the folder `made` as well, where later cases find it.
    """
    written = Path(case.folder)
    written.mkdir(parents=True)
    got = run(case.words)
    target = Path("made") / case.name
    texts = {target.with_name(f"{target.name}{case.suffix}"): got.out}
    for path in sorted(written.rglob("*")):
        if path.suffix in KEPT:
            texts[target / path.relative_to(written)] = path.read_text(encoding="utf-8")
    tables: dict[str, Table | None] = {}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        exact = path.suffix in EXACT and case.words[0] != "list"
        tables[str(path.relative_to("made"))] = read(path.suffix, text) if exact else None
    target.with_name(f"{target.name}.err").write_text(got.err, encoding="utf-8")
    return got.code, tables


def run_all(collections: list[str], only: str, into: Path) -> dict[str, Digest]:
    """Run the cases, leave their output in the folder `into`, and give the digests."""
    program = shutil.which("leadline")
    if program is None:
        sys.exit("no leadline on the path: put the bin folder of its environment there")
    print(f"leadline is {program}", file=sys.stderr)
    digests: dict[str, Digest] = {}
    codes = read_codes(into)
    with tempfile.TemporaryDirectory() as temporary, workplace(collections, Path(temporary)):
        for case in cases(collections, only):
            begin = time.perf_counter()
            code, tables = answer(case, start)
            codes[case.name] = code
            digests |= {name: Digest.of(code, table) for name, table in tables.items()}
            seconds = time.perf_counter() - begin
            print(f"{seconds:6.1f} s  {case.name}  exit {code}", file=sys.stderr)
        shutil.copytree("made", into, dirs_exist_ok=True)
    (into / "codes.json").write_text(json.dumps(codes, indent=1) + "\n", encoding="utf-8")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"{len(digests)} outputs, {seconds:.0f} s of processor time", file=sys.stderr)
    return digests


def read_codes(folder: Path) -> dict[str, int]:
    """Exit codes by case, of what is kept in a folder."""
    path = folder / "codes.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def tell_differences(old: Path, new: Path, renamed: Renamed = ()) -> int:
    """Print, for each output kept in `new`, how it differs from that in `old`; how many do."""
    before, after = read_codes(old), read_codes(new)
    count = {"equal": 0, "rounding": 0, "different": 0}
    for name, code in after.items():
        if name not in before:
            print(f"{name}: new")
            continue
        if before[name] != code:
            count["different"] += 1
            print(f"{name}: exit {before[name]} has become {code}")
        for path in _outputs(old, new, name):
            found = differ(_table(old / path, renamed), _table(new / path))
            kind = "equal" if found.equal else "rounding" if found.rounding else "different"
            count[kind] += path.suffix != ".err"
            if path.suffix != ".err" or not found.equal:
                note = " (standard error, not counted)" if path.suffix == ".err" else ""
                print(f"{path}: {found.words()}{note}")
    print(
        f"{count['equal']} outputs are equal, {count['rounding']} differ by rounding only, "
        f"{count['different']} differ"
    )
    return count["rounding"] + count["different"]


def _outputs(old: Path, new: Path, name: str) -> list[Path]:
    """Files of a case in either folder."""
    found = set()
    for folder in (old, new):
        place = folder / name
        found |= {p.relative_to(folder) for p in place.parent.glob(f"{place.name}.*")}
        found |= {p.relative_to(folder) for p in place.rglob("*") if p.is_file()}
    return sorted(found)


def _table(path: Path, renamed: Renamed = ()) -> Table:
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    for before, after in renamed:
        text = text.replace(before, after)
    return read(path.suffix, text)


def read_digests() -> dict[str, Digest]:
    """What tests/frozen.json holds."""
    held = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.is_file() else {}
    return {name: Digest(**fields) for name, fields in held.items()}


def write_digests(digests: dict[str, Digest], collections: list[str], only: str) -> None:
    """Put these in the place of those that the same cases had; the others stay."""
    stale = {case.name for case in cases(collections, only)}
    held = {
        name: digest
        for name, digest in read_digests().items()
        if case_of(name) not in stale and not (only == "*" and name.split("/")[0] in collections)
    }
    held |= digests
    lines = [f"{json.dumps(name)}: {json.dumps(asdict(held[name]))}" for name in sorted(held)]
    DIGESTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def case_of(output: str) -> str:
    """The name of the case that gave an output.

    >>> case_of("demo/pool/depth.csv"), case_of("demo/reproduce/lu17/table1.csv")
    ('demo/pool/depth', 'demo/reproduce/lu17')
    """
    collection, verb, what = output.split("/")[:3]
    return f"{collection}/{verb}/{what.split('.')[0]}"


def main() -> None:
    """Keep or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["keep", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="*", metavar="PATTERN")
    parser.add_argument("--collections", default=",".join(SOURCES))
    parser.add_argument("--digests", action="store_true", help="with keep: write tests/frozen.json")
    parser.add_argument("--new", type=Path, help="with compare: what is kept there, run nothing")
    parser.add_argument("--renamed", nargs=2, action="append", default=[], metavar=("OLD", "NEW"))
    asked = parser.parse_args()
    if asked.what == "compare" and asked.new:
        sys.exit(1 if tell_differences(asked.folder, asked.new, asked.renamed) else 0)
    names = asked.collections.split(",")
    collections = [name for name in names if present(name)]
    for name in names:
        if name not in collections:
            print(f"left out: {name}, which is not in {place(name)}", file=sys.stderr)
    if asked.what == "keep":
        digests = run_all(collections, asked.only, asked.folder.resolve())
        if asked.digests:
            write_digests(digests, collections, asked.only)
        return
    with tempfile.TemporaryDirectory() as temporary:
        run_all(collections, asked.only, Path(temporary))
        sys.exit(1 if tell_differences(asked.folder, Path(temporary), asked.renamed) else 0)


if __name__ == "__main__":
    main()
