"""A campaign: inputs by the target, in a process of bounded memory that a parent watches."""

import mmap
import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import FrameType

from tests.fuzz.mutate import mutations
from tests.fuzz.target import Target

HANG = 20
"""Seconds that one input may take."""
MEMORY = 4 << 30
"""Bytes of address space that a process may take; polars alone reserves one."""
_ROOM = 1 << 16


class Hang(BaseException):
    """An input took too long."""


@dataclass
class Findings:
    """What was found with one target: how many inputs, and one input for each kind of failure."""

    name: str
    n_inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    found: dict[str, bytes] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)

    def add(self, other: "Findings") -> None:
        """Count another round of the same target."""
        self.n_inputs += other.n_inputs
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.found = {**other.found, **self.found}
        self.told = {**other.told, **self.told}

    def line(self) -> str:
        """The counts, for people."""
        rate = self.n_inputs / self.seconds if self.seconds else 0
        return (
            f"{self.name:24}{self.n_inputs:>9,} inputs {rate:>7,.0f}/s "
            f"slowest {self.slowest:5.2f} s  found {len(self.found)}"
        )


def _stop(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {HANG} s")


def attempt(target: Target, data: bytes) -> tuple[str, str] | None:
    """What was found, the same for the same fault, and the error's text; None if nothing was."""
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, HANG)
    try:
        target.check(data)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return told(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def told(error: BaseException) -> tuple[str, str]:
    """Kind and place of an error, and its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "leadline" in each.filename or "fuzz" in each.filename]
    at = ours[-1] if ours else frames[-1]
    where = f"{Path(at.filename).name}:{at.lineno} ({frames[-1].name})"
    return f"{type(error).__name__} in {where}", str(error)[:200]


def try_all(target: Target, inputs: Iterable[bytes], seconds: float | None = None) -> Findings:
    """Inputs in this process, until they end or the time does."""
    findings, begin = Findings(target.name), time.monotonic()
    last = begin
    for data in inputs:
        found = attempt(target, data)
        now = time.monotonic()
        findings.n_inputs += 1
        findings.slowest = max(findings.slowest, now - last)
        last = now
        if found is not None and len(data) < len(findings.found.get(found[0], data + b"x")):
            findings.found[found[0]] = data
            findings.told[found[0]] = found[1]
        if seconds is not None and now - begin > seconds:
            break
    findings.seconds = time.monotonic() - begin
    return findings


def watched(target: Target, seed: int, n_inputs: int, seconds: float | None = None) -> Findings:
    """The same in a child: one that dies leaves the input that killed it, and the next goes on."""
    shared = mmap.mmap(-1, _ROOM)
    begin, done = time.monotonic(), 0
    findings = Findings(target.name)
    while done < n_inputs and (seconds is None or time.monotonic() - begin < seconds):
        left = None if seconds is None else seconds - (time.monotonic() - begin)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            _child(target, seed, done, n_inputs, left, shared, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            told = pipe.read()
        _, status = os.waitpid(child, 0)
        size = int.from_bytes(shared[:4], "little")
        done += int.from_bytes(shared[4:12], "little")
        if status == 0:
            part: Findings = pickle.loads(told)
            findings.found |= part.found
            findings.told |= part.told
            findings.slowest = max(findings.slowest, part.slowest)
            break
        findings.found[f"the process died: status {status}"] = shared[12 : 12 + size]
    findings.n_inputs, findings.seconds = done, time.monotonic() - begin
    return findings


def _child(
    target: Target,
    seed: int,
    skip: int,
    n_inputs: int,
    seconds: float | None,
    shared: mmap.mmap,
    pipe: int,
) -> None:
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        inputs = islice(mutations(target.corpus(), seed), skip, n_inputs)
        findings = try_all(target, _noted(inputs, shared), seconds)
        with os.fdopen(pipe, "wb") as out:
            out.write(pickle.dumps(findings))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(code)


def _noted(inputs: Iterable[bytes], shared: mmap.mmap) -> Iterator[bytes]:
    """The inputs, each with its number left where the parent finds it."""
    for number, data in enumerate(inputs, 1):
        shared[: 12 + len(data)] = (
            len(data).to_bytes(4, "little") + number.to_bytes(8, "little") + data
        )
        yield data
