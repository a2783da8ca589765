"""Files are there whole or not at all, and nothing but a plain file is ever replaced."""

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from unittest.mock import patch

import pytest

from leadline.io.write import (
    check_writable,
    copy_files,
    is_plain,
    whole_file,
    whole_folder,
    write_whole,
)


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    with whole_file(out) as part:
        part.write_text("half")
        assert out.read_text() == "old"
    assert out.read_text() == "half"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, error: type[BaseException]
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")

    def interrupted() -> None:
        with whole_file(out) as part:
            part.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert out.read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_kill_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    program = """
        import os, signal, sys
        from leadline.io.write import whole_file
        with whole_file(sys.argv[1]) as part:
            part.write_text("half")
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(out)], check=False, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert out.read_text() == "old"


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(pipe, "through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_the_shell_opened_to_append_to_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "all.csv"
    out.write_text("first\n")
    with out.open("ab") as file:
        name = Path(f"/proc/self/fd/{file.fileno()}")
        if not name.exists():
            pytest.skip("no /proc here")
        assert not is_plain(name)
    assert is_plain(out)
    assert is_plain(tmp_path / "nothing yet")


def test_a_full_device_is_named(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(OSError, match="/dev/full") as found:
        write_whole("/dev/full", "x" * 100)
    assert found.value.errno == errno.ENOSPC
    assert Path("/dev/full").is_char_device()


def test_a_full_disk_is_told_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    def full() -> None:
        with whole_file(tmp_path / "out.csv"):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match=r"out\.csv"):
        full()
    with pytest.raises(FileNotFoundError, match=r"nowhere.*out\.csv"):
        write_whole(tmp_path / "nowhere" / "out.csv", "")


def test_rights_are_those_of_the_umask_or_of_the_file_before(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    before = os.umask(0o022)
    try:
        write_whole(out, "")
        assert stat.S_IMODE(out.stat().st_mode) == 0o644
        out.chmod(0o600)
        write_whole(out, "")
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    out = tmp_path / ("x" * 255)
    write_whole(out, "there")
    assert out.read_text() == "there"


def test_what_cannot_be_written_is_said_beforehand(tmp_path: Path) -> None:
    check_writable(tmp_path / "out.csv")
    with pytest.raises(ValueError, match="folder"):
        check_writable(tmp_path)
    with pytest.raises(ValueError, match="nowhere"):
        check_writable(tmp_path / "nowhere" / "out.csv")


def test_a_folder_is_there_with_all_its_files_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "more" / "folder"

    def interrupted() -> None:
        with whole_folder(target) as part:
            (part / "a").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not list(target.parent.iterdir())
    for _ in range(2):
        target.mkdir(exist_ok=True)
        with whole_folder(target) as part:
            (part / "a").write_text("whole")
            assert not list(target.iterdir())
        assert [file.read_text() for file in target.iterdir()] == ["whole"]
        (target / "a").unlink()
    assert list(target.parent.iterdir()) == [target]


def test_what_fails_in_an_unfinished_folder_is_told_of_the_folder_asked_for(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "in").mkdir(parents=True)
    (source / "in" / "a").write_text("a" * 20)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with (
        patch.object(shutil, "copyfile", full),
        pytest.raises(OSError, match="No space left") as raised,
        whole_folder(target) as part,
    ):
        copy_files(source, part)
    assert raised.value.filename == str(target)
    assert sorted(tmp_path.iterdir()) == [source]
    with whole_folder(target) as part:
        copy_files(source, part)
    assert (target / "in" / "a").read_text() == "a" * 20
    with pytest.raises(ValueError, match="is there already"), whole_folder(target):
        pass
