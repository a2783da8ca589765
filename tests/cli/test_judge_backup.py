"""`leadline judge --backup` and `--restore`: what was done is said."""

from pathlib import Path

import pytest

from leadline.cli.judge import keep_or_restore
from tests.app.projects import small, small_runs


def test_backup_and_restore_say_what_they_did(tmp_path: Path) -> None:
    folder = small(tmp_path / "sea")
    (told,) = keep_or_restore(folder, None, tmp_path / "kept.gz", None)
    assert told == f"{tmp_path / 'kept.gz'}: 0 entries, and all else but links, cookies and tokens"
    small_runs(tmp_path / "other")
    lines = keep_or_restore(tmp_path / "other", None, None, tmp_path / "kept.gz")
    assert lines[0] == f"{tmp_path / 'other'}: 0 entries, each as it was written"
    with pytest.raises(ValueError, match="exclude each other"):
        keep_or_restore(folder, None, tmp_path / "a", tmp_path / "b")
