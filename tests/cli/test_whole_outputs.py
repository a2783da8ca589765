"""Stopped at any moment, or with a full disk, a verb leaves the old file or the new, never half."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.loaded import Loaded
from tests.cli.outputs import (
    APPENDED,
    OUTPUTS,
    READ_ONLY,
    Output,
    collection,
    content,
    found_there,
    options_that_write,
    prepare,
)
from tests.cli.program import environment
from tests.cli.stops import (
    PAGE,
    keep_count,
    limited,
    read_only,
    small_disk,
    stopped_at,
    stopped_at_random,
)

BY_NAME = {output.name: output for output in OUTPUTS}
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
each_output = pytest.mark.parametrize("name", list(BY_NAME))
OVER, AIMED, DRAWS = 1, 3, 2
"""For each signal so many at any time, so many while it writes; and so many limits are drawn."""


@pytest.fixture
def given(tmp_path: Path) -> Path:
    return collection(tmp_path / "in")


@pytest.fixture
def loaded(tmp_path: Path) -> Iterator[Loaded]:
    (tmp_path / "said").mkdir()
    with Loaded(tmp_path / "said") as program:
        yield program


def made(
    loaded: Loaded, output: Output, given: Path, out: Path
) -> tuple[dict[str, bytes | None], int]:
    """What it writes when nothing stops it, and its moments."""
    done = stopped_at(loaded, output, given, out, 0)
    assert done.code == output.code, done.err
    assert done.moments is not None
    new = content(output, out)
    assert output.before not in new.values(), "it must write what is to be looked for"
    return new, done.moments


def short(*names: str) -> pytest.MarkDecorator:
    """Some outputs for `make test`, all of them for `make verify`."""
    some = [
        pytest.param(name, marks=[] if name in names else pytest.mark.slow, id=name)
        for name in BY_NAME
    ]
    return pytest.mark.parametrize("name", some)


def test_every_option_that_writes_has_a_case() -> None:
    asked = options_that_write()
    assert {(output.arguments[0], output.option) for output in OUTPUTS} == asked
    assert not {name for _, name in asked | APPENDED} & READ_ONLY


def check_left(done: subprocess.CompletedProcess[str], output: Output, out: Path) -> None:
    """That a program which could not write said so of the file, and left nothing of its own."""
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    named = str(out) in done.stderr or (output.needs and output.needs in done.stderr)
    assert named, "the message names the file"
    assert ".leadline-" not in done.stderr, "by the name that was asked for"
    assert not list(out.rglob(".leadline-*"))


def test_killed_before_its_last_moments_a_folder_is_whole_or_not_there(
    given: Path, loaded: Loaded, tmp_path: Path
) -> None:
    output, whole = BY_NAME["demo --copy"], tmp_path / "whole"
    new, n = made(loaded, output, given, whole)
    assert n >= 2
    seen: Counter[str] = Counter()
    for moment in {max(1, n - 2), n}:
        out = tmp_path / f"x{moment:04}"
        done = stopped_at(loaded, output, given, out, moment)
        assert done.code == -signal.SIGKILL
        seen += found_there(output, out, new, whole)
    assert not seen["half"]
    assert seen["old"], "it was never stopped before the end"


@pytest.mark.slow
@each_output
def test_stopped_before_any_use_of_a_file_it_leaves_old_or_new(
    name: str, given: Path, loaded: Loaded, tmp_path: Path
) -> None:
    output, whole = BY_NAME[name], tmp_path / "whole"
    new, n = made(loaded, output, given, whole)
    every = range(1, n + 1) if n <= 8 else sorted({1, 2, n, n - 1, n - 2, *range(3, n, n // 4)})
    for number in SIGNALS:
        seen: Counter[str] = Counter()
        for moment in every:
            out = tmp_path / f"{number.name[-1]}{moment:04}"
            done = stopped_at(loaded, output, given, out, moment, number)
            seen += found_there(output, out, new, whole)
            assert "Traceback" not in done.err
            if number == signal.SIGKILL:
                assert done.code == -number
            else:
                assert done.code in (output.code, 128 + number), done.err
                assert not list(out.rglob(".leadline-*")), "what was half done is removed"
        keep_count(f"{number.name}, before a use of a file", name, len(every), seen)
        assert not seen["half"]


@short("evaluate.csv")
def test_stopped_at_random_it_leaves_old_or_new(
    name: str, given: Path, loaded: Loaded, tmp_path: Path
) -> None:
    output, whole, draw = BY_NAME[name], tmp_path / "whole", random.Random(name)
    new, _ = made(loaded, output, given, whole)
    begin = time.monotonic()
    made(loaded, output, given, tmp_path / "again")
    length = time.monotonic() - begin
    for number in SIGNALS:
        seen: Counter[str] = Counter()
        stops = 0
        for trial in range(OVER + AIMED):
            out = tmp_path / f"{number.name[-1]}{trial:04}"
            seconds = length if trial < OVER else None
            if stopped_at_random(loaded, output, given, out, number, draw, seconds):
                stops += 1
                seen += found_there(output, out, new, whole)
        keep_count(f"{number.name}, at a random moment", name, stops, seen)
        assert not seen["half"]


LIMIT = 24
"""Bytes that a file may have: less than any output, more than the older files."""


@short("evaluate.csv", "order --qrels-out")
def test_a_file_that_may_not_grow_leaves_the_old_one_and_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "out"
    prepare(output, out)
    done = limited(output, given, out, LIMIT)
    check_left(done, output, out)
    assert ("disk I/O error" if output.needs else "File too large") in done.stderr
    assert set(content(output, out).values()) == {output.before}


@pytest.mark.slow
@each_output
def test_files_that_may_grow_to_a_random_size_are_old_or_new(
    name: str, given: Path, loaded: Loaded, tmp_path: Path
) -> None:
    output, draw, whole = BY_NAME[name], random.Random(name), tmp_path / "whole"
    new, _ = made(loaded, output, given, whole)
    largest = max(path.stat().st_size for path in whole.rglob("*") if path.is_file())
    seen: Counter[str] = Counter()
    for trial in range(DRAWS):
        out = tmp_path / f"x{trial:04}"
        prepare(output, out)
        check_left(limited(output, given, out, draw.randrange(LIMIT, largest)), output, out)
        seen += found_there(output, out, new, whole)
    keep_count("a limit to the size of files (RLIMIT_FSIZE)", name, DRAWS, seen)
    assert not seen["half"]


@short("evaluate.parquet")
def test_a_full_disk_leaves_the_old_file_and_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "full"
    with small_disk(out, 0, lambda: prepare(output, out)) as fine:
        if not fine:
            pytest.skip("only root can mount a small disk")
        done = limited(output, given, out)
        check_left(done, output, out)
        assert "No space left" in done.stderr
        seen = Counter(old=len(output.files))
        assert set(content(output, out).values()) == {output.before}
    keep_count("a full disk", name, 1, seen)


@pytest.mark.slow
@each_output
def test_a_disk_that_fills_up_on_the_way_leaves_old_or_new(
    name: str, given: Path, loaded: Loaded, tmp_path: Path
) -> None:
    output, draw, whole = BY_NAME[name], random.Random(name), tmp_path / "whole"
    new, _ = made(loaded, output, given, whole)
    files = [path for path in whole.rglob("*") if path.is_file()]
    pages = sum(-(-path.stat().st_size // PAGE) for path in files)
    seen: Counter[str] = Counter()
    for trial in range(DRAWS):
        out = tmp_path / f"x{trial:04}"
        with small_disk(out, draw.randrange(pages), lambda out=out: prepare(output, out)) as fine:
            if not fine:
                pytest.skip("only root can mount a small disk")
            done = limited(output, given, out)
            seen += found_there(output, out, new, whole)
            # An older file that is renewed gives its room back, so that all may go well.
            if done.returncode != output.code or "No space left" in done.stderr:
                check_left(done, output, out)
    keep_count("a disk that fills up on the way", name, DRAWS, seen)
    assert not seen["half"]


@short("evaluate.csv")
def test_a_folder_that_cannot_be_written_to_is_named(
    name: str, given: Path, tmp_path: Path
) -> None:
    output, out = BY_NAME[name], tmp_path / "out"
    prepare(output, out)
    with read_only(out) as fine:
        if not fine:
            pytest.skip("cannot mount here")
        done = limited(output, given, out)
    check_left(done, output, out)
    assert "Read-only" in done.stderr or "denied" in done.stderr
    seen = found_there(output, out, dict.fromkeys(output.files), out)
    assert seen == Counter(old=len(output.files))
    keep_count("a read-only folder", name, 1, seen)


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
