"""Lines are on the disk when they are said to be, and half a line never spoils the next."""

import resource
from pathlib import Path
from unittest import mock

import pytest

from leadline.io.write import LineFile


def whole_lines(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1


def test_what_was_cut_off_is_dropped_and_the_next_line_stands_alone(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntw")
    file = LineFile(path, whole_lines)
    file.append(b"three\n")
    file.close()
    assert path.read_bytes() == b"one\nthree\n"


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    file = LineFile(path, whole_lines)
    with pytest.raises(ValueError, match="in use by another session"):
        LineFile(path, whole_lines)
    file.close()
    LineFile(path, whole_lines).close()


def test_a_file_that_cannot_be_read_is_not_made(tmp_path: Path) -> None:
    def refuse(path: Path) -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        LineFile(tmp_path / "lines", refuse)
    assert not (tmp_path / "lines").exists()


def test_a_line_that_did_not_reach_the_disk_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    file = LineFile(path, whole_lines)
    file.append(b"one\n")
    with mock.patch("os.fsync", side_effect=OSError("full")), pytest.raises(OSError, match="full"):
        file.append(b"two\n")
    file.append(b"three\n")
    file.close()
    assert path.read_bytes() == b"one\nthree\n"


def test_a_line_that_is_taken_in_parts_is_whole_or_the_reason_is_told(tmp_path: Path) -> None:
    path, limit = tmp_path / "lines", (10, resource.RLIM_INFINITY)
    file = LineFile(path, whole_lines)
    file.append(b"one\n")
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    try:
        with pytest.raises(OSError, match=r"File too large.*lines"):
            file.append(b"two and more\n")
        file.append(b"three\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    file.close()
    assert path.read_bytes() == b"one\nthree\n"
