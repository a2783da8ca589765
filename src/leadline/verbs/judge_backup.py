"""A judging project in one file, and back from it."""

from pathlib import Path

from leadline.files.whole_file import write_whole
from leadline.judging.room.backup import back_up, project_of, restore
from leadline.judging.room.database import Database, sqlite_url
from leadline.judging.room.project import NAME, read_project
from leadline.verbs.judge import DATABASE, database_of


def back_up_project(folder: str | Path, file: str | Path, *, database: str | None = None) -> int:
    """Write what a project's database holds, and its settings, to a file; how many entries.

    A server may be at work there: it is all of one moment.
    """
    settings = (Path(folder) / NAME).read_text(encoding="utf-8")
    with database_of(folder, database) as found:
        return back_up(found, Path(file), settings)


def restore_project(folder: str | Path, file: str | Path, *, database: str | None = None) -> int:
    """Fill the empty database of a project with a backup; how many entries it has.

    A folder without judge.toml gets the one of the backup.
    """
    where = Path(folder)
    settings = project_of(Path(file))
    if not (where / NAME).exists():
        where.mkdir(parents=True, exist_ok=True)
        write_whole(where / NAME, settings)
    read_project(where)
    held = Database(database or sqlite_url(where / DATABASE))
    try:
        return restore(held, Path(file))
    finally:
        held.close()
