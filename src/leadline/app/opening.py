"""judge: a project folder opened for several people to judge in."""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from leadline.app.database import Database, sqlite_url
from leadline.app.pool_order import PoolOrder
from leadline.app.room import Room
from leadline.app.schema import Checked
from leadline.app.sql_ledger import SqlLedger, now
from leadline.data.judgments import Judgments
from leadline.data.runs import Runs
from leadline.io.by_content import qrels_from
from leadline.io.collection import Collection
from leadline.io.datasets import COLLECTION
from leadline.io.formats import Reading
from leadline.io.inputs import runs_from
from leadline.io.problems import InputError, Notices, Progress
from leadline.io.read import read
from leadline.io.write import copy_files, whole_folder, write_whole
from leadline.judging.library import Library, check_inside, confirm, read_guidelines, read_library
from leadline.judging.merge import by_machine
from leadline.judging.project import (
    NAME,
    Grade,
    Project,
    check_new,
    checked,
    lying_there,
    read_project,
    write_project,
)
from leadline.judging.session import Session
from leadline.judging.stops import stops

DATABASE = "judgments.sqlite"
FORM = {
    "Project": ("title", "measure", "blind", "published"),
    "What is judged": ("order", "stop"),
    "How work is assigned": (
        "assessors_per_document",
        "merge",
        "lease_minutes",
        "batch",
        "shuffle",
        "topic_batch",
        "take_topics",
    ),
    "Gold questions": ("gold_every", "gold_feedback"),
    "When an assessor is flagged": ("least_gold", "least_agreement", "least_seconds", "most_drift"),
}
"""Settings that can be changed while a server runs, under the headings of their form."""

EDITABLE = tuple(name for names in FORM.values() for name in names)
GUIDELINES_FILE = "guidelines.md"


@dataclass
class Judging:
    """An open project: its folder, what it says, what there is to read, and the room."""

    folder: Path
    project: Project
    library: Library
    room: Room
    database: Database
    notices: Notices
    parts: "_Parts"

    def change_settings(self, changes: dict[str, Any]) -> None:
        """Other settings from now on, in judge.toml too; a ValueError if they cannot be so.

        What the file says of other settings since the start stays there until the next one.
        """
        fixed = next((name for name in changes if name not in EDITABLE), None)
        if fixed is not None:
            raise ValueError(f"{fixed} cannot be changed here; known are {', '.join(EDITABLE)}")
        if changes.get("stop"):
            changes["stop"] = str(stops.parse(str(changes["stop"])))
        self._change(changes)

    def change_scale(self, grades: tuple[Grade, ...]) -> None:
        """Set another scale; a ValueError if a grade that somebody gave is not on it."""
        votes = (vote for votes in self.room.votes_by_pair() for vote in votes)
        used = {vote.grade for vote in votes if vote.grade is not None}
        gone = sorted(used - {grade.grade for grade in grades})
        if gone:
            raise ValueError(f"grade {gone[0]} was given by assessors and must stay on the scale")
        self._change({"grades": grades})

    def guidelines_file(self) -> Path:
        """Return the file of the guidelines for all topics; a ValueError if it lies elsewhere."""
        name = self.project.guidelines or GUIDELINES_FILE
        path = self.folder / name
        path = path / "general.md" if path.is_dir() else path
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise ValueError(f"the guidelines lie outside the project's folder: edit {path} there")
        return path

    def change_guidelines(self, text: str) -> None:
        """Write other guidelines for all topics; assessors see them with the next document."""
        write_whole(self.guidelines_file(), text)
        self._change({} if self.project.guidelines else {"guidelines": GUIDELINES_FILE})

    def _change(self, changes: dict[str, Any]) -> None:
        in_file = replace(read_project(self.folder), **changes)
        project = replace(self.project, **changes)
        self.room.reconfigure(_sessions(self.folder, project, self.parts), project.rules)
        self.project = project
        self.library.guidelines.update(read_guidelines(self.folder, project))
        write_whole(self.folder / NAME, in_file.text())

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()


def open_project(
    folder: str | Path,
    *,
    database: str | None = None,
    outside: bool = False,
    progress: Progress | None = None,
) -> Judging:
    """A project folder opened: judgments are in its database, and go on where they were.

    What judge.toml names outside the folder is read only where it was named as the project was
    made, or with `outside`, which is remembered.
    """
    where = Path(folder)
    project = read_project(where)
    if outside:
        confirm(where, project)
    check_inside(where, project)
    held = Database(database or sqlite_url(where / DATABASE))
    try:
        held.check_heads()
        ledger = SqlLedger(held)
        parts = _read_parts(where, project, progress, by_machine(ledger.entries))
        notices = parts.collection.notices
        room = Room(_sessions(where, project, parts), ledger, project.rules)
        _check_ledger(room, held)
    except BaseException:
        held.close()
        raise
    if room.state.elsewhere:
        message = f"{room.state.elsewhere:,} entries are about documents that no run returns"
        notices.add(held.name, "warning", "elsewhere", message)
    return Judging(where, project, parts.library, room, held, notices, parts)


def _sessions(folder: Path, project: Project, parts: "_Parts") -> Callable[[], Session]:
    """How a session over these parts begins."""
    order = PoolOrder(folder / project.pool) if project.pool else project.made_order
    stop, measure = project.made_stop, project.made_measure
    runs, judgments = parts.collection.runs, parts.judgments
    return lambda: Session(runs, order, stop, judgments, measure)


@dataclass(frozen=True)
class _Parts:
    """What a project names, read."""

    collection: Collection
    judgments: Judgments | None
    library: Library


def _read_parts(
    folder: Path,
    project: Project,
    progress: Progress | None = None,
    machines: Mapping[str, Any] = MappingProxyType({}),
) -> _Parts:
    """All that a project names; an InputError if some of it cannot be read.

    What machines have judged here is evidence beside the labels that the project names.
    """
    left_out = Notices()
    named = runs_from(_runs(folder, project.labels), left_out) if project.labels else []
    labels = {**machines, **{each.name: each.what for each in named}} or None
    runs = _runs(folder, project.runs)
    collection = read(None, runs, progress=progress, labels=labels, folder=folder)
    pairs, notices = collection.runs.pairs, collection.notices
    if any("\0" in name for names in (pairs.topics, pairs.docs) for name in names):
        raise InputError.of(str(folder), "binary", "a run names a topic or document with a NUL")
    notices.problems += left_out.problems
    judgments = _given(folder, project, collection.runs, notices)
    topics, docs = to_read(collection.runs, folder / project.pool if project.pool else None)
    library = read_library(folder, project, docs, progress)
    for message in library.lacks(topics, docs):
        notices.add(str(folder), "warning", "unread", message)
    return _Parts(collection, judgments, library)


def to_read(runs: Runs, pool: Path | None) -> tuple[Sequence[str], set[str]]:
    """Return the topics and documents that assessors may be shown: those of the pool, or all."""
    pairs = runs.pairs
    if pool is None:
        return pairs.topics, set(pairs.docs)
    names = pairs.frame(PoolOrder(pool).pairs(runs))
    return names["topic"].unique(maintain_order=True).to_list(), set(names["doc"])


@contextmanager
def database_of(
    folder: str | Path, database: str | None = None, hold: bool = False, read_only: bool = False
) -> Iterator[Database]:
    """The database of a project, beside a server that may hold it unless we `hold` it."""
    where = Path(folder)
    read_project(where)
    held = Database(database or sqlite_url(where / DATABASE), hold, read_only)
    try:
        yield held
    finally:
        held.close()


def check_ledger(folder: str | Path, *, database: str | None = None) -> list[Checked]:
    """Check that every entry, answer to a gold question and row of the log is as it was written.

    Nothing is written, and a server may be at work.
    """
    with database_of(folder, database, read_only=True) as found:
        return found.check()


def repair_ledger(folder: str | Path, *, database: str | None = None) -> list[tuple[str, str, str]]:
    """Chain anew what has wrong or former hashes; return table, old and new end of each.

    What the rows say now is taken as true: compare them with a backup first.
    """
    with database_of(folder, database, hold=True) as found:
        return found.repair(now())


def _runs(folder: Path, runs: str) -> str:
    path = Path(runs)
    return str(path if path.is_absolute() else folder / path)


def _given(folder: Path, project: Project, runs: Runs, notices: Notices) -> Judgments | None:
    """The qrels that count as judged."""
    if not project.start_from:
        return None
    reading = Reading()
    qrels = qrels_from(folder / project.start_from, reading)
    judgments = qrels.over(runs.pairs)
    if not judgments.judged.any():
        raise InputError.of(qrels.name, "start_from", "judges no document that these runs return")
    notices.problems += reading.notices.problems
    given = np.unique(judgments.grade[judgments.judged]).tolist()
    message = other_scale(given, [step.grade for step in project.grades])
    if message:
        notices.add(qrels.name, "warning", "scale", message)
    top = max(qrels.max_grade, max(step.grade for step in project.grades))
    return replace(judgments, max_grade=top)


def other_scale(given: Sequence[int], scale: Sequence[int]) -> str:
    """Return why judgments seem to be on another scale than the project's; empty if they do not.

    >>> other_scale([0, 1], [0, 1]), other_scale([0, 2], [0, 1, 2, 3])
    ('', '')
    >>> other_scale([0, 1], [0, 1, 2, 3])[:62]
    'uses the grades 0 to 1, and the project the grades 0 to 3: jud'
    """
    beyond = set(given) - set(scale)
    binary = max(given) <= 1 < max(scale)
    if not beyond and not binary:
        return ""
    ends = [f"{min(grades)} to {max(grades)}" for grades in (given, scale)]
    return (
        f"uses the grades {ends[0]}, and the project the grades {ends[1]}: judgments on two scales "
        "cannot be merged. Choose the scale of these judgments (--scale, or [[grades]] in "
        "judge.toml), or start without them (--no-use-judgments)"
    )


def _check_ledger(room: Room, database: Database) -> None:
    if room.state.elsewhere and not room.state.votes.by_pair:
        raise ValueError(
            f"{database.name}: judges no document of these runs; name another `database`"
        )


def new_project(
    folder: str | Path,
    *,
    progress: Progress | None = None,
    use_judgments: bool = True,
    **settings: Any,
) -> tuple[Path, Notices]:
    """Make judge.toml in a folder, with what lies there where nothing is said; its path.

    Paths are found from the working folder, or from the project's. Everything that the project
    names is read once before anything is written; what was noticed comes back too. The qrels of a
    collection folder count as judged, if `use_judgments`.
    """
    where = Path(folder)
    check_new(where)
    said = {name: value for name, value in settings.items() if value is not None}
    said = {name: checked(name, value, where) for name, value in said.items()}
    found = lying_there(where)
    if not use_judgments:
        found.pop("start_from", None)
    if said.get("pool"):
        # A pool is judged to its end, unless a rule is named.
        said.setdefault("stop", "")
    project = Project(**{**found, **said})
    notices = _read_parts(where, project, progress).collection.notices
    confirm(where, project)
    return write_project(where, project), notices


def demo_project(folder: str | Path) -> Path:
    """The bundled collection as a project, made there unless it is there already; the folder."""
    where = Path(folder)
    if (where / NAME).exists():
        return where
    with whole_folder(where) as part:
        copy_files(COLLECTION / "runs", part / "runs")
        for name in ("topics.tsv", "docs.jsonl.gz"):
            shutil.copyfile(COLLECTION / name, part / name)
        write_whole(part / "guidelines.md", GUIDELINES)
        project = Project("About the sea", documents="docs.jsonl.gz", guidelines="guidelines.md")
        write_project(part, replace(project, lease_minutes=30.0))
    return where


GUIDELINES = """\
Imagine that you are writing a short report on the topic.

- **Highly**: the document answers the topic by itself.
- **Relevant**: it holds something that your report would use.
- **Partly**: it touches the topic, but you would hardly use it.
- **Not relevant**: it says nothing about the topic, or only uses the same words.

Judge each document by itself, even if another one said the same. Judge what it says, not how well
it is written.
"""
