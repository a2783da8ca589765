"""`leadline judge`: a project's judgments in one file, and back."""

from pathlib import Path


def keep_or_restore(
    folder: Path, database: str | None, backup: Path | None, restore: Path | None
) -> list[str]:
    """Do what was asked for, and say what was done."""
    from leadline.verbs.judge_backup import back_up_project, restore_project

    if backup is not None and restore is not None:
        raise ValueError("--backup and --restore exclude each other")
    if backup is not None:
        n = back_up_project(folder, backup, database=database)
        return [f"{backup}: {n:,} entries, and all else but links, cookies and tokens"]
    assert restore is not None
    n = restore_project(folder, restore, database=database)
    lost = "people sign in with their passwords; make new links and tokens for others"
    return [f"{folder}: {n:,} entries, each as it was written", lost]
