"""A project in one file, and back: into its own folder or into a new one."""

from pathlib import Path

import pytest

from leadline.app.backup import back_up_project, restore_project
from leadline.app.opening import open_project
from leadline.app.room import Assessor
from leadline.io.problems import InputError
from leadline.judging.project import read_project
from tests.app.projects import small, small_runs

ANN = Assessor("ann")


def test_a_project_is_backed_up_while_it_is_open_and_restored_elsewhere(tmp_path: Path) -> None:
    folder = small(tmp_path / "sea", title="The sea")
    judging = open_project(folder)
    judging.room.judge(ANN, judging.room.next(ANN) or 0, 1)
    assert back_up_project(folder, tmp_path / "kept.gz") == 1
    before = judging.room.ledger.entries
    judging.close()
    small_runs(tmp_path / "other")
    assert restore_project(tmp_path / "other", tmp_path / "kept.gz") == 1
    assert read_project(tmp_path / "other").title == "The sea"
    again = open_project(tmp_path / "other")
    assert again.room.ledger.entries == before
    again.close()
    with pytest.raises(ValueError, match="is not empty"):
        restore_project(folder, tmp_path / "kept.gz")


def test_what_is_no_backup_makes_no_project(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(InputError, match="is no whole backup"):
        restore_project(tmp_path / "new", tmp_path / "x")
    assert not (tmp_path / "new").exists()
