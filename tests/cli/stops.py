"""Ways to stop a program that writes: signals, files that may not grow, full and read-only disks.

    LEADLINE_COUNTS=counts.csv pytest -m slow tests/cli/test_whole_outputs.py
    python -m tests.cli.stops counts.csv

prints what was found afterwards, by kind of stop, for docs/hardening.md.
"""

import csv
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random

from tests.cli.loaded import Ended, Loaded
from tests.cli.outputs import Output, arguments, prepare
from tests.cli.program import environment

PAGE = 4096
"""Bytes that a disk in memory gives out at once."""


def stopped_at(
    loaded: Loaded,
    output: Output,
    given: Path,
    out: Path,
    moment: int,
    number: int = signal.SIGKILL,
) -> Ended:
    """Its end, sent a signal before its `moment`-th use of a file in the folder; 0 for never."""
    prepare(output, out)
    loaded.begin(arguments(output, given, out), out, moment, number)
    return loaded.end()


def stopped_at_random(
    loaded: Loaded,
    output: Output,
    given: Path,
    out: Path,
    number: int,
    draw: Random,
    seconds: float | None,
) -> bool:
    """Whether a signal from outside reached it before it ended.

    It is sent at any time of the `seconds` that the program takes; None for a moment drawn while
    one of its files is being written, which is short and would seldom be met otherwise.
    """
    prepare(output, out)
    process = loaded.begin(arguments(output, given, out), out)
    if seconds is None:
        _await_part(loaded, out, draw.randint(1, len(output.files)))
        time.sleep(draw.uniform(0, 0.004))
    else:
        time.sleep(draw.uniform(0, seconds))
    os.kill(process, number)
    return loaded.end().code != output.code


def _await_part(loaded: Loaded, out: Path, n: int) -> None:
    """Return when the n-th unfinished file is seen there, or the program has ended."""
    seen: set[str] = set()
    while len(seen) < n and not loaded.has_ended(0.0002):
        seen |= {name for name in os.listdir(out) if name.startswith(".leadline-")}  # noqa: PTH208


def limited(
    output: Output, given: Path, out: Path, limit: int | None = None
) -> subprocess.CompletedProcess[str]:
    """Its end where no file may have more bytes than the limit, if there is one."""

    def forbid() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "leadline", *arguments(output, given, out)],
        preexec_fn=forbid,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        timeout=120,
        check=False,
    )


@contextmanager
def small_disk(folder: Path, free_pages: int, prepared: Callable[[], None]) -> Iterator[bool]:
    """A disk with so much room after it was prepared; False where none can be mounted."""
    folder.mkdir(parents=True, exist_ok=True)
    size = f"size={(free_pages + 64) * PAGE}"
    with _mounted(["-t", "tmpfs", "-o", size, "none"], folder) as fine:
        if fine:
            prepared()
            ballast = folder / "ballast"
            with ballast.open("wb", buffering=0) as file, suppress(OSError):
                while file.write(b"x" * PAGE):
                    pass
            os.truncate(ballast, ballast.stat().st_size // PAGE * PAGE - free_pages * PAGE)
        yield fine


@contextmanager
def read_only(folder: Path) -> Iterator[bool]:
    """The folder as one where nobody can write; False where that cannot be had."""
    if os.geteuid() == 0:
        # Rights do not stop root; a file system that is read-only does.
        with _mounted(["--bind", "-o", "ro", str(folder)], folder) as fine:
            yield fine
        return
    folder.chmod(0o555)
    try:
        yield True
    finally:
        folder.chmod(0o755)


@contextmanager
def _mounted(how: list[str], folder: Path) -> Iterator[bool]:
    command = ["mount", *how, str(folder)]
    fine = os.geteuid() == 0 and not subprocess.run(command, capture_output=True).returncode
    try:
        yield fine
    finally:
        if fine:
            subprocess.run(["umount", str(folder)], check=True)


def keep_count(kind: str, name: str, stops: int, found: Counter[str]) -> None:
    """Add a line to the file that LEADLINE_COUNTS names, if it does."""
    row = (kind, name, stops, found["old"], found["new"], found["half"])
    with Path(os.environ.get("LEADLINE_COUNTS", os.devnull)).open("a", encoding="utf-8") as file:
        csv.writer(file).writerow(row)


def main() -> None:
    """Print the counts by kind of stop."""
    kinds: dict[str, Counter[str]] = {}
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as file:
        for kind, _, *numbers in csv.reader(file):
            counts = kinds.setdefault(kind, Counter())
            counts["outputs"] += 1
            for what, number in zip(("stops", "old", "new", "half"), numbers, strict=True):
                counts[what] += int(number)
    columns = ("outputs", "stops", "old", "new", "half")
    print(f"| stopped by | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for kind, counts in sorted(kinds.items()):
        print(f"| {kind} | {' | '.join(str(counts[what]) for what in columns)} |")


if __name__ == "__main__":
    main()
