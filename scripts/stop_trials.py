"""Stop the program at random moments by interrupts and SIGTERM, and count how it ends.

    python -m scripts.stop_trials --stops 300

prints a row for each verb and signal. An interrupt goes to all processes of the group, as a
terminal sends it, SIGTERM to the program alone. Every stop must end with 130 or 143, leave no
process behind, and say nothing of its internals.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from leadline.io.datasets import COLLECTION

STARTING = ("init_import_site", "Could not import runpy module", "Fatal Python error")
"""How Python ends that is interrupted before it runs the first line of a program: with 1."""

NOISE = (", in program", "resource_tracker", "Exception ignored", "error of Leadline's own")
"""What standard error must not hold; Python's traceback of an interrupt while it starts may be."""


NO_STOP = ("ended before", "Python starting")
"""Outcomes of signals that did not meet the program at work."""

VERDICTS, AT_ONCE = (0, 1, 3), 0.15


@dataclass(frozen=True)
class Ended:
    """The exit code as a shell sees it, whether a process was left, and standard error."""

    code: int
    left: bool
    err: str
    before: bool
    seconds: float = 0.0
    """From the signal to the end."""

    def outcome(self, number: int) -> str:
        """Return one word for what became of a stop."""
        if any(each in self.err for each in STARTING):
            return "Python starting"
        # The signal came when the program had done everything and was about to end.
        over = self.code in VERDICTS and self.seconds < AT_ONCE
        if self.before or over:
            return "ended before"
        if self.left:
            return "process left"
        if any(each in self.err for each in NOISE):
            return "noise"
        return "right" if self.code == 128 + number else f"exit {self.code}"


def commands(folder: Path) -> dict[str, list[str]]:
    """Return calls that work for some seconds, evaluate and benchmark with two workers."""
    runs = write_runs(folder)
    pair = ["--baseline", "anstey-bm25", "--new", "corran-lsa60"]
    benchmark = ["--task", "best", "--budget", "40", "--draws", "2", "--workers", "2"]
    benchmark += ["--method", "DepthFirst", "--method", "MaxMean"]
    return {
        "evaluate": ["evaluate", str(folder / "qrels.txt"), *runs, "-m", "AP", "--workers", "2"],
        "gate": ["gate", str(COLLECTION), *pair],
        "benchmark": ["benchmark", str(COLLECTION), *benchmark],
    }


def write_runs(folder: Path, n_runs: int = 6, n_topics: int = 120) -> list[str]:
    """Write runs large enough to be shared among workers, and their qrels."""
    random = Random(7)
    qrels = (f"{topic} 0 d{doc} 1" for topic in range(n_topics) for doc in range(0, 2000, 40))
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    paths = []
    for number in range(n_runs):
        lines = [
            f"{topic} Q0 d{doc} {rank} {1000 - rank} r{number}"
            for topic in range(n_topics)
            for rank, doc in enumerate(random.sample(range(2000), 1000), 1)
        ]
        path = folder / f"r{number}.run"
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def stopped(arguments: list[str], number: int | None, delay: float) -> Ended:
    """Return how the program ends that gets a signal after so many seconds; None for no signal."""
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "leadline", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=err,
            start_new_session=True,
            # A shell that starts this in the background has SIGINT ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        before = True
        if number is not None:
            time.sleep(delay)
            before = process.poll() is not None
            if not before:
                send = os.killpg if number == signal.SIGINT else os.kill
                send(process.pid, number)
        sent = time.monotonic()
        code = process.wait(timeout=120)
        seconds = time.monotonic() - sent
        left = _wait_for(process.pid)
        err.seek(0)
        text = err.read().decode("utf-8", "replace")
    return Ended(code if code >= 0 else 128 - code, left, text, before, seconds)


def _wait_for(session: int, seconds: float = 5.0) -> bool:
    """Return whether processes of a session are still there after some seconds, and kill them."""
    until = time.monotonic() + seconds
    while processes(session) and time.monotonic() < until:
        time.sleep(0.02)
    left = processes(session)
    for process in left:
        os.kill(process, signal.SIGKILL)
    return bool(left)


def processes(session: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def trials(arguments: list[str], number: int, stops: int, seed: int) -> Counter[str]:
    """Return how often each outcome was seen, over so many stops at random moments."""
    begin = time.monotonic()
    undisturbed = stopped(arguments, None, 0.0)
    seconds = time.monotonic() - begin
    assert undisturbed.code in VERDICTS, undisturbed
    random, seen = Random(seed), Counter[str]()
    while seen.total() - seen["ended before"] - seen["Python starting"] < stops:
        ended = stopped(arguments, number, random.uniform(0, 0.97 * seconds))
        outcome = ended.outcome(number)
        if outcome not in NO_STOP and outcome != "right":
            sys.stderr.write(f"{outcome}: {ended}\n")
        seen[outcome] += 1
    return seen


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stops", type=int, default=300, help="of each signal, over all verbs")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| verb | signal | stops | right | other |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        calls = commands(Path(folder))
        for number in (signal.SIGINT, signal.SIGTERM):
            for verb, arguments in calls.items():
                seen = trials(arguments, number, options.stops // len(calls), options.seed)
                total = sum(n for name, n in seen.items() if name not in NO_STOP)
                other = {n: k for n, k in seen.items() if n not in ("right", "ended before")}
                name = signal.Signals(number).name
                print(f"| {verb} | {name} | {total} | {seen['right']} | {other or 0} |", flush=True)


if __name__ == "__main__":
    main()
