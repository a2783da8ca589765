"""The program loaded once and begun many times, each time as a process of its own."""

import json
import os
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.cli.program import environment

LOADED = """
import contextlib, importlib, json, os, signal, sys
from leadline.cli import app

def begin(folder, moment, number, words, said):
    count, end = 0, os._exit

    def hook(event, arguments):
        nonlocal count
        if event not in ("open", "os.rename", "os.remove", "os.chmod", "os.mkdir", "os.rmdir"):
            return
        try:
            path = os.path.realpath(os.fsdecode(arguments[0]))
        except TypeError:
            return
        if path.startswith(folder):
            count += 1
            if count == moment:
                os.kill(os.getpid(), number)

    def told(code):
        sys.stderr.flush()
        with open(said + ".part", "w") as file:
            json.dump([count, list(sys.modules)], file)
        os.rename(said + ".part", said + ".end")
        end(code)

    handle = os.open(said, os.O_CREAT | os.O_WRONLY)
    null = os.open(os.devnull, os.O_RDWR)
    for target, source in ((0, null), (1, null), (2, handle)):
        os.dup2(source, target)
    # A shell lets programs in its background ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[:] = ["leadline", *words]
    os._exit = told
    sys.addaudithook(hook)
    app.program()

for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if child == 0:
        begin(**asked)
    print(child, flush=True)
    # It keeps its number until we are asked how it ended, so that no signal can go astray.
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    print("ended", flush=True)
    sys.stdin.readline()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    with contextlib.suppress(OSError), open(asked["said"] + ".end") as file:
        for name in json.load(file)[1]:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
"""


@dataclass(frozen=True)
class Ended:
    """How a process ended; its uses of files in the folder, where it came to its end."""

    code: int
    err: str
    moments: int | None


class Loaded:
    """Begins commands; modules that the first one needed are there for those after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._n = 0

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", LOADED],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def begin(self, words: list[str], watched: Path, moment: int = 0, number: int = 0) -> int:
        """The number of a new process, which sends itself a signal before that use of a file."""
        self._n += 1
        self._said = self._folder / f"said{self._n}"
        asked = {
            "folder": os.path.realpath(watched),
            "moment": moment,
            "number": int(number),
            "words": words,
            "said": str(self._said),
        }
        return int(self._ask(json.dumps(asked)))

    def has_ended(self, seconds: float) -> bool:
        """Whether the process ends within that time."""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def end(self) -> Ended:
        """How it ended; waits for it."""
        begun = time.monotonic()
        while not self.has_ended(1.0):
            assert time.monotonic() - begun < 300, "it does not end"
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ended\n"
        code = int(self._ask(""))
        end = Path(f"{self._said}.end")
        moments = json.loads(end.read_text())[0] if end.exists() else None
        err = self._said.read_text(errors="replace") if self._said.exists() else ""
        return Ended(code, err, moments)

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()
