"""Killed at any moment, or with a full disk, a verb leaves the old file or the new one, never half.

Moments are those before a file of the output's folder is opened, renamed, removed or given its
rights; what lies between them happens to files beside the one that counts.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.outputs import (
    OUTPUTS,
    Output,
    arguments,
    collection,
    content,
    moments,
    prepare,
    stopped_at,
    wrong,
)
from tests.cli.program import environment, start

BY_NAME = {output.name: output for output in OUTPUTS}
each_output = pytest.mark.parametrize("name", list(BY_NAME))


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return collection(tmp_path / "in")


def made(output: Output, given: Path, out: Path) -> tuple[dict[str, bytes | None], int]:
    """What it writes when nothing stops it, and its moments."""
    done = stopped_at(output, given, out, 0)
    return content(output, out), moments(done)


def same_pages(new: dict[str, bytes | None], out: Path, first: Path) -> dict[str, bytes | None]:
    """What it writes in another folder, whose name pages tell."""
    ends = {os.fsencode(first): os.fsencode(out)}
    found = dict(new)
    for name, text in new.items():
        for before, after in ends.items():
            if text is not None and name.endswith(".html"):
                found[name] = text.replace(before, after)
    return found


def test_outputs_name_every_verb_that_writes() -> None:
    from leadline.cli.app import app

    verbs = {command.name for command in app.registered_commands}
    # The judging app keeps a ledger in a database, and is killed in its own tests.
    assert {output.arguments[0] for output in OUTPUTS} == verbs - {"judge"}


@pytest.mark.parametrize("name", ["evaluate.csv", "demo --copy"])
def test_killed_before_its_last_moments_it_leaves_old_or_new(
    name: str, given: Path, tmp_path: Path
) -> None:
    output = BY_NAME[name]
    new, n = made(output, given, tmp_path / "whole")
    assert n >= 2
    seen = set()
    for moment in {max(1, n - 2), n}:
        out = tmp_path / f"out{moment}"
        done = stopped_at(output, given, out, moment)
        assert done.returncode == -signal.SIGKILL
        assert not wrong(output, out, new)
        seen |= {tuple(content(output, out).items()) == tuple(new.items())}
    assert False in seen, "it was never stopped before the end"


@pytest.mark.slow
@each_output
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_stopped_at_every_moment_it_leaves_old_or_new(
    name: str, number: signal.Signals, given: Path, tmp_path: Path
) -> None:
    """Prints how often the old and how often the new file was found."""
    output = BY_NAME[name]
    whole = tmp_path / "whole"
    new, n = made(output, given, whole)
    every = range(1, n + 1) if n <= 12 else sorted({1, 2, 3, n, n - 1, n - 2, *range(4, n, n // 6)})
    counts = {"old": 0, "new": 0}
    for moment in every:
        out = tmp_path / f"x{moment:04}"
        done = stopped_at(output, given, out, moment, number)
        expected = same_pages(new, out, whole)
        assert not wrong(output, out, expected), (moment, done.stderr)
        assert "Traceback" not in done.stderr
        if number == signal.SIGKILL:
            assert done.returncode == -number
        else:
            assert done.returncode in (0, 128 + number), done.stderr
            assert not list(out.rglob(".leadline-*")), "what was half done is removed"
        counts["new" if content(output, out) == expected else "old"] += 1
    with (Path(os.environ.get("LEADLINE_COUNTS", os.devnull))).open("a") as file:
        file.write(f"{name},{number.name},{len(every)},{counts['old']},{counts['new']}\n")


@pytest.mark.slow
@each_output
def test_killed_at_random_times_it_leaves_old_or_new(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, draw = BY_NAME[name], random.Random(name)
    whole = tmp_path / "whole"
    begin = time.monotonic()
    new, _ = made(output, given, whole)
    length = time.monotonic() - begin
    for trial in range(6):
        out = tmp_path / f"x{trial:04}"
        prepare(output, out)
        process = subprocess.Popen(
            [sys.executable, "-m", "leadline", *arguments(output, given, out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        time.sleep(draw.uniform(0.3, 1.1) * length)
        process.kill()
        process.wait()
        assert not wrong(output, out, same_pages(new, out, whole))


LIMIT = 24
"""Bytes that a file may have: less than any output, more than the older files."""


def limited(output: Output, given: Path, out: Path) -> subprocess.CompletedProcess[str]:
    prepare(output, out)
    return subprocess.run(
        [sys.executable, "-m", "leadline", *arguments(output, given, out)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)),
        capture_output=True,
        text=True,
        env=environment() | {"OPENBLAS_NUM_THREADS": "1"},
        timeout=120,
        check=False,
    )


def check_refused(
    done: subprocess.CompletedProcess[str], output: Output, out: Path, reason: str
) -> None:
    assert done.returncode == 2, done.stderr
    assert reason in done.stderr
    assert str(out) in done.stderr, "the message names the file"
    assert ".leadline-" not in done.stderr, "by the name that was asked for"
    assert "Traceback" not in done.stderr
    before = b"old\n" if output.renewed else None
    assert set(content(output, out).values()) == {before}
    assert not list(out.rglob(".leadline-*"))


def short(names: list[str]) -> list[object]:
    """Some outputs for `make test`, all of them for `make verify`."""
    return [
        pytest.param(name, marks=[] if name in names else pytest.mark.slow, id=name)
        for name in BY_NAME
    ]


@pytest.mark.parametrize("name", short(["evaluate.csv", "order --qrels-out"]))
def test_a_file_that_may_not_grow_leaves_the_old_one_and_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "out"
    check_refused(limited(output, given, out), output, out, "File too large")


@pytest.mark.parametrize("name", short(["evaluate.parquet"]))
def test_a_full_disk_leaves_the_old_file_and_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "full"
    out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "none", str(out)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small disk")
    try:
        prepare(output, out)
        # All that is left is taken.
        with (out / "ballast").open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 512):
                pass
        done = start(*arguments(output, given, out))
        result = subprocess.CompletedProcess([], done.code, done.out, done.err)
        check_refused(result, output, out, "No space left")
    finally:
        subprocess.run(["umount", str(out)], check=True)


@pytest.mark.parametrize("name", short(["evaluate.csv"]))
def test_a_folder_that_cannot_be_written_to_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "out"
    prepare(output, out)
    mount = ["mount", "--bind", "-o", "ro", str(out), str(out)]
    if os.geteuid() == 0:
        # Rights do not stop root; a file system that is read-only does.
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("cannot mount here")
    else:
        out.chmod(0o555)
    try:
        done = start(*arguments(output, given, out))
        assert done.code == 2, done.err
        assert str(out) in done.err
        assert "Read-only" in done.err or "denied" in done.err
        assert "Traceback" not in done.err
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", str(out)], check=True)
    before = b"old\n" if output.renewed else None
    assert set(content(output, out).values()) == {before}


def test_two_commands_that_write_one_file_leave_one_of_the_two(given: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.csv"
    commands = [
        [sys.executable, "-m", "leadline", "evaluate", str(given), "-m", measure, "-o", str(out)]
        for measure in ("P@5", "RBP(p=0.8)")
    ]
    alone = set()
    for command in commands:
        subprocess.run(command, check=True, env=environment(), timeout=60)
        alone.add(out.read_bytes())
    assert len(alone) == 2
    together = [subprocess.Popen(command, env=environment()) for command in commands]
    assert [process.wait(60) for process in together] == [0, 0]
    assert out.read_bytes() in alone
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "scores.csv"]
