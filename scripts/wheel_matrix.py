"""The wheel's matrix: interpreters by extras, every verb tried in an empty environment.

    python scripts/wheel_matrix.py [PYTHON...] > docs/results/wheel-matrix.md

Builds the sdist and from it the wheel, compares that with the wheel of this folder, installs it
into environments that hold nothing else and tries every verb there. Without arguments: one Python
of each version from 3.11 on that pyenv has or that lies on the path. Needs a package index; the
tests do not.
"""

import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OFFERED = sorted(
    tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
)
EXTRAS = ("", *OFFERED, ",".join(OFFERED))
QUICK = ["-m", "P@5"]
PAIR = ["sea/runs/anstey-bm25.gz", "sea/runs/corran-lsa60.gz"]
PROJECT = ["--title", "x", "--runs", "sea/runs", "--topics", "sea/topics.tsv"]
LABEL = ["sea", "--model", "m", "--pool", "pool.csv"]
VERBS: dict[str, list[str]] = {
    "demo": ["--copy", "sea"],
    "evaluate": ["sea", *QUICK, "-o", "scores.csv"],
    "explain": ["sea", "--run", "anstey-bm25", "--topic", "1"],
    "lint": ["sea/qrels.txt.gz"],
    "list": [],
    "gate": ["sea", "--baseline", "anstey-bm25", "--new", "corran-lsa60"],
    "plan": ["tiny", "--budget", "2", *QUICK, "-o", "plan.csv"],
    "pool": ["sea", "-s", "Depth(d=5)", "-o", "pool.csv"],
    "label": [*LABEL, "--dry-run"],
    "audit": ["sea/qrels.txt.gz", *PAIR, "--reference", "sea/qrels.txt.gz", *QUICK],
    "next": ["sea", "--budget", "5"],
    "estimate": ["sea", *QUICK, "-e", "LowerBound"],
    "adjust": ["sea", "--new", "farlight-hand", *QUICK],
    "compare": ["sea", *QUICK],
    "correlate": ["scores.csv", "scores.csv"],
    "report": ["sea/qrels.txt.gz", *PAIR, *QUICK, "-o", "page.html"],
    "reproduce": ["moffat07", "tiny", "-o", "paper", "--quick"],
    "benchmark": [
        "sea",
        "--task",
        "best",
        *QUICK,
        "--budget",
        "20",
        "--draws",
        "1",
        "-o",
        "benchmark",
    ],
    "judge": ["project", "--init", *PROJECT],
}
NEEDS = {
    "compare --chart": ("charts", ["compare", "sea", *QUICK, "--chart", "x.svg"]),
    "evaluate with stemming": (
        "stemming",
        ["evaluate", "sea", "-m", "DELTAnb(stem=english)@20"],
    ),
    "a data set's id": ("datasets", ["evaluate", "ir_datasets:none", *PAIR, *QUICK]),
    "a cluster": ("dask", ["evaluate", "sea", *QUICK, "--dask", "tcp://127.0.0.1:1"]),
    "label's library": ("llm", ["label", *LABEL, "-o", "labels.csv"]),
    "judge's server": ("web", ["judge", "served", "--demo"]),
}
"""What needs an extra; without it the answer is one sentence with the remedy and exit 2."""

NOT_THERE = {"datasets": "knows no such data set", "dask": "no scheduler answers"}
"""What the packages of these extras say here, where there is no network and no cluster."""


def outside() -> dict[str, str]:
    """No environment variable may lend a program another copy of leadline."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


def run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A program's end."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=outside(),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def must(*command: object) -> None:
    """Run a program; what it said if it failed is our end."""
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def pythons() -> list[str]:
    """One interpreter of each version from 3.11 on."""
    found = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python"))
    found += [Path(path) for minor in range(11, 20) if (path := shutil.which(f"python3.{minor}"))]
    by_version: dict[str, str] = {}
    for path in found:
        version = run(
            path, "-c", "import platform; print(platform.python_version())"
        ).stdout.strip()
        if tuple(map(int, re.findall("[0-9]+", version)[:2])) >= (3, 11):
            by_version.setdefault(version, str(path))
    return [by_version[version] for version in sorted(by_version)]


REGISTERED = "from leadline.cli.app import VERBS; print(*VERBS)"
COUNT = "import importlib.metadata as m; print(len(list(m.distributions())))"


def environment(python: str | Path, where: Path, *packages: str) -> Path:
    """The interpreter of a new environment with these packages; by uv, which is quick, or pip."""
    inside = where / "bin" / "python"
    uv = shutil.which("uv")
    if uv is None:
        must(python, "-m", "venv", where)
        must(inside, "-m", "pip", "install", "-q", *packages)
    else:
        must(uv, "venv", "-q", "--python", python, where)
        must(uv, "pip", "install", "-q", "--python", inside, *packages)
    return inside


def content(wheel: Path) -> dict[str, str]:
    """Every file's digest."""
    with zipfile.ZipFile(wheel) as files:
        return {name: hashlib.sha256(files.read(name)).hexdigest() for name in files.namelist()}


def build(folder: Path) -> tuple[Path, str]:
    """The wheel of this folder, and how far the sdist builds the same; the end if it does not."""
    python = environment(sys.executable, folder / "builder", "build", "hatchling")
    must(python, "-m", "build", "-n", "--sdist", "--outdir", folder / "sdist", ROOT)
    must(python, "-m", "build", "-n", "--wheel", "--outdir", folder / "direct", ROOT)
    (sdist,), unpacked = (folder / "sdist").glob("*.tar.gz"), folder / "unpacked"
    with tarfile.open(sdist) as files:
        files.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    must(python, "-m", "build", "-n", "--wheel", "--outdir", folder / "through", source)
    (through,), (direct,) = (folder / "through").glob("*.whl"), (folder / "direct").glob("*.whl")
    ours, theirs = content(direct), content(through)
    if ours != theirs:
        names = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
        sys.exit(f"the sdist builds another wheel than the folder: {', '.join(names)}")
    same = "byte by byte" if through.read_bytes() == direct.read_bytes() else "file by file"
    return direct, f"{direct.name}: {len(ours)} files; {sdist.name} builds the same, {same}."


def served(program: Path, folder: Path) -> str:
    """What is wrong with the judging app: nothing, if its first page comes and SIGTERM ends it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(program), "judge", "served", "--demo", "--port", str(port)],
        cwd=folder,
        env=outside(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C" in line:
                break
        else:
            return "".join(said)
        # Whoever has the link that was left for its owner, and nobody else, gets in.
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        link = (folder / "served" / "way-in.txt").read_text().strip()
        with browser.open(link, timeout=60) as page:
            if page.status != 200 or b"About the sea" not in page.read():
                return f"the first page: {page.status}"
        process.terminate()
        process.wait(60)
        return ""
    finally:
        process.kill()
        process.wait()


def unasked(program: Path) -> str:
    """What is wrong with the library that would ask a model, which is only loaded here."""
    loading = ("-W", "error", "-c", "import leadline.labels.client")
    return run(program.with_name("python"), *loading).stderr


def tried(program: Path, folder: Path, extras: str) -> tuple[int, list[str]]:
    """How many verbs did what they should, and what the others said."""
    tiny = folder / "tiny" / "runs"
    tiny.mkdir(parents=True)
    (tiny.parent / "qrels.txt").write_text("1 0 a 1\n2 0 b 1\n")
    for name in ("x", "y"):
        (tiny / name).write_text(
            "".join(f"{t} Q0 {d} 1 5 x\n" for t in (1, 2) for d in "ab" + name)
        )
    registered = run(program.with_name("python"), "-c", REGISTERED).stdout.split()
    if set(registered) != set(VERBS):
        sys.exit(f"verbs without a command here: {sorted(set(registered) ^ set(VERBS))}")
    good, bad = 0, []
    for verb, arguments in VERBS.items():
        done = run(program, verb, *arguments, cwd=folder)
        fine = done.returncode == 0
        if verb == "judge" and "web" not in extras:
            fine = fine or (done.returncode == 2 and "leadline[web]" in done.stderr)
        good += fine
        bad += [] if fine else [f"{verb}: exit {done.returncode}: {done.stderr.strip()[-300:]}"]
    for what, (extra, arguments) in NEEDS.items():
        if extra in ("llm", "web") and extra in extras:
            wrong = served(program, folder) if extra == "web" else unasked(program)
            good += not wrong
            bad += [f"{what}: {wrong[-300:]}"] if wrong else []
            continue
        done = run(program, *arguments, cwd=folder)
        fine = done.returncode == 0
        if extra not in extras:
            fine = done.returncode == 2 and f"leadline[{extra}]" in done.stderr
        elif extra in NOT_THERE:
            fine = done.returncode == 2 and NOT_THERE[extra] in done.stderr
        good += fine
        bad += [] if fine else [f"{what}: exit {done.returncode}: {done.stderr.strip()[-300:]}"]
    return good, bad


def main() -> None:
    """Print the table; exit 1 if a verb did not do what it should."""
    failed = False
    with tempfile.TemporaryDirectory(prefix="leadline-wheel-") as name:
        folder = Path(name)
        wheel, told = build(folder)
        print("# The wheel's matrix\n\nWritten by `make wheels`.\n")
        print(f"{told}\n\nVerbs: {', '.join(VERBS)}. With them: {', '.join(NEEDS)}, which without")
        print("their extra must say which to install.\n")
        print("| Python | extras | packages | tried | as they should |\n|---|---|---|---|---|")
        for number, python in enumerate(sys.argv[1:] or pythons()):
            for extras in EXTRAS:
                where = folder / f"{number}-{extras.replace(',', '-') or 'none'}"
                inside = environment(python, where, f"{wheel}[{extras}]" if extras else str(wheel))
                packages = int(run(inside, "-c", COUNT).stdout)
                version = run(inside, "--version").stdout.split()[-1]
                work = where / "work"
                work.mkdir()
                good, bad = tried(where / "bin" / "leadline", work, extras)
                n = good + len(bad)
                row = (version, extras or "none", packages, n, good)
                print(f"| {' | '.join(map(str, row))} |", flush=True)
                for line in bad:
                    failed = True
                    print(f"{version} [{extras}] {line}", file=sys.stderr, flush=True)
                shutil.rmtree(where)
    sys.exit(failed)


if __name__ == "__main__":
    main()
