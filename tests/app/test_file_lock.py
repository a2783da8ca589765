"""A lock on the file itself: of one process, whatever happens to files beside it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.app.database import FileLock, only_for_the_owner

TAKE = (
    "import sys; from pathlib import Path; from leadline.app.database import FileLock; "
    "sys.exit(0 if FileLock(Path(sys.argv[1])).take() else 3)"
)


def another_takes(path: Path) -> bool:
    return subprocess.run([sys.executable, "-c", TAKE, str(path)], check=False).returncode == 0


def test_one_process_has_it_until_it_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    only_for_the_owner(path)
    lock = FileLock(path)
    assert lock.take()
    assert not another_takes(path)
    lock.close()
    assert another_takes(path)


def test_a_file_that_was_replaced_is_not_the_one_that_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    only_for_the_owner(path)
    lock = FileLock(path)
    assert lock.is_of_the_database()
    path.rename(tmp_path / "moved")
    assert not lock.is_of_the_database()
    only_for_the_owner(path)
    assert not lock.is_of_the_database()
    lock.close()


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of POSIX")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_text("before")
    path.chmod(0o644)
    only_for_the_owner(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() == "before"
