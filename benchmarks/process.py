"""One command in a fresh process: its wall time, processor time and peak memory."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

from benchmarks.datasets import ROOT


@dataclass(frozen=True)
class Measurement:
    """What one process took, from its start to its end."""

    seconds: float
    cpu: float
    peak_mb: float
    output: str


class Failed(Exception):
    """A process that ended with an error, with what it said."""

    def __init__(self, code: int, said: str) -> None:
        super().__init__(said.strip().splitlines()[-1] if said.strip() else f"exit code {code}")
        self.code = code


def measure(command: list[str], env: dict[str, str] | None = None) -> Measurement:
    """Run a command to its end; `env` is added to the environment."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=ROOT, env=environment() | (env or {})
        )
        # Not process.wait(): only this tells what this one process used.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise Failed(process.returncode, err.read().decode(errors="replace"))
        output = out.read().decode()
    return Measurement(seconds, usage.ru_utime + usage.ru_stime, peak_mb(usage), output)


def peak_mb(usage: resource.struct_rusage) -> float:
    """The most memory that was in use at once, which systems count in different units."""
    return usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def environment() -> dict[str, str]:
    """That of this process, with this checkout before any installed Leadline.

    Python keeps what it compiled, as where a package is installed, also if this one must not: a
    checkout would be compiled anew for every process, and the peers would not.
    """
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    return os.environ | {
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONDONTWRITEBYTECODE": "",
    }


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module with this Python."""
    return [sys.executable, "-m", name, *arguments]
