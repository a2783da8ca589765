"""Every way in which a verb writes files, and the program stopped at a chosen moment of it."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from leadline.demo import COLLECTION
from tests.cli.program import environment

QUICK = ("-m", "P@5")


@dataclass(frozen=True)
class Output:
    """A verb's arguments, with {out} for the folder that it writes to, and the files it writes.

    `renewed`: the files take the place of older ones; else the folder must not be there.
    """

    name: str
    arguments: tuple[str, ...]
    files: tuple[str, ...]
    renewed: bool = True


def _table(verb: str, *arguments: str, suffix: str = ".csv") -> Output:
    file = f"table{suffix}"
    return Output(f"{verb}{suffix}", (verb, *arguments, "-o", f"{{out}}/{file}"), (file,))


OUTPUTS = [
    _table("evaluate", "{in}", *QUICK),
    _table("evaluate", "{in}", *QUICK, suffix=".parquet"),
    _table("evaluate", "{in}", *QUICK, suffix=".md"),
    _table("explain", "{sea}", "--run", "anstey-bm25", "--topic", "1", suffix=".json"),
    _table("lint", "{in}/qrels.txt", suffix=".tsv"),
    _table("list", suffix=".tex"),
    _table("plan", "{in}", "--budget", "6", *QUICK),
    _table("pool", "{in}"),
    _table("order", "{in}", "--budget", "5"),
    _table("estimate", "{in}", *QUICK, "-e", "LB"),
    _table("adjust", "{in}", "--new", "c", *QUICK, "--pool-depth", "3"),
    _table("compare", "{in}", *QUICK),
    _table("correlate", "{in}/a.csv", "{in}/b.csv"),
    _table("report", "{in}", *QUICK, suffix=".html"),
    Output(
        "order --qrels-out",
        ("order", "{in}", "--answers", "{in}/qrels.txt", "--qrels-out", "{out}/q.txt"),
        ("q.txt",),
    ),
    Output(
        "plan --page",
        ("plan", "{in}", "--budget", "6", *QUICK, "--page", "{out}/page.html"),
        ("page.html",),
    ),
    Output(
        "compare --chart", ("compare", "{in}", *QUICK, "--chart", "{out}/chart.svg"), ("chart.svg",)
    ),
    Output(
        "explain --statistics",
        (
            "explain",
            "{sea}",
            "--run",
            "anstey-bm25",
            "--topic",
            "1",
            "--statistics",
            "{out}/w.parquet",
        ),
        ("w.parquet",),
        renewed=False,
    ),
    Output(
        "reproduce",
        ("reproduce", "moffat07", "{in}", "--quick", "-o", "{out}"),
        ("table2.csv", "certainty.csv", "report.html"),
    ),
    Output("demo", ("demo", "-o", "{out}"), ("pool.csv", "scores.csv", "report.html")),
    Output("demo --copy", ("demo", "--copy", "{out}/sea"), ("sea",), renewed=False),
]

OLD = "old\n"

STOPPED = """
import os, sys, threading
folder, at, number = os.path.realpath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
count = 0

def hook(event, arguments):
    global count
    if event not in ("open", "os.rename", "os.remove", "os.chmod", "os.mkdir", "os.rmdir"):
        return
    path = arguments[0]
    try:
        path = os.path.realpath(os.fsdecode(path))
    except TypeError:
        return
    if path.startswith(folder) and event != "done":
        count += 1
        if count == at:
            os.kill(os.getpid(), number)

sys.addaudithook(hook)
sys.argv[:] = ["leadline", *sys.argv[4:]]
from leadline.cli import app
end = os._exit

def told(code):
    sys.stderr.write(f"{count} moments\\n")
    sys.stderr.flush()
    end(code)

os._exit = told
app.program()
"""


def collection(folder: Path) -> Path:
    """A small collection with two tables of scores, for verbs to read."""
    (folder / "runs").mkdir(parents=True)
    grades = {(topic, doc): (topic * doc) % 3 % 2 for topic in range(1, 6) for doc in range(12)}
    qrels = [f"{topic} 0 d{doc} {grade}\n" for (topic, doc), grade in grades.items() if doc % 4]
    (folder / "qrels.txt").write_text("".join(qrels))
    for at, run in enumerate("abc"):
        lines = [
            f"{topic} Q0 d{doc} 1 {(doc * (at + 3) * topic) % 13} {run}\n" for topic, doc in grades
        ]
        (folder / "runs" / run).write_text("".join(lines))
    for name, first in (("a.csv", 0.1), ("b.csv", 0.3)):
        rows = [f"{run},all,P@5,{first + at / 10}\n" for at, run in enumerate("abc")]
        (folder / name).write_text("run,topic,measure,value\n" + "".join(rows))
    return folder


def arguments(output: Output, given: Path, out: Path) -> list[str]:
    """The words of its command."""
    words = {"{in}": str(given), "{out}": str(out), "{sea}": str(COLLECTION)}
    found = []
    for word in output.arguments:
        for mark, path in words.items():
            word = word.replace(mark, path)
        found.append(word)
    return found


def prepare(output: Output, out: Path) -> None:
    """An older file wherever one is to be renewed."""
    out.mkdir(parents=True, exist_ok=True)
    for name in output.files if output.renewed else ():
        (out / name).write_text(OLD)


def stopped_at(
    output: Output, given: Path, out: Path, moment: int, number: int = signal.SIGKILL
) -> subprocess.CompletedProcess[str]:
    """Its end, sent a signal before its `moment`-th use of a file in the folder; 0 for never."""
    prepare(output, out)
    words = [str(out), str(moment), str(int(number)), *arguments(output, given, out)]
    return subprocess.run(
        [sys.executable, "-c", STOPPED, *words],
        capture_output=True,
        text=True,
        env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        timeout=120,
        check=False,
    )


def moments(done: subprocess.CompletedProcess[str]) -> int:
    """How often a command that went well used a file in its folder."""
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split()[-2])


def content(output: Output, out: Path) -> dict[str, bytes | None]:
    """What is in each of its files, folders as the names and bytes inside; None where none is."""
    found: dict[str, bytes | None] = {}
    for name in output.files:
        path = out / name
        if path.is_dir():
            inside = sorted(path.rglob("*"))
            parts = [
                os.fsencode(each.relative_to(path)) + each.read_bytes()
                for each in inside
                if each.is_file()
            ]
            found[name] = b"".join(parts)
        else:
            found[name] = path.read_bytes() if path.exists() else None
    return found


def wrong(output: Output, out: Path, new: dict[str, bytes | None]) -> list[str]:
    """Files that are neither as before nor as they should become."""
    before = OLD.encode() if output.renewed else None
    return [name for name, now in content(output, out).items() if now not in (before, new[name])]
