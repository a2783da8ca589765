"""Large and strange inputs, made to any size, and a command's time and memory.

    python -m tests.cli.strange > table.md

prints what each takes at its whole size: the table of docs/hardening.md.
"""

import gzip
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.cli.program import environment

SMALL, WHOLE = 1000, 1
"""What sizes are divided by in `make test`, and in `make verify`."""


@dataclass(frozen=True)
class Strange:
    """A case: what is made in a folder for arguments, and how it should end.

    `seconds` and `megabytes` bound the whole size, with room for a busy machine.
    """

    name: str
    make: Callable[[Path, int], list[str]]
    code: int
    says: str
    megabytes: int
    seconds: int = 60
    open_files: int | None = None


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it took."""

    code: int
    text: str
    seconds: float
    megabytes: float


BETWEEN = """
import os, resource, sys
report, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    os.execv(command[0], command)
_, status, used = os.wait4(child, 0)
code = os.waitstatus_to_exitcode(status)
with open(report, "w") as out:
    print(code, used.ru_utime + used.ru_stime, used.ru_maxrss, file=out)
"""
"""A process counts the memory of the one that it was forked from: a small one stands between."""


def measured(arguments: list[str], cwd: Path, seconds: int, open_files: int | None = None) -> Ended:
    """A command's end, its time of the processor and the most memory it held."""

    def limit() -> None:
        if open_files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        between = [sys.executable, "-S", "-c", BETWEEN, str(report)]
        process = subprocess.Popen(
            [*between, sys.executable, "-m", "leadline", *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=limit,
            start_new_session=True,
        )
        # Others may keep the processor busy.
        timer = threading.Timer(10 * seconds, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        text = process.communicate()[0].decode(errors="replace")
        timer.cancel()
        if not report.exists():
            return Ended(process.returncode, text, 10.0 * seconds, float("inf"))
        code, spent, kilobytes = report.read_text().split()
    return Ended(int(code), text, float(spent), int(kilobytes) / 1024)


def _write(path: Path, lines: Iterable[str]) -> str:
    with path.open("w") as file:
        file.writelines(lines)
    return path.name


def many_runs(folder: Path, part: int) -> list[str]:
    (folder / "runs").mkdir()
    docs = [(topic, at) for topic in (1, 2) for at in range(9)]
    for run in range(max(300, 5000 // part)):
        lines = (f"{topic} Q0 d{(run * 7 + at) % 97} 1 {50 - at} r\n" for topic, at in docs)
        _write(folder / "runs" / f"r{run}", lines)
    qrels = _write(folder / "q", (f"{topic} 0 d{at * 5} {at % 2}\n" for topic, at in docs))
    return ["evaluate", qrels, "runs", "-m", "P@5"]


def many_topics(folder: Path, part: int) -> list[str]:
    n = 1_000_000 // part
    qrels = _write(folder / "q", (f"t{topic} 0 d{topic} 1\n" for topic in range(n)))
    runs = [
        _write(
            folder / f"r{run}",
            (f"t{topic} Q0 d{topic + (topic + run) % 3 // 2} 1 1.5 r\n" for topic in range(n)),
        )
        for run in range(2)
    ]
    return ["evaluate", qrels, *runs, "-m", "P@1"]


def long_list(folder: Path, part: int) -> list[str]:
    n = 3_000_000 // part
    qrels = _write(folder / "q", (f"1 0 d{doc * 11} {doc % 3}\n" for doc in range(2000)))
    run = _write(folder / "r", (f"1 Q0 d{doc} 1 {n - doc} r\n" for doc in range(n)))
    return ["evaluate", qrels, run, "-m", "AP", "-m", "P@10"]


def long_names(size: int) -> Callable[[Path, int], list[str]]:
    def make(folder: Path, part: int) -> list[str]:
        stem, n = "x" * (size - 6), max(10, 300 // part)
        qrels = _write(folder / "q", (f"1 0 {stem}{doc:06} 1\n" for doc in range(0, n, 3)))
        run = _write(folder / "r", (f"1 Q0 {stem}{doc:06} 1 1.0 r\n" for doc in range(n)))
        return ["evaluate", qrels, run, "-m", "P@5"]

    return make


def high_grade(folder: Path, part: int) -> list[str]:
    lines = [f"{topic} 0 d{doc} {doc % 2}\n" for topic in range(10_000) for doc in range(3)]
    qrels = _write(folder / "q", [*lines, "1 0 d9 32767\n"])
    run = _write(folder / "r", (f"{topic} Q0 d{doc} 1 1 r\n" for topic in range(9) for doc in "12"))
    return ["evaluate", qrels, run, "-m", "nDCG@10"]


def high_grade_few(folder: Path, part: int) -> list[str]:
    topics = range(400 if part == 1 else 20)
    lines = [f"{topic} 0 d{doc} {doc % 2}\n" for topic in topics for doc in range(3)]
    qrels = _write(folder / "q", [*lines, "1 0 d9 32767\n"])
    entries = [(topic, doc) for topic in topics for doc in range(5)]
    runs = [
        _write(
            folder / f"r{at}", (f"{topic} Q0 d{at + doc} 1 {-doc} r\n" for topic, doc in entries)
        )
        for at in range(5)
    ]
    return ["evaluate", qrels, *runs, "-m", "nDCG@10", "-m", "AP"]


def high_rel(folder: Path, part: int) -> list[str]:
    long_list(folder, 1000)
    return ["evaluate", "q", "r", "-m", "P(rel=1000000000)@10"]


def high_scale(folder: Path, part: int) -> list[str]:
    long_list(folder, 1000)
    return ["evaluate", "q", "r", "-m", "nDCG(max_grade=1000000000)@10"]


def high_answer(folder: Path, part: int) -> list[str]:
    long_list(folder, 1000)
    _write(folder / "l", ['{"act": "judge", "topic": "1", "doc": "d0", "grade": 1000000000}\n'])
    return ["next", "q", "r", "--ledger", "l"]


def blank_lines(folder: Path, part: int) -> list[str]:
    long_list(folder, 1000)
    with gzip.open(folder / "blank.gz", "wb", 1) as file:
        for _ in range(1500 // part + 1):
            file.write(b"\n" * 1_000_000)
    return ["evaluate", "q", "blank.gz", "-m", "P@5"]


def zeros(option: str) -> Callable[[Path, int], list[str]]:
    def make(folder: Path, part: int) -> list[str]:
        long_list(folder, 1000)
        if option == "qrels":
            return ["evaluate", "/dev/zero", "r"]
        if option == "run":
            return ["evaluate", "q", "/dev/zero"]
        verb = "next" if option in ("ledger", "simulate") else "evaluate"
        return [verb, "q", "r", f"--{option}", "/dev/zero"]

    return make


def many_measures(folder: Path, part: int) -> list[str]:
    long_list(folder, 1000)
    names = [f"{name}@{k}" for name in ("P", "nDCG") for k in range(1, 101)]
    return ["evaluate", "q", "r", *(word for name in names for word in ("-m", name))]


CASES = [
    Strange("5,000 runs, 256 open files", many_runs, 0, "r299,all", 400, 60, 256),
    Strange("a million topics of one document, two runs", many_topics, 0, "r1,all,P@1", 1500),
    Strange("one topic with three million documents", long_list, 0, "r,all,AP", 1200),
    Strange("300 tied docnos of 10 KB", long_names(10_000), 0, "r,all,P@5", 400),
    Strange("300 tied docnos of 100 KB", long_names(100_000), 2, "a field has 100,000 bytes", 400),
    Strange("300 tied docnos of 1 MB", long_names(1_000_000), 2, "a field has 1,000,000", 1500),
    Strange("grade 32767 over 10,000 topics", high_grade, 2, "--map-grade 32767=4", 300),
    Strange("grade 32767 over 400 topics, five runs", high_grade_few, 0, "r4,all,AP", 900),
    Strange("rel of 10^9", high_rel, 2, "no further than 32767", 200),
    Strange("max_grade of 10^9", high_scale, 2, "no further than 32767", 200),
    Strange("a ledger line with grade 10^9", high_answer, 2, "from 0 to 32767", 200),
    Strange("1.5 GB of blank lines in 7 MB of .gz", blank_lines, 2, "is empty", 300),
    *(
        Strange(f"/dev/zero as {option}", zeros(option), 2, "/dev/zero", 300)
        for option in ("qrels", "run", "pool", "topics", "simulate", "ledger")
    ),
    Strange("200 measures at once", many_measures, 0, "r,all,nDCG@100", 300),
]


def main() -> None:
    """Print the table."""
    print("| input | ends with | seconds | MB |\n|---|---|---|---|")
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ended = measured(case.make(folder, WHOLE), folder, case.seconds, case.open_files)
        fine = ended.code == case.code and case.says in ended.text
        how = "a result" if ended.code == 0 else f"exit {ended.code}, `{case.says}`"
        mark = "" if fine else f" (unexpected: {ended.code} {ended.text[-80:]!r})"
        row = (case.name, how + mark, f"{ended.seconds:.1f}", f"{ended.megabytes:.0f}")
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
